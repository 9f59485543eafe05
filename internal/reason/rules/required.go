package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	val "github.com/stepledger/stepledger/domain/value"
)

// emptyForm are the fields of a form that is on the page when the task gives
// no values: the required ones, else all.
func (v *view) emptyForm() []page.Element {
	var all, required []page.Element
	for _, e := range v.fillable() {
		if v.late() {
			break
		}
		if isField(e) && !v.isSearch(e) && (e.Value == "" || v.isReply(e.Value)) {
			all = append(all, e)
			if e.State.Required {
				required = append(required, e)
			}
		}
	}
	if len(required) > 0 {
		return required
	}
	return all
}

func labels(list []page.Element) []string {
	var out []string
	for _, e := range list {
		out = append(out, label(e))
	}
	return out
}

// askRequired asks for fields the form marks as required, or complains about,
// for which the task gives nothing. Replies of the user fill them in order.
func (v *view) askRequired(found []slot) move {
	return v.askFor(v.wanting(found))
}

// askFor enters what the user replied for these fields, or asks.
func (v *view) askFor(open []page.Element) move {
	given := v.pieces(len(open))
	var missing []page.Element
	for i, e := range open {
		switch {
		case given == nil && (e.Value == "" || v.faulty(e)):
			missing = append(missing, e)
		case given != nil && !v.holds(slot{field: field{name: label(e), value: given[i]}, on: e}):
			return v.fill(slot{field: field{name: label(e), value: given[i]}, on: e, confidence: likely})
		}
	}
	if len(missing) == 0 {
		return move{kind: isDone}
	}
	if says := v.complaint(); says != "" {
		return ask(labels(missing), "The page says: %s What should I enter for %s?", quoted(says), quotedList(labels(missing)))
	}
	return ask(labels(missing), "The form needs more than you told me. What should I enter for %s?", quotedList(labels(missing)))
}

// wanting are the fields of the form the user has to say something about:
// required ones without a value of the task, and those the page complains
// about. They stay on the list while they hold a reply, so that several
// replies find their fields again.
func (v *view) wanting(found []slot) (open []page.Element) {
	for _, e := range v.page.Elements {
		if v.late() {
			break
		}
		if !isField(e) || !usable(e) || e.State.Readonly || v.isSearch(e) || !sameForm(e, found) || v.secretSet(e) {
			continue
		}
		ours := slices.ContainsFunc(found, func(s slot) bool { return s.on.ID == e.ID })
		needed := e.State.Required && !ours && (e.Value == "" || v.isReply(e.Value))
		if needed || v.faulty(e) {
			open = append(open, e)
		}
	}
	return open
}

// faulty reports whether the page complains about what a field holds. A
// complaint from before the field was filled again is stale.
func (v *view) faulty(e page.Element) bool {
	on := v.deedsOn(e)
	for i, d := range slices.Backward(v.past) {
		if d.action.Name == action.Press || d.action.Name == action.Click && !d.sets() {
			break
		}
		if !d.failed && d.sets() && slices.Contains(on, i) {
			return false
		}
	}
	return e.State.Invalid || subset(v.labelKey(label(e)), v.labelKey(v.complaint()))
}

func (v *view) secretSet(e page.Element) bool {
	return e.State.Secret && v.wasEntered(e)
}

// sameForm keeps apart the forms of a page, as far as their groups tell.
func sameForm(e page.Element, found []slot) bool {
	return len(found) == 0 || e.Group == "" || slices.ContainsFunc(found, func(s slot) bool { return s.on.Group == "" || s.on.Group == e.Group })
}

// pieces are the user's replies cut to n values: the last reply as a whole for
// one, its lines or comma-separated parts for several; nil if they do not match.
func (v *view) pieces(n int) []string {
	if n == 0 || len(v.replies) == 0 {
		return nil
	}
	last := v.replies[len(v.replies)-1]
	if n == 1 {
		return []string{last}
	}
	parts := values(last)
	if len(parts) != n {
		return nil
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// isReply reports whether a field holds what the user replied, as a whole or as
// one of several values.
func (v *view) isReply(held string) bool {
	if len(v.replies) == 0 {
		return false
	}
	if v.index.replied == nil {
		v.index.replied = v.lastReplies()
	}
	given := func(s string) bool { return v.isGiven(s, held) }
	return slices.ContainsFunc(v.replies, given) || slices.ContainsFunc(v.index.replied, given)
}

// maxGiven is how many values are compared in all their forms: more than a form has
// fields that could hold a reply. Past that texts have to be the same.
const maxGiven = 10_000

func (v *view) isGiven(asked, held string) bool {
	if v.index.given++; v.index.given > maxGiven {
		return sameText(asked, held)
	}
	return val.Given(asked, held)
}

// maxReplied is how many values of replies are looked for in fields: more than
// anyone is asked for.
const maxReplied = 200

// lastReplies are the values of the replies, those of the latest first.
func (v *view) lastReplies() []string {
	out := []string{}
	for _, r := range slices.Backward(v.replies) {
		out = append(out, values(r)...)
		if len(out) > maxReplied {
			return out[:maxReplied]
		}
	}
	return out
}

// values are the comma-separated parts or lines of a reply.
func values(reply string) []string {
	return strings.FieldsFunc(reply, func(r rune) bool { return r == ',' || r == '\n' || r == ';' })
}
