package verdict

import (
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// What a field holds decides on what was entered, whatever else happened on the page.

var (
	secret     = fact{"secret field", func(e *evidence) bool { return e.target.State.Secret || e.q.Target.State.Secret }}
	holdsValue = fact{"field holds the value", func(e *evidence) bool { return held(e) == value.Same }}
	holdsOther = fact{"field holds another value", func(e *evidence) bool {
		switch held(e) {
		case value.Same:
			return false
		case value.CannotTell:
			return !e.target.IsTick() && (len(e.target.Options) > 0 || e.target.Value == "")
		}
		return true
	}}
	newlyInvalid = fact{"field marked wrong since", func(e *evidence) bool { return e.target.State.Invalid && !e.q.Target.State.Invalid }}
	complained   = fact{"complaint about the field", func(e *evidence) bool { return complaint(e) != "" }}
	// marksWrong: another field, or the target of a click, is marked.
	marksWrong = fact{"a field is marked wrong", func(e *evidence) bool { return len(marked(e)) > 0 }}
)

var fieldRules = []rule{
	{id: "field-holds-other", when: []fact{setsValue, present, not(secret), holdsOther}, chance: 0.12, says: "{field holds}", example: "train/feed/write-cut"},
	{id: "request-refused-typing", when: []fact{setsValue, refusedRequest}, chance: unclear, says: "The server refused something. {refused request}.", example: "train/handbook/version-gone"},
	{id: "request-refused", when: []fact{refusedRequest}, chance: 0.08, says: "The server refused it. {refused request}.", example: "train/feed/post-liar"},
	{
		id: "field-refused", when: []fact{setsValue, present, not(secret), holdsValue, either(complained, newlyInvalid)}, chance: 0.1,
		says:  "The field {now} holds what was entered, and the page {complaint}.",
		given: "a value that the page refuses at once has to be corrected, though the recorded cases call it entered",
	},
	{id: "field-holds-value", when: []fact{setsValue, present, not(secret), holdsValue}, chance: 0.97, says: "{field holds}", example: "train/feed/write"},
	{
		id: "secret-entered", when: []fact{setsValue, present, secret, not(saysError), not(newlyInvalid)}, chance: 0.8,
		says:    "{now} is a secret field and cannot be read; no error was reported.",
		example: "train/settings-home/wifi",
	},
	{
		id: "field-cannot-tell", when: []fact{setsValue, present, not(secret), not(tick)}, chance: unclear,
		says:    "The field {now} holds {value}, which may be what was entered, or another value.",
		example: "train/reply-desk/write-number-masked",
	},
}

// held compares what the field holds with what was entered, by the test by which the
// acting half goes, too.
func held(e *evidence) value.Match {
	want := e.q.Action.Text
	if o, ok := text.OptionOf(e.target, want, e.key); ok {
		want = o.Label
	}
	return value.Holds(want, e.target)
}

// complaint is a new error that names the field, and no other field better.
func complaint(e *evidence) string {
	for _, says := range slices.Concat(e.complaints, e.errors) {
		own := len(text.LabelKey(e.target.Label()))
		better := func(o page.Element) bool {
			return o.ID != e.target.ID && o.IsField() && len(text.LabelKey(o.Label())) > own && text.Names(says, o)
		}
		if text.Names(says, e.target) && !slices.ContainsFunc(e.q.Page.Elements, better) {
			return says
		}
	}
	return ""
}

// marked are the changes by which fields were marked as wrong.
func marked(e *evidence) []page.Observation {
	return slices.DeleteFunc(slices.Concat(e.own, e.changed), func(o page.Observation) bool { return o.Attr != page.AttrInvalid || o.To != "true" })
}
