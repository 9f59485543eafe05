package instruction

import "unicode"

// strange reads a clause whose verb the grammar does not know: a command of an
// application. It has to look like one, and every word has to be understood; nil
// otherwise.
func (s *span) strange(i int) []Step {
	if !s.strangeVerb(i) || !s.about(i+1) {
		return nil
	}
	r := s.behind(i, phrase{words: []string{s.t[i].low}, class: "verb", value: string(Command)})
	if r == nil || r.unread() > 0 || r.describes() {
		return nil
	}
	s.adopt(i, r.span)
	return r.steps
}

// strangeVerb reports whether a word could be a verb that the grammar does not know: it
// is of letters, in lower case but for its first, and nothing else.
func (s *span) strangeVerb(i int) bool {
	if i >= len(s.t) || s.t[i].mark || s.t[i].quoted || s.t[i].within {
		return false
	}
	for k, r := range s.t[i].text {
		if !unicode.IsLetter(r) || k > 0 && !unicode.IsLower(r) {
			return false
		}
	}
	for _, p := range s.g.phrases[s.t[i].low] {
		if p.begins(s.t[i:]) {
			return false
		}
	}
	return len(s.t[i].text) > 1
}

// about reports whether what a verb is about begins at a token: with an article, a
// quotation, or a name that is no part of a longer one in lower case.
func (s *span) about(i int) bool {
	if i >= len(s.t) || s.t[i].mark {
		return false
	}
	if _, ok := s.at(i, "article"); ok || s.t[i].quoted {
		return true
	}
	for i < len(s.t) && s.t[i].capital {
		i++
		if i == len(s.t) || s.t[i].mark {
			return true
		}
		if _, ok := s.at(i, "relation", "gives"); ok {
			return true
		}
	}
	return false
}

// describes reports whether a clause ends with how something is or is to be: "leave the
// name empty" is about the name.
func (r *reading) describes() bool {
	end := r.ends(0)
	for k := max(1, end-deepest); k < end; k++ {
		_, first := r.at(k-1, "article")
		if p, ok := r.at(k, "attribute", "verb"); ok && !first && k+len(p.words) == end && !r.t[k].capital {
			return r.use[k] == Name || r.use[k] == Noun
		}
	}
	return false
}
