package page

import (
	"slices"
	"strings"
	"unicode"
)

// Route is the mode for the next capture, and why.
type Route struct{ Mode, Why string }

// NextMode recommends the mode of the next capture for a task. A task about the look
// or place of something gets a screenshot with the skeleton, any other the lightest
// mode. If the last page (zero before the first) had nothing to act on, the next mode
// of the fallback chain follows: semantic_v3, semantic, skeleton or hybrid, full.
func NextMode(task string, last Page) Route {
	word := visualWord(task)
	detailed := Route{ModeSkeleton, "the lighter modes found nothing to act on"}
	if word != "" {
		detailed = Route{ModeHybrid, `the task speaks of how or where something looks: "` + word + `"`}
	}
	switch {
	case last.Mode == "" || last.hasTarget() || last.Mode == ModeFull:
		if word != "" {
			return detailed
		}
		return Route{ModeSemanticV3, "nothing in the task asks for more than names and roles"}
	case last.Mode == ModeSemanticV3:
		return Route{ModeSemantic, "semantic_v3 found nothing to act on"}
	case last.Mode == ModeSemantic:
		return detailed
	}
	return Route{ModeFull, last.Mode + " found nothing to act on"}
}

// NeedFullDOM reports whether to ask for the whole document (spec: needs_full_dom),
// and why: the page has nothing to act on, or not the element sought ("" for none in
// particular). It never asks if the whole document was sent.
func NeedFullDOM(p Page, sought string) (reason string, need bool) {
	switch {
	case p.Mode == ModeFull:
		return "", false
	case !p.hasTarget():
		return "the page you sent has no element to act on", true
	case sought == "", p.Mode == "":
		return "", false
	case p.Mode == ModeSkeleton, p.Mode == ModeHybrid:
		return "Element not found in skeleton", true
	}
	return "Element not found in the semantic tree", true
}

// hasTarget reports whether the page has an element to act on.
func (p Page) hasTarget() bool {
	return slices.ContainsFunc(p.Elements, func(e Element) bool { return e.ID != "" && !e.State.Hidden })
}

// visualWords mark a task as visual or spatial. They are English; tasks in other
// languages get the lightest mode.
var visualWords = phrases("icon", "image", "logo", "picture", "photo", "avatar",
	"looks like", "appears", "color", "shape", "blue", "red", "green",
	"top", "bottom", "left", "right", "corner", "side", "edge",
	"next to", "above", "below", "beside", "near", "between",
	"first", "second", "third", "last", "middle",
	"what is", "what does", "how much", "price", "see", "show",
	"chart", "graph", "table", "grid", "card", "thumbnail")

// plainPhrases contain a visual word without a visual meaning: labels of forms,
// times.
var plainPhrases = phrases("first name", "last name", "second name", "middle name", "middle initial", "first names", "last names",
	"last day", "last days", "last week", "last weeks", "last month", "last months", "last year", "last years", "last night",
	"a second", "one second", "per second", "right now", "right away", "at first", "first class", "gift card", "credit card",
	"debit card", "card number", "book a table", "reserve a table")

// visualWord returns the first visual word of a task, or "". Words match whole
// ("Preview" has no "view", "laptop" no "top") and outside quotation marks, since
// quoted text is to be typed or found. "Below 20" is no place.
func visualWord(task string) string {
	words := wordsOf(unquoted(Clean(task)))
	for i := 0; i < len(words); {
		if n := plainPhrases.at(words, i); n > 0 {
			i += n
			continue
		}
		if n := visualWords.at(words, i); n > 0 && !isBound(words[i:]) {
			return strings.Join(words[i:i+n], " ")
		}
		i++
	}
	return ""
}

// isBound reports a range: "above 4", "between 5 and 10".
func isBound(words []string) bool {
	return len(words) > 1 && number(words[1]) && slices.Contains([]string{"above", "below", "between"}, words[0])
}

// phraseSet has phrases by their first word, the longest first.
type phraseSet map[string][][]string

func phrases(list ...string) phraseSet {
	set := phraseSet{}
	for _, s := range list {
		words := strings.Fields(s)
		set[words[0]] = append(set[words[0]], words)
	}
	for _, alternatives := range set {
		slices.SortFunc(alternatives, func(a, b []string) int { return len(b) - len(a) })
	}
	return set
}

// at returns how many words from i on are a phrase of the set, or 0.
func (s phraseSet) at(words []string, i int) int {
	for _, p := range s[words[i]] {
		if len(p) <= len(words)-i && slices.Equal(p, words[i:i+len(p)]) {
			return len(p)
		}
	}
	return 0
}

func wordsOf(s string) []string {
	s = strings.NewReplacer("what's", "what is", "what’s", "what is", "colour", "color").Replace(strings.ToLower(s))
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// unquoted removes quoted texts. An apostrophe within a word is no quote.
func unquoted(s string) string {
	closing := map[rune]rune{'"': '"', '\'': '\'', '“': '”', '„': '“', '‘': '’', '«': '»', '`': '`'}
	runes, out := []rune(s), make([]rune, 0, len(s))
	for i := 0; i < len(runes); i++ {
		end, opens := closing[runes[i]]
		if opens && (i == 0 || !wordRune(runes[i-1])) {
			if j := closes(runes, i+1, end); j > 0 {
				out = append(out, ' ')
				i = j
				continue
			}
		}
		out = append(out, runes[i])
	}
	return string(out)
}

// closes returns the end of a quotation, or 0.
func closes(runes []rune, from int, end rune) int {
	for j := from; j < len(runes); j++ {
		if runes[j] == end && (j+1 == len(runes) || !wordRune(runes[j+1])) {
			return j
		}
	}
	return 0
}
