package act

import (
	"cmp"
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// nextOfForm is the next move of a part that fills fields: open the form, enter the
// values in page order, ask for what the form needs and the task does not say, send
// it, and look for proof.
func nextOfForm(v *View, p part) Move {
	if i, ok := rowPress(v, p); ok {
		return nextOfPress(v, i)
	}
	found, unsure, absent := slots(v, p)
	sent := sentAt(v, p)
	if p.submit && sent >= 0 {
		if m, settled := afterSending(v, p, found, sent); settled {
			return m
		}
	}
	if len(unsure) > 0 {
		return askWhich(v, fieldName(unsure[0].field), unsure[0].choices)
	}
	for _, s := range found {
		if !isFilled(v, s) && (isPicked(s.on) || !isReply(v, s.on.Value)) { // a reply replaces what the task said
			return withSkill(v, putValue(v, s))
		}
	}
	absent = slices.DeleteFunc(absent, v.wasSet)
	if len(found) == 0 && (len(absent) > 0 || len(p.fields) == 0) {
		if m := reachForm(v, p, absent); m.Kind != do.IsDone {
			return m
		}
	}
	if m := furtherPage(v, found, absent); m.Kind != do.IsDone {
		return m
	}
	if len(v.in.unclear) > 0 && p.submit {
		return unclear(v.in.unclear)
	}
	if m := askRequired(v, found); m.Kind != do.IsDone {
		return m
	}
	if !p.submit {
		return filledIn(p, found)
	}
	return sendForm(v, p, found)
}

func fieldName(f field) string {
	switch {
	case f.name != "":
		return text.Quoted(f.name)
	case f.value != "":
		return text.Quoted(f.value)
	}
	return "the value"
}

// filledIn is the end of a part that only fills a form in. What its fields hold proves
// it.
func filledIn(p part, found []slot) Move {
	var names []string
	for _, f := range p.fields {
		name := f.name
		if f.kind == option || name == "" {
			name = f.value
		}
		names = append(names, name)
	}
	m := done("%s filled in", quotedList(names))
	for _, s := range found {
		m.Quote = cmp.Or(m.Quote, s.on.Shown())
	}
	return m
}

// reachForm opens a form whose fields are not on this page. If the task gives no
// values, it asks for those of the form that is here.
func reachForm(v *View, p part, absent []field) Move {
	switch {
	case p.action == "" && len(absent) == 0:
		return unknown("go on: I do not understand what is to be entered where")
	case p.action == "":
		return noField(absent[0], "page")
	case len(p.fields) == 0:
		if open := emptyForm(v); len(open) > 0 {
			return askFor(v, open)
		}
	}
	return openForm(v, p)
}

// furtherPage goes on to the next page of a form when values have no field on this
// one.
func furtherPage(v *View, found []slot, absent []field) Move {
	if len(absent) == 0 {
		return Move{Move: do.Move{Kind: do.IsDone}}
	}
	if f := leadsOn(v); len(f.left) > 0 && len(found) > 0 {
		if m := askRequired(v, found); m.Kind != do.IsDone {
			return m
		}
		next, ok := f.one()
		if !ok {
			return askWhich(v, "the button that leads on", f.all)
		}
		return withSkill(v, clickOn(next, likely, "I'll go on to the next page of the form.", "The next page of the form is shown."))
	}
	return noField(absent[0], "form")
}

// noField is the move for a value without a field on this page.
func noField(f field, where string) Move {
	m := unseen("a field for "+fieldName(f), "go on: I see no field for %s on this %s", fieldName(f), where)
	m.lacks = f
	return m
}

var onWords = words.Set("leads-on")

// leadsOn finds the buttons that lead to the next page of a form.
func leadsOn(v *View) fit {
	return bestFit(v, usableControls(v), func(e page.Element) float64 {
		if e.Role == "button" && leadsOnName(v.key(e.Label())) {
			return 1
		}
		return 0
	}, v.failedClick)
}

func leadsOnName(k []string) bool {
	return len(k) > 0 && onWords[k[0]] && !slices.ContainsFunc(k, func(w string) bool { return submitWords[w] && !onWords[w] })
}
