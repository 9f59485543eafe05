package reasoning

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/page"
)

// Proof shows that something is done: words and where they were found. The zero value
// proves nothing.
type Proof struct {
	Source ProofSource `json:"source,omitempty"`
	Quote  string      `json:"quote,omitempty"`
}

// ProofSource is where the words of a proof were found.
type ProofSource string

// The sources of a proof.
const (
	OnPage   ProofSource = "page"     // a text, name or value of the page, its title or address
	InChange ProofSource = "change"   // a line of what changed since the action
	InReport ProofSource = "message"  // a message the client saw, which may be gone again
	ByServer ProofSource = "response" // what the server answered
	ByUser   ProofSource = "user"     // what the user replied
)

// ByUserWord is the By of a verdict given by the user.
const ByUserWord = "user"

// Evidence is where proofs are looked for.
type Evidence struct {
	Page         page.Page
	Observations []page.Observation
	Witness      page.Witness
}

// Find looks for a quote as whole words, ignoring case and spacing. A quote of one or
// two letters must be a whole text, since such letters are on every page. A text that
// is part of an error message proves nothing, also where the page repeats it. A line as
// a page is shown to models is found if all of its parts are: what an element has in
// quotation marks (inp "Year" v="1974"), or what stands beside each other in a row
// (t "Order 4711 | placed"). It returns false if the quote is not found.
func (e Evidence) Find(quote string) (Proof, bool) {
	if proof, found := e.find(quote); found {
		return proof, true
	}
	var parts []string
	for i, part := range strings.Split(quote, `"`) {
		if i%2 == 1 {
			parts = append(parts, strings.Split(part, rowMark)...)
		}
	}
	if len(parts) == 0 {
		parts = strings.Split(quote, rowMark)
	}
	var longest Proof
	for _, part := range parts {
		if strings.TrimSpace(part) == "" {
			continue
		}
		proof, found := e.find(part)
		if !found {
			return Proof{}, false
		}
		if len(proof.Quote) >= len(longest.Quote) {
			longest = proof
		}
	}
	return longest, longest.Quote != ""
}

// rowMark stands between the texts of a row where a page is shown to models.
const rowMark = " | "

func (e Evidence) find(quote string) (Proof, bool) {
	q := folded(quote)
	if !hasWordRune(q) {
		return Proof{}, false
	}
	errors, whole := e.errors(), isShort(q)
	in := func(text string) bool {
		text = folded(text)
		for _, message := range errors {
			text = strings.ReplaceAll(text, message, "|")
		}
		return text == q || !whole && containsWords(text, q)
	}
	kept := page.Cut(page.Clean(quote), maxQuote)
	switch {
	case e.onPage(in):
		return Proof{OnPage, kept}, true
	case slices.ContainsFunc(e.Observations, func(o page.Observation) bool { return showsChange(o) && in(o.Text) }):
		return Proof{InChange, kept}, true
	case slices.ContainsFunc(e.Witness.SuccessMessages, in):
		return Proof{InReport, kept}, true
	}
	return Proof{}, false
}

// errors returns the error messages the page shows.
func (e Evidence) errors() (out []string) {
	for _, a := range e.Page.Alerts {
		if text := folded(a.Text); a.Kind == page.AlertError && text != "" {
			out = append(out, text)
		}
	}
	return out
}

// maxQuote bounds a quote, in characters.
const maxQuote = 200

func (e Evidence) onPage(in func(string) bool) bool {
	p := e.Page
	if in(p.Title) || in(p.URL) || in(p.Text) || slices.ContainsFunc(p.Headings, in) {
		return true
	}
	if slices.ContainsFunc(p.Alerts, func(a page.Alert) bool { return a.Kind != page.AlertError && in(a.Text) }) {
		return true
	}
	return slices.ContainsFunc(p.Elements, func(el page.Element) bool {
		return !el.State.Hidden && (in(el.Name) || in(el.Value) || slices.ContainsFunc(el.Options, func(o page.Option) bool {
			return o.Selected && in(o.Label)
		}))
	})
}

