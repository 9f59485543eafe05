package verdict

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// subjects are what the words of a rule can name in braces.
var subjects = map[string]func(*evidence) string{
	"target":          func(e *evidence) string { return text.Quoted(e.name) },
	"now":             func(e *evidence) string { return text.Quoted(e.target.Label()) },
	"did":             (*evidence).did,
	"action":          func(e *evidence) string { return string(e.q.Action.Name) },
	"address":         func(e *evidence) string { return e.q.Action.Text },
	"url":             func(e *evidence) string { return e.q.Page.URL },
	"value":           func(e *evidence) string { return text.Quoted(e.target.Value) },
	"field holds":     fieldHolds,
	"complaint":       fieldComplaint,
	"client error":    clientErrorText,
	"client check":    clientCheck,
	"refused request": func(e *evidence) string { r, _ := e.q.Witness.RefusedRequest(); return r.String() },
	"error":           func(e *evidence) string { return firstOf(e.complaints, e.errors) },
	"success":         func(e *evidence) string { return firstOf(e.successes) },
	"wait":            func(e *evidence) string { return firstOf(e.waits) },
	"error page":      func(e *evidence) string { return text.Quoted(errorPageOf(e)) },
	"marked field":    func(e *evidence) string { return inWords(e, marked(e)) },
	"excuse":          func(e *evidence) string { return text.Quoted(excuse(e)) },
	"entered":         func(e *evidence) string { return text.Quoted(shownEntry(e)) },
	"text beside":     func(e *evidence) string { return text.Quoted(textBeside(e)) },
	"outside":         outside,
	"other":           func(e *evidence) string { return text.Quoted(namedOther(e)) },
	"asked by":        func(e *evidence) string { d, _ := askedBy(e); return text.Quoted(d.Name) },
	"own change":      func(e *evidence) string { return inWords(e, e.own) },
	"closed":          func(e *evidence) string { return inWords(e, slices.Concat(e.gone, e.uncovered)) },
	"uncovered":       func(e *evidence) string { return inWords(e, e.uncovered) },
	"change":          func(e *evidence) string { return inWords(e, slices.Concat(e.appeared, e.changed, e.gone, e.texts)) },
	"by itself":       byItself,
	"nothing": func(e *evidence) string {
		if e.q.Before.DOMHash != e.q.Page.DOMHash {
			return "nothing that can be seen"
		}
		return "nothing"
	},
	"state": func(e *evidence) string {
		return map[string]string{"true": "checked", "mixed": "partly checked"}[e.target.State.Checked] + map[bool]string{true: "unchecked"}[e.target.State.Checked == "false" || e.target.State.Checked == ""]
	},
}

// say puts what was seen into the words of a rule.
func (e *evidence) say(words string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(words, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString(subjects[name](e))
		words = after
	}
}

// did is what was done, as a sentence begins.
func (e *evidence) did() string {
	a, what := e.q.Action, text.Quoted(e.name)
	if e.name == "" {
		what = strings.TrimSpace("the " + e.q.Target.Role)
	}
	switch a.Name {
	case action.Press:
		return "I pressed " + a.Text
	case action.Click:
		return "I clicked " + what
	case action.SetValue:
		return "I filled in " + what
	case action.Navigate:
		return "I opened " + a.Text
	case action.GoBack:
		return "I went back"
	}
	return "I did " + string(a.Name)
}

func firstOf(lists ...[]string) string {
	for _, l := range lists {
		if len(l) > 0 {
			return text.Quoted(l[0])
		}
	}
	return ""
}

// states are what an attribute says of an element when it is on, and when it is not.
var states = map[string][2]string{
	page.AttrChecked: {"is on", "is off"}, page.AttrSelected: {"is selected", "is not selected"}, page.AttrExpanded: {"is open", "is closed"},
	page.AttrDisabled: {"cannot be used", "can be used"}, page.AttrInvalid: {"is marked as wrong", "is not marked as wrong any more"},
	page.AttrOccluded: {"is covered", "is not covered any more"}, page.AttrOnHover: {"is not seen any more", "is seen"},
}

// inWords is the first of some observations as a person would say it.
func inWords(e *evidence, list []page.Observation) string {
	if len(list) == 0 {
		return ""
	}
	o := list[0]
	if o.Kind != page.ElementChanged {
		if what := described(o); what != "" && (o.Kind == page.ElementAppeared || o.Kind == page.ElementGone) {
			return what
		}
		return text.Quoted(o.To)
	}
	name := e.target.Label()
	if el, ok, _ := e.find(o.Key); ok {
		name = el.Label()
	}
	switch on := map[bool]int{true: 0, false: 1}[o.To == "true"]; {
	case o.Attr == page.AttrText:
		return text.Quoted(o.From) + " is now called " + text.Quoted(o.To)
	case states[o.Attr] != [2]string{}:
		return text.Quoted(name) + " " + states[o.Attr][on]
	case o.Attr == page.AttrMarks:
		return text.Quoted(name) + " looks otherwise"
	case o.To == "":
		return text.Quoted(name) + " is empty"
	}
	return text.Quoted(name) + " is now " + text.Quoted(o.To)
}

// byItself is what else changed on the page, if anything.
func byItself(e *evidence) string {
	if other := slices.Concat(e.texts, e.numbers, e.covered); len(other) > 0 {
		return "; what changed did so by itself: " + inWords(e, other)
	}
	return ""
}

// clientErrorText is the client's report. Its message may repeat a secret that was to be
// entered.
func clientErrorText(e *evidence) string {
	switch err := e.q.Witness.Error; {
	case err == nil:
		return ""
	case err.Message != "" && !e.q.Target.State.Secret:
		return ": " + text.Quoted(err.Message)
	case err.Code != "":
		return " (" + err.Code + ")"
	}
	return ""
}

func clientCheck(e *evidence) string {
	if says := e.q.Witness.SentinelMessage; says != "" {
		return ": " + text.Quoted(says)
	}
	return ", and nothing on the page shows an effect"
}

// fieldHolds says what a field holds beside what was entered.
func fieldHolds(e *evidence) string {
	t, name, want := e.target, text.Quoted(e.target.Label()), e.q.Action.Text
	same := held(e) == value.Same
	o, offered := text.OptionOf(t, want, e.key)
	switch {
	case t.IsTick() && same:
		return name + " is " + map[bool]string{true: "on", false: "off"}[t.State.Checked == "true"] + "."
	case t.IsTick():
		return name + " did not change."
	case len(t.Options) > 0 && same:
		return text.Quoted(want) + " is selected in " + name + "."
	case len(t.Options) > 0 && !offered:
		return name + " has no option " + text.Quoted(want) + " that can be chosen."
	case len(t.Options) > 0:
		return text.Quoted(o.Label) + " is not selected in " + name + "."
	case same:
		return "The field " + name + " now holds what was entered."
	case t.Value == "":
		return "The field " + name + " is still empty."
	}
	return "The field " + name + " holds " + text.Quoted(t.Value) + " instead of what was entered."
}

func fieldComplaint(e *evidence) string {
	if says := complaint(e); says != "" {
		return "says: " + text.Quoted(says)
	}
	return "marks it as wrong"
}
