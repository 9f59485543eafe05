package rules

import (
	"cmp"
	"slices"

	"github.com/stepledger/stepledger/domain/page"
)

// form is the next move of a part that fills fields: open the form, enter the
// values in page order, ask for what the form needs and the task does not say,
// send it, and look for proof.
func (v *view) form(p part) move {
	if i, ok := v.rowPress(p); ok {
		return v.press(i)
	}
	found, unsure, absent := v.slots(p)
	sent := v.sentAt(p)
	if p.submit && sent >= 0 {
		if m, settled := v.afterSending(p, found, sent); settled {
			return m
		}
	}
	if len(unsure) > 0 {
		return v.which(fieldName(unsure[0].field), unsure[0].choices)
	}
	for _, s := range found {
		if !v.filled(s) && (isPicked(s.on) || !v.isReply(s.on.Value)) { // a reply replaces what the task said
			return v.withSkill(v.put(s))
		}
	}
	absent = slices.DeleteFunc(absent, v.wasSet)
	if len(found) == 0 && (len(absent) > 0 || len(p.fields) == 0) {
		if m := v.reach(p, absent); m.kind != isDone {
			return m
		}
	}
	if m := v.furtherPage(found, absent); m.kind != isDone {
		return m
	}
	if len(v.in.unclear) > 0 && p.submit {
		return unclear(v.in.unclear)
	}
	if m := v.askRequired(found); m.kind != isDone {
		return m
	}
	if !p.submit {
		return filledIn(p, found)
	}
	return v.send(p, found)
}

func fieldName(f field) string {
	switch {
	case f.name != "":
		return quoted(f.name)
	case f.value != "":
		return quoted(f.value)
	}
	return "the value"
}

// filledIn is a form that is to be filled in and no more. What its fields hold shows it.
func filledIn(p part, found []slot) move {
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
		m.quote = cmp.Or(m.quote, held(s.on))
	}
	return m
}

// held is what a field shows of its value: that it is chosen, where it has none.
func held(e page.Element) string {
	switch {
	case isTick(e) && e.State.Checked == "true", e.State.Selected, e.State.Secret:
		return label(e)
	}
	for _, o := range e.Options {
		if o.Selected {
			return o.Label
		}
	}
	return e.Value
}

// reach gets to a form whose fields are not on this page. A task that gives no
// values (isDone) has reached a form when it is asked what to enter.
func (v *view) reach(p part, absent []field) move {
	switch {
	case p.action == "" && len(absent) == 0:
		return unknown("go on: I do not understand what is to be entered where")
	case p.action == "":
		return noField(absent[0], "page")
	case len(p.fields) == 0:
		if open := v.emptyForm(); len(open) > 0 {
			return v.askFor(open)
		}
	}
	return v.open(p)
}

// furtherPage handles values that have no field here: a form of several pages
// has a button that leads on.
func (v *view) furtherPage(found []slot, absent []field) move {
	if len(absent) == 0 {
		return move{kind: isDone}
	}
	if f := v.leadsOn(); len(f.left) > 0 && len(found) > 0 {
		if m := v.askRequired(found); m.kind != isDone {
			return m
		}
		next, ok := f.one()
		if !ok {
			return v.which("the button that leads on", f.all)
		}
		return v.withSkill(clickOn(next, likely, "I'll go on to the next page of the form.", "The next page of the form is shown."))
	}
	return noField(absent[0], "form")
}

// noField is the move of a value that has no place here.
func noField(f field, where string) move {
	m := unseen("a field for "+fieldName(f), "go on: I see no field for %s on this %s", fieldName(f), where)
	m.lacks = f
	return m
}

var onWords = set("next continue proceed forward")

// leadsOn are the buttons that lead to the next page of a form.
func (v *view) leadsOn() fit {
	return v.best(v.usableControls(), func(e page.Element) float64 {
		if e.Role == "button" && leadsOnName(v.key(label(e))) {
			return 1
		}
		return 0
	}, v.failedClick)
}

func leadsOnName(k []string) bool {
	return len(k) > 0 && onWords[k[0]] && !slices.ContainsFunc(k, func(w string) bool { return submitWords[w] && !onWords[w] })
}
