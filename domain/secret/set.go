package secret

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Set is values that are known to be secret. A nil Set has none; it is never
// changed, so it may be shared.
type Set struct {
	patterns []pattern
	starts   [256]bool // the bytes an occurrence can begin with
}

// New makes a set. Values that are no secrets (Worth) are left out. Single
// characters that follow each other are taken together too: they are a code typed
// into boxes.
func New(values ...string) *Set {
	values = slices.Concat(values, joined(values))
	s := &Set{}
	seen := map[string]bool{}
	for _, v := range values {
		if seen[v] || !Worth(v) {
			continue
		}
		seen[v] = true
		if p := patternOf(v); len(p.elems) > 0 {
			p.value = v
			s.patterns = append(s.patterns, p)
			p.mayStart(&s.starts)
		}
	}
	return s
}

// Worth reports whether a value can be a secret: dots that stand for one are not.
func Worth(value string) bool {
	return strings.ContainsFunc(value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) ||
		utf8.RuneCountInString(value) > 2 && strings.Trim(value, value[:1]) != "" && !strings.ContainsAny(value, "•●*·")
}

// joined are the runs of single characters.
func joined(values []string) (runs []string) {
	run := ""
	for _, v := range append(slices.Clip(values), "") {
		if utf8.RuneCountInString(v) == 1 {
			run += v
			continue
		}
		if utf8.RuneCountInString(run) >= shortWord {
			runs = append(runs, run)
		}
		run = ""
	}
	return runs
}

// Cut is the text with Mask in place of every value, and without what addresses
// in it carry (CutURLs).
func (s *Set) Cut(text string) string {
	return CutURLs(s.replace(text, func(int) string { return Mask }))
}

// replace puts something in place of every value; with is told which. Of a text made
// to be compared for long (tired) the rest is taken for one.
func (s *Set) replace(text string, with func(pattern int) string) string {
	if s == nil || len(s.patterns) == 0 || text == "" {
		return text
	}
	var out strings.Builder
	t := reader{text: text}
	done := 0
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], Mask) {
			i += len(Mask)
			continue
		}
		if !s.starts[text[i]] {
			i++
			continue
		}
		end, which := s.match(&t, i)
		if t.tired() {
			end = len(text)
		}
		if end < 0 {
			i++
			continue
		}
		for j := i + 1; j < end; j++ { // another may begin within it
			further, _ := s.match(&t, j)
			if end = max(end, further); t.tired() {
				end = len(text)
				break
			}
		}
		out.WriteString(text[done:i])
		out.WriteString(with(which))
		i, done = end, end
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// CutAll is Cut for each of the texts; nil stays nil.
func (s *Set) CutAll(texts []string) []string {
	if texts == nil {
		return nil
	}
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = s.Cut(t)
	}
	return out
}

// CutJSON is Cut for the texts in encoded JSON. What is no JSON is cut as text.
// JSON without secrets stays byte for byte as it is.
func (s *Set) CutJSON(data json.RawMessage) json.RawMessage {
	if s.Cut(string(data)) == string(data) {
		return data
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return json.RawMessage(s.Cut(string(data)))
	}
	out, err := json.Marshal(s.cutValue(v))
	if err != nil {
		return json.RawMessage(s.Cut(string(data)))
	}
	return out
}

func (s *Set) cutValue(v any) any {
	switch v := v.(type) {
	case string:
		return s.Cut(v)
	case []any:
		for i := range v {
			v[i] = s.cutValue(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = s.cutValue(v[k])
		}
	}
	return v
}

// Within are those of the values that a text has, so that whoever keeps the text
// can keep with it what to cut out.
func Within(text string, values []string) (found []string) {
	for _, v := range values {
		if len(New(v).patterns) > 0 && New(v).mark(text) {
			found = append(found, v)
		}
	}
	return found
}

// mark reports whether anything would be cut.
func (s *Set) mark(text string) bool {
	t := reader{text: text}
	for i := range len(text) {
		if s.starts[text[i]] {
			if end, _ := s.match(&t, i); end >= 0 || t.tired() {
				return true
			}
		}
	}
	return false
}

// match is the end of the longest value at text[i:], and which it is; -1 if there
// is none.
func (s *Set) match(t *reader, i int) (end, which int) {
	end = -1
	if !utf8.RuneStart(t.text[i]) {
		return end, 0
	}
	for k := range s.patterns {
		if e := s.patterns[k].at(t, i); e > end {
			end, which = e, k
		}
	}
	return end, which
}
