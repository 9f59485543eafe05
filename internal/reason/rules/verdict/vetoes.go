package verdict

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// vetoes in the order they are asked. One is enough to leave a success open.
var vetoes = []veto{
	{id: "no-answer-yet", against: anyRule, when: []fact{noAnswerYet}, says: "But it has not been answered yet.", example: "train/gestione-hotel/invia-lento"},
	{id: "speaks-of-another", against: onPage, when: []fact{presses, present, not(ownChange), namesOther}, says: "But it speaks of another one.", example: "train/grocers-coop/take-another"},
	{id: "does-not-say-which", against: onPage, when: []fact{click, present, not(ownChange), severalAlike, not(namesItem)}, says: "But it does not say which one it is about.", example: "train/liner-list/add-sorted-row"},
	{id: "another-than-named-gone", against: anyRule, when: []fact{click, goneUnasked}, says: "But what is gone is not what you named.", example: "train/form-forge/delete-neighbour"},
	{id: "stands-at-another", against: inMarkup, when: []fact{click, standsAtAnother}, says: "But it stands at another one.", example: "train/keepers-cottage/accordion-other"},
	{id: "may-not-last", against: onPage, when: []fact{click, noNetwork, not(moved), mustBeKept, not(asksFirst)}, says: "But nothing was sent: it may not last.", example: "train/headphone-shop/wish-back-late"},
}

var (
	// goneUnasked: of those alike one is gone that the user did not name, while one the
	// user named is still there.
	goneUnasked = whole(fact{"took what the user did not name", anotherTaken})
	// standsAtAnother: the text that came stands behind other controls that open
	// something, and not behind the target.
	standsAtAnother = fact{"stands at another control", behindAnother}
	// mustBeKept: its work is to be kept by a server.
	mustBeKept = fact{"must reach a server", func(e *evidence) bool {
		t := e.q.Target
		return t.Role == "switch" || t.Role == "button" && (e.lex.In(lexicon.Keep, e.name) || strings.ContainsAny(e.name, "♡♥❤☆★👍👎🔖"))
	}}
)

// item is what one of several controls alike is about, by its name or by what it holds.
type item struct {
	family
	of string
}

// family are controls alike: of a role, by the first or last word of their names, or by
// all of it.
type family struct{ role, first, last, name string }

// items appends those a control is about: among those whose names begin or end alike,
// and among fields of one name.
func items(list []item, e *evidence, role, name, value string) []item {
	if ws := e.key(name); len(ws) > 1 {
		list = append(list, item{family{role: role, first: ws[0]}, name}, item{family{role: role, last: ws[len(ws)-1]}, name})
	}
	if name != "" && len(e.key(value)) > 1 {
		list = append(list, item{family{role: role, name: name}, value})
	}
	return list
}

// anotherTaken does not hold where more than one is gone: then a list was narrowed, or
// drawn anew.
func anotherTaken(e *evidence) bool {
	families := familiesLacking(e)
	if len(families) == 0 {
		return false
	}
	there, room := map[item]bool{}, make([]item, 0, 3)
	for at := range e.q.Page.Elements {
		el := &e.q.Page.Elements[at]
		for _, i := range items(room, e, el.Role, el.Label(), el.Value) {
			if families[i.family] {
				there[i] = true
			}
		}
	}
	gone, left := map[family][][]string{}, map[family][][]string{}
	for _, d := range e.q.Before.Skeleton.Elements {
		if d.Key == e.q.Target.Key {
			continue
		}
		for _, i := range items(room, e, d.Role, d.Name, d.Value) {
			switch {
			case !families[i.family]:
			case there[i]:
				left[i.family] = append(left[i.family], e.key(i.of))
			default:
				gone[i.family] = append(gone[i.family], e.key(i.of))
			}
		}
	}
	for of, names := range gone {
		named := func(other []string) bool {
			return userSaid(e, text.Apart(other, names[0])) && !userSaid(e, text.Apart(names[0], other))
		}
		if len(names) == 1 && slices.ContainsFunc(left[of], named) {
			return true
		}
	}
	return false
}

// familiesLacking are those of which something may be gone: some element of the page
// before is not on the page as it was.
func familiesLacking(e *evidence) map[family]bool {
	type control struct{ role, name, value string }
	same := make(map[control]bool, len(e.q.Page.Elements))
	for at := range e.q.Page.Elements {
		el := &e.q.Page.Elements[at]
		same[control{el.Role, el.Label(), el.Value}] = true
	}
	lacking := map[family]bool{}
	for _, d := range e.q.Before.Skeleton.Elements {
		if d.Key == e.q.Target.Key || same[control{d.Role, d.Name, d.Value}] {
			continue
		}
		for _, i := range items(nil, e, d.Role, d.Name, d.Value) {
			lacking[i.family] = true
		}
	}
	return lacking
}

// userSaid reports whether the user said one of the words; those of scripts without
// spaces wherever they stand.
func userSaid(e *evidence, ws []string) bool {
	query := strings.ToLower(e.q.Query)
	return slices.ContainsFunc(ws, func(w string) bool {
		return e.user()[w] || len(w) > len([]rune(w)) && strings.Contains(query, w)
	})
}

func behindAnother(e *evidence) bool {
	mine := lineOfTarget(e)
	if mine < 0 || !opener.holds(e) {
		return false
	}
	lines, openers := e.lines(), map[string]bool{}
	for _, el := range e.q.Page.Elements {
		if el.OpensList() && el.Role == e.q.Target.Role {
			openers[el.Label()] = true
		}
	}
	elsewhere := false
	for _, o := range e.texts {
		at := o.Line - 1
		for at >= 0 && at < len(lines) && !openers[lines[at]] {
			at--
		}
		if at == mine {
			return false
		}
		elsewhere = elsewhere || at >= 0
	}
	return elsewhere
}
