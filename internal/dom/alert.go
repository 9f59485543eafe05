package dom

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// box is a possible message while its inside is being walked. Boxes nest: a
// toast inside a status region, an error text inside a form group of class
// error. What is said is decided when a box closes.
type box struct {
	class    string
	toast    string // data-toast
	byRole   bool
	controls bool // it holds form fields: a part of the form, not a message
	own      bool // it says something outside its inner boxes
	text     []byte
	inner    []page.Alert
}

// isBox finds what addresses the user: role alert or status, the classes
// toast, error, success and alert, data-toast (spec, Semantic Skeleton Diff).
// What has one of the classes for another reason is not it: the page, a form or
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

// open begins a box, with the memory of one that was closed.
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

// say adds text of the box itself. Past the cap only its length matters.
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

// close decides what a box said and hands it to the box around it, or to the
// page.
func (w *walker) close(b, outer *box) {
	said := b.said()
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

// said is the box as one message; where it only wraps other boxes, or is no
// message itself, those inside it.
func (b *box) said() []page.Alert {
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
		if k := b.inner[i].Kind; k != page.AlertOther {
			kind = k
		}
	}
	if kind == "" {
		kind = kindByWords(text)
	}
	return []page.Alert{{Kind: kind, Text: page.Cut(text, maxAlertText)}}
}

// hasWord tells a message from the asterisk of a required field and from
// bullets and icons.
func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// kindByClass reads the classes as words ("alert-danger", "toast--success");
// "" if they do not say.
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

// Words by which a message without a telling class is sorted. Errors first: a
// message that knows of both ("could not be saved") is an error.
var (
	errorWords = []string{
		"error", "failed", "failure", "invalid", "incorrect", "denied", "wrong", "expired", "unable", "cannot", "can't",
		"could not", "couldn't", "not found", "not allowed", "try again", "is required", "must be", "rejected", "declined",
	}
	successWords = []string{
		"success", "saved", "thank you", "created", "updated", "sent", "submitted", "completed", "added", "deleted",
		"removed", "confirmed", "done", "placed",
	}
)

func kindByWords(text string) page.AlertKind {
	text = strings.ToLower(text)
	for _, w := range errorWords {
		if strings.Contains(text, w) {
			return page.AlertError
		}
	}
	for _, w := range successWords {
		if strings.Contains(text, w) {
			return page.AlertSuccess
		}
	}
	return page.AlertOther
}
