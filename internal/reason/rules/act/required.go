package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	val "github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// emptyForm are the fields to ask for when the task gives no values: the required ones
// of the form on the page, else all.
func emptyForm(v *View) []page.Element {
	var all, required []page.Element
	for _, e := range fillable(v) {
		if v.late() {
			break
		}
		if e.IsField() && !isSearch(v, e) && (e.Value == "" || isReply(v, e.Value)) {
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
		out = append(out, e.Label())
	}
	return out
}

// askRequired asks for fields that are required or faulty and for which the task gives
// nothing. The user's replies fill them in order.
func askRequired(v *View, found []slot) Move {
	return askFor(v, wanting(v, found))
}

// askFor enters what the user replied for these fields, or asks.
func askFor(v *View, open []page.Element) Move {
	given := replyPieces(v, len(open))
	var missing []page.Element
	for i, e := range open {
		switch {
		case given == nil && (e.Value == "" || faulty(v, e)):
			missing = append(missing, e)
		case given != nil && !holdsValue(v, slot{field: field{name: e.Label(), value: given[i]}, on: e}):
			return fillSlot(v, slot{field: field{name: e.Label(), value: given[i]}, on: e, confidence: likely})
		}
	}
	if len(missing) == 0 {
		return Move{Move: do.Move{Kind: do.IsDone}}
	}
	if says := v.Complaint(); says != "" {
		return ask(labels(missing), "The page says: %s What should I enter for %s?", text.Quoted(says), quotedList(labels(missing)))
	}
	return ask(labels(missing), "The form needs more than you told me. What should I enter for %s?", quotedList(labels(missing)))
}

// wanting are the fields the user has to give a value for: required ones without a
// value of the task, and faulty ones. They stay listed while they hold a reply, so
// that several replies find their fields again.
func wanting(v *View, found []slot) (open []page.Element) {
	for _, e := range v.page.Elements {
		if v.late() {
			break
		}
		if !e.IsField() || !e.Usable() || e.State.Readonly || isSearch(v, e) || !sameForm(e, found) || secretSet(v, e) {
			continue
		}
		ours := slices.ContainsFunc(found, func(s slot) bool { return s.on.ID == e.ID })
		needed := e.State.Required && !ours && (e.Value == "" || isReply(v, e.Value))
		if needed || faulty(v, e) {
			open = append(open, e)
		}
	}
	return open
}

// faulty reports whether the page complains about what a field holds. A complaint from
// before the field was filled again does not count.
func faulty(v *View, e page.Element) bool {
	on := stepsOn(v, e)
	for i, step := range slices.Backward(v.past) {
		if step.action.Name == action.Press || step.action.Name == action.Click && !step.sets() {
			break
		}
		if !step.failed && step.sets() && slices.Contains(on, i) {
			return false
		}
	}
	return e.State.Invalid || text.Subset(v.labelKey(e.Label()), v.labelKey(v.Complaint()))
}

func secretSet(v *View, e page.Element) bool {
	return e.State.Secret && wasEntered(v, e)
}

// sameForm reports whether a field may belong to the same form, as far as groups show.
func sameForm(e page.Element, found []slot) bool {
	return len(found) == 0 || e.Group == "" || slices.ContainsFunc(found, func(s slot) bool { return s.on.Group == "" || s.on.Group == e.Group })
}

// replyPieces cuts the user's last reply into n values: the whole reply for one, its
// lines or comma-separated parts for several; nil if their number differs.
func replyPieces(v *View, n int) []string {
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

// isReply reports whether a field holds what the user replied, as a whole or as one of
// several values.
func isReply(v *View, held string) bool {
	if len(v.replies) == 0 {
		return false
	}
	if v.index.replied == nil {
		v.index.replied = lastReplies(v)
	}
	given := func(s string) bool { return isGivenValue(v, s, held) }
	return slices.ContainsFunc(v.replies, given) || slices.ContainsFunc(v.index.replied, given)
}

// maxGiven is how many values are compared in all their forms: more than a form has
// fields. After that texts have to be the same.
const maxGiven = 10_000

func isGivenValue(v *View, asked, held string) bool {
	if v.index.given++; v.index.given > maxGiven {
		return text.Same(asked, held)
	}
	return val.Given(asked, held)
}

// maxReplied is how many values of replies are looked for in fields: more than anyone
// is asked for.
const maxReplied = 200

// lastReplies are the values of the replies, those of the latest first.
func lastReplies(v *View) []string {
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
