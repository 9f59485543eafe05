package chain

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/value"
)

// Rule names what a chain must not contain.
type Rule string

// The rules, by the criterion of the specification they serve.
const (
	// Same form or container, and an element that is there and can be used.
	RuleInvalid    Rule = "invalid"
	RuleMissing    Rule = "not_on_page"
	RuleReach      Rule = "out_of_reach"
	RuleContainer  Rule = "other_container"
	RuleSameTarget Rule = "same_target"
	// No navigation.
	RuleNavigation Rule = "may_navigate"
	// No step waits for what another brings.
	RuleOnServer   Rule = "runs_on_server"
	RuleWaits      Rule = "waits"
	RuleFetches    Rule = "fetches"
	RuleNoOption   Rule = "option_not_there_yet"
	RuleDependent  Rule = "depends_on_another"
	RuleTicksOther Rule = "ticks_others"
	// Low risk.
	RuleEndsTask Rule = "ends_task"
	RuleDestroys Rule = "destroys"
	RuleSecret   Rule = "secret"
	RuleUnknown  Rule = "effect_unknown"
	RuleLength   Rule = "length"
)

var whys = map[Rule]string{
	"":             "every action fits",
	RuleInvalid:    "the action is not valid",
	RuleMissing:    "its element is not on the page, or not yet",
	RuleReach:      "its element is hidden, covered, disabled or read-only",
	RuleContainer:  "its element is in another form or part of the page",
	RuleSameTarget: "an action before it is for the same element",
	RuleNavigation: "it may lead to another page",
	RuleOnServer:   "it is no action of the page",
	RuleWaits:      "it waits, so something has to be seen first",
	RuleFetches:    "its element fetches suggestions or results while one types",
	RuleNoOption:   "the list does not have that option, or not yet",
	RuleDependent:  "what can be chosen depends on an action before it",
	RuleTicksOther: "it ticks other boxes as well",
	RuleEndsTask:   "it ends the task",
	RuleDestroys:   "its element speaks of something that cannot be taken back",
	RuleSecret:     "a secret is typed alone",
	RuleUnknown:    "nobody knows what it does before it is done",
	RuleLength:     "the chain is long enough",
}

func (r Rule) why() string { return whys[r] }

// objection returns the rule that keeps an action from being the next of a chain, ""
// if there is none. The element is the action's on the page, zero if it has none.
func objection(c Chain, a action.Action, e page.Element, p page.Page) Rule {
	switch {
	case a.Validate() != nil:
		return RuleInvalid
	case a.EndsTask():
		return RuleEndsTask
	case a.OnServer():
		return RuleOnServer
	case a.Name == action.Wait:
		return RuleWaits
	case action.KindOf(a, e, nil) == page.KindNavigation:
		return RuleNavigation
	case a.Name != action.SetValue && a.Name != action.Click:
		return RuleUnknown // keys go to whatever has the focus; hovering and scrolling bring things up
	case e.ID == "":
		return RuleMissing
	}
	for _, r := range elementRules {
		if r.against(c, a, e, p) {
			return r.rule
		}
	}
	return ""
}

// elementRules are checked in order for an action that types or clicks.
var elementRules = []struct {
	rule    Rule
	against func(Chain, action.Action, page.Element, page.Page) bool
}{
	{RuleReach, outOfReach},
	{RuleSecret, func(_ Chain, _ action.Action, e page.Element, _ page.Page) bool { return e.State.Secret }},
	{RuleDestroys, destroys},
	{RuleUnknown, effectUnknown},
	{RuleTicksOther, ticksOthers},
	{RuleFetches, fetches},
	{RuleNoOption, optionNotThere},
	{RuleSameTarget, func(c Chain, _ action.Action, e page.Element, _ page.Page) bool {
		return slices.ContainsFunc(c, func(i Item) bool { return i.Action.Target == e.ID })
	}},
	{RuleContainer, otherContainer},
	{RuleDependent, dependsOnEarlier},
}

func outOfReach(_ Chain, a action.Action, e page.Element, _ page.Page) bool {
	s := e.State
	return s.Hidden || s.Occluded || s.Disabled || s.Readonly && a.Name == action.SetValue
}

// ticks are the roles that a click only switches on or off.
var ticks = []string{"checkbox", "radio", "switch"}

// fields are the roles a value is put into.
var fields = []string{"textbox", "searchbox", "spinbutton", "slider", "combobox", "listbox"}

// destroys: typed text is harmless, but a chosen option may not be.
func destroys(_ Chain, a action.Action, e page.Element, _ page.Page) bool {
	return destructive.In(e.Name) || destructive.In(e.Placeholder) ||
		len(e.Options) > 0 && destructive.In(a.Text)
}

func effectUnknown(_ Chain, a action.Action, e page.Element, _ page.Page) bool {
	if a.Name == action.Click {
		return !slices.Contains(ticks, e.Role)
	}
	return !slices.Contains(fields, e.Role) || e.Type == "file"
}

// ticksOthers: a click on a box that a master box has already ticked would untick it.
func ticksOthers(_ Chain, _ action.Action, e page.Element, _ page.Page) bool {
	return e.Role == "checkbox" && (e.State.Checked == "mixed" || allOfThem.In(e.Name))
}

// fetches: a box that suggests or searches sends requests while one types.
func fetches(_ Chain, _ action.Action, e page.Element, _ page.Page) bool {
	choice := e.Role == "combobox" || e.Role == "listbox"
	return e.Role == "searchbox" || choice && len(e.Options) == 0 && e.Tag != "select" || !choice && e.State.HasPopup
}

// optionNotThere: a list without the option is filled by something that has to happen
// first.
func optionNotThere(_ Chain, a action.Action, e page.Element, _ page.Page) bool {
	if a.Name != action.SetValue || len(e.Options) == 0 && e.Tag != "select" {
		return false
	}
	_, err := value.Choose(a.Text, e)
	return err != nil
}

// otherContainer: fields of one form belong together, also where it is divided into
// sections or rows. Elements without a named form or region count as being in the
// same one.
func otherContainer(c Chain, _ action.Action, e page.Element, p page.Page) bool {
	if len(c) == 0 {
		return false
	}
	first, _ := p.ByID(c[0].Action.Target)
	sameForm := first.Form != 0 && first.Form == e.Form
	return first.Frame != e.Frame || first.Layer != e.Layer || !sameForm && !page.SameText(first.Group, e.Group)
}

// dependsOnEarlier: the choice of states depends on the country.
func dependsOnEarlier(c Chain, _ action.Action, e page.Element, _ page.Page) bool {
	return slices.ContainsFunc(c, func(i Item) bool {
		return slices.ContainsFunc(hierarchies, func(h hierarchy) bool {
			return h.upper.In(i.Target.Name) && h.lower.In(e.Name)
		})
	})
}
