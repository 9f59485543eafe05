package secret

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Set is a set of secret values. It is immutable and safe for concurrent use; a nil
// Set is empty.
type Set struct {
	patterns []pattern
	starts   [256]bool // the bytes an occurrence can begin with
	pairs    [utf8.RuneSelf]pair
}

// New returns a set of the values that can be secrets (Worth). Consecutive single
// characters are also added as one value: they are a code typed into boxes.
func New(values ...string) *Set {
	values = slices.Concat(values, joinSingles(values))
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
			p.mayPair(&s.pairs)
		}
	}
	return s
}

// Worth reports whether a value can be a secret. Dots in place of one are not.
func Worth(value string) bool {
	return strings.ContainsFunc(value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) ||
		utf8.RuneCountInString(value) > 2 && strings.Trim(value, value[:1]) != "" && !strings.ContainsAny(value, "•●*·")
}

// joinSingles returns the runs of single characters, joined.
func joinSingles(values []string) (runs []string) {
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

// Cut replaces every value in the text, and what URLs in it carry (CutURLs), by Mask.
func (s *Set) Cut(text string) string {
	return CutURLs(s.replace(text, func(int) string { return Mask }))
}

// replace replaces every value; with gets the index of the pattern. If the reader is
// exhausted the rest of the text counts as one value.
func (s *Set) replace(text string, with func(pattern int) string) string {
	if s == nil || len(s.patterns) == 0 || text == "" {
		return text
	}
	var out strings.Builder
	t := reader{text: text}
	done := 0
	for i := 0; i < len(text); {
		if c := text[i]; !s.starts[c] && c != Mask[0] {
			i++
			continue
		}
		if strings.HasPrefix(text[i:], Mask) {
			i += len(Mask)
			continue
		}
		if !s.starts[text[i]] || s.isOther(&t, i) {
			i++
			continue
		}
		end, which := s.match(&t, i)
		if t.isExhausted() {
			end = len(text)
		}
		if end < 0 {
			i++
			continue
		}
		for j := i + 1; j < end; j++ { // another may begin within it
			further, _ := s.match(&t, j)
			if end = max(end, further); t.isExhausted() {
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

// CutJSON is Cut for the texts in encoded JSON. Invalid JSON is cut as text. JSON
// without secrets is returned byte for byte.
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

// Within returns the values that occur in a text, so that they can be stored with it.
func Within(text string, values []string) (found []string) {
	for _, v := range values {
		if len(New(v).patterns) > 0 && New(v).mark(text) {
			found = append(found, v)
		}
	}
	return found
}

// mark reports whether Cut would change the text.
func (s *Set) mark(text string) bool {
	t := reader{text: text}
	for i := range len(text) {
		if s.starts[text[i]] {
			if end, _ := s.match(&t, i); end >= 0 || t.isExhausted() {
				return true
			}
		}
	}
	return false
}

// match returns the end and index of the longest value at text[i:], -1 if there is
// none.
func (s *Set) match(t *reader, i int) (end, which int) {
	end = -1
	if !utf8.RuneStart(t.text[i]) {
		return end, 0
	}
	for k := range s.patterns {
		if e := s.patterns[k].matchAt(t, i); e > end {
			end, which = e, k
		}
	}
	return end, which
}
