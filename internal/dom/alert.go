package dom

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// box is a possible message while its content is being walked. Boxes nest: a toast
// inside a status region, an error text inside a form group of class error. Its
// messages are decided when it closes.
type box struct {
	class    string
	toast    string // data-toast
	byRole   bool
	controls bool // it holds form fields: a part of the form, not a message
	own      bool // it says something outside its inner boxes
	text     []byte
	inner    []page.Alert
}

// isBox reports elements that address the user: role alert or status, the classes
// toast, error, success and alert, data-toast (spec, Semantic Skeleton Diff).
// Elements with such a class for another reason are excluded: the page, a form or
// field in its error state, a button that looks like success.
func isBox(n *html.Node, a *attrs, role string) bool {
	if role == "alert" || role == "status" {
		return true
	}
	if !a.toast && !hasAlertClass(a.class) || interactiveRoles[role] || a.editable {
		return false
	}
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Form, atom.Table, atom.Tbody, atom.Input, atom.Select, atom.Textarea:
		return false
	}
	return true
}

func hasAlertClass(class string) bool {
	for from := 0; from < len(class); { // every element with a class comes by here: strings.Fields is slower
		to := from
		for to < len(class) && !isSpace(class[to]) {
			to++
		}
		switch class[from:to] {
		case "toast", "error", "success", "alert":
			return true
		}
		from = to + 1
	}
	return false
}

// open begins a box, reusing the memory of a closed one.
func (w *walker) open(a *attrs, role string) *box {
	if len(w.boxes) == 0 {
		w.boxes = append(w.boxes, &box{})
	}
	last := len(w.boxes) - 1
	b := w.boxes[last]
	w.boxes = w.boxes[:last]
	*b = box{class: a.class, toast: a.dataToast, byRole: role == "alert" || role == "status", text: b.text[:0]}
	return b
}

// say adds text of the box itself. Past the cap only its length counts.
func (b *box) say(s string) {
	if len(b.text) > 4*maxAlertText {
		return
	}
	n := len(b.text)
	b.text = page.AppendClean(b.text, s)
	if !b.own {
		b.own = hasWord(string(b.text[n:]))
	}
}

func (b *box) space() { b.text = page.AppendSpace(b.text) }

// close decides a box's messages and passes them to the box around it, or to the
// page.
func (w *walker) close(b, outer *box) {
	said := b.messages()
	w.boxes = append(w.boxes, b)
	if outer == nil {
		free := max(0, maxAlerts-len(w.doc.alerts))
		w.doc.alerts = append(w.doc.alerts, said[:min(free, len(said))]...)
		return
	}
	outer.controls = outer.controls || b.controls
	for _, a := range said {
		if len(outer.inner) < maxAlerts {
			outer.inner = append(outer.inner, a)
		}
		own := outer.own
		outer.say(" " + a.Text + " ")
		outer.own = own
	}
}

// messages returns the box as one message, or the messages inside it if it only wraps
// other boxes or is no message itself.
func (b *box) messages() []page.Alert {
	text := strings.TrimSpace(string(b.text))
	long := len([]rune(text)) > maxAlertText
	wraps := len(b.inner) > 0 && !b.own
	notMessage := !b.byRole && (b.controls || long)
	if wraps || notMessage {
		return b.inner
	}
	if !hasWord(text) {
		return nil
	}
	kind := kindByClass(b.class + " " + b.toast)
	for i := 0; kind == "" && i < len(b.inner); i++ {
		kind = b.inner[i].Kind
	}
	return []page.Alert{{Kind: kind, Text: page.Cut(text, maxAlertText)}}
}

// hasWord distinguishes a message from the asterisk of a required field and from
// bullets and icons.
func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// kindByClass reads the kind from class names ("alert-danger", "toast--success"); ""
// if they do not say.
func kindByClass(class string) page.AlertKind {
	words := strings.FieldsFunc(strings.ToLower(class), func(r rune) bool { return r < 'a' || r > 'z' })
	kind := page.AlertKind("")
	for _, w := range words {
		switch w {
		case "error", "errors", "danger", "invalid", "failure", "failed":
			return page.AlertError
		case "success", "ok":
			kind = page.AlertSuccess
		}
	}
	return kind
}

// sortAlerts sets the kind of every message by the words of its page's language.
// Until then the kinds are those of the classes.
func sortAlerts(alerts []page.Alert, words lexicon.Words) {
	for i := range alerts {
		alerts[i].Kind = kindOf(alerts[i], words)
	}
}

// kindOf is the kind of a message. A message marked as an error is one; one marked as
// a success is one unless its words say otherwise; without a mark the words decide.
func kindOf(a page.Alert, words lexicon.Words) page.AlertKind {
	if a.Kind == page.AlertError {
		return a.Kind
	}
	switch says := words.Polarity(a.Text); {
	case says == lexicon.Succeeded:
		return page.AlertSuccess
	case a.Kind == page.AlertSuccess && says != lexicon.Pending && says != lexicon.Question:
		return a.Kind // where it says that it failed, whoever reads it has to see both
	case a.Kind == "" && says == lexicon.Failed && words.Complains(a.Text):
		return page.AlertError
	}
	return page.AlertOther
}