// showsChange reports whether an observation is a change of the page. Network traffic
// and "nothing changed" prove nothing.
func showsChange(o page.Observation) bool {
	switch o.Kind {
	case page.ElementAppeared, page.ElementGone, page.ElementChanged, page.TextAppeared, page.URLChangedTo, page.AlertGone:
		return true
	case page.AlertAppeared, page.Witnessed:
		return o.Alert == page.AlertSuccess || o.Kind == page.AlertAppeared && o.Alert != page.AlertError || o.OpensList()
	}
	return false
}

// Best returns the best proof among the changes after a successful action: what the
// reason quotes, or else the strongest observation. Words that are only on the page
// are not used: they may be the label of what was pressed.
func (e Evidence) Best(reason string) (Proof, bool) {
	changes := e
	changes.Page = page.Page{Alerts: e.Page.Alerts}
	for _, quote := range quotes(reason) {
		if p, ok := changes.Find(quote); ok {
			return p, true
		}
	}
	for _, kind := range []page.ObservationKind{
		page.AlertAppeared, page.Witnessed, page.ElementChanged, page.TextAppeared, page.URLChangedTo, page.ElementAppeared, page.ElementGone,
	} {
		for _, o := range e.Observations {
			if o.Kind == kind && showsChange(o) {
				return Proof{InChange, page.Cut(o.Text, maxQuote)}, true
			}
		}
	}
	return Proof{}, false
}

// quotes returns the texts in quotation marks.
func quotes(s string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(s, "“")
		if !ok {
			return out
		}
		quote, after, ok := strings.Cut(rest, "”")
		if !ok {
			return out
		}
		out, s = append(out, strings.TrimSuffix(quote, "…")), after
	}
}

// folded is a text in lower case with single spaces between its words.
func folded(s string) string {
	var out strings.Builder
	for i := range len(s) { // every text of a page is looked at, and most are ASCII
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			return strings.Join(strings.Fields(strings.ToLower(s)), " ")
		case c == ' ' || c >= '\t' && c <= '\r':
			continue
		}
		if out.Len() == 0 {
			out.Grow(len(s))
		} else if before := s[i-1]; before == ' ' || before >= '\t' && before <= '\r' {
			out.WriteByte(' ')
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		out.WriteByte(c)
	}
	return out.String()
}

// hasWordRune reports whether a quote has a letter or digit.
func hasWordRune(q string) bool { return strings.ContainsFunc(q, isWordRune) }

// isShort reports whether a quote is so short that it is on most pages.
func isShort(q string) bool {
	letters, enough := 0, 3
	for _, r := range q {
		switch {
		case unicode.IsDigit(r):
			return false
		case unicode.IsLetter(r):
			letters++
		}
		if spaceless(r) {
			enough = 2
		}
	}
	return letters < enough
}

// containsWords reports whether text contains q as whole words and numbers. In
// scripts without spaces any place counts.
func containsWords(text, q string) bool {
	_, first := utf8.DecodeRuneInString(q)
	for from := 0; ; {
		i := strings.Index(text[from:], q)
		if i < 0 {
			return false
		}
		at := from + i
		if !isInsideWord(text, at) && !isInsideWord(text, at+len(q)) {
			return true
		}
		from = at + first
	}
}

// isInsideWord reports whether a position is within a word or a number.
func isInsideWord(text string, at int) bool {
	a, n := utf8.DecodeLastRuneInString(text[:at])
	b, m := utf8.DecodeRuneInString(text[at:])
	if n == 0 || m == 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at-n])
	after, _ := utf8.DecodeRuneInString(text[at+m:])
	switch {
	case unicode.IsDigit(a) && isNumberSeparator(b):
		return unicode.IsDigit(after)
	case isNumberSeparator(a) && unicode.IsDigit(b):
		return unicode.IsDigit(before)
	}
	return isWordRune(a) && isWordRune(b) && !spaceless(a) && !spaceless(b)
}

// isNumberSeparator reports whether r separates digits of a number: 1,500.00.
func isNumberSeparator(r rune) bool { return r == '.' || r == ',' }

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
