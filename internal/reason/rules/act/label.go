package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

var repeatWords = words.Set("repeat")

// What fields for names and telephones are called, and what types of inputs are for.
var (
	nameKey      = words.List("name")
	firstNameKey = words.List("name-first")
	lastNameKey  = words.List("name-last")
	mainNames    = words.Set("main-field")
	phones       = words.Set("phone")
	typeNames    = words.Under("type")
)

func isRepeat(k []string) bool {
	return slices.ContainsFunc(k, func(w string) bool { return repeatWords[w] && !newWord[w] })
}

// isName reports whether a field of the task is the name of a person or thing: called
// so, or without a name ("named Jas").
func isName(name string) bool {
	return name == "" || slices.Equal(text.LabelKey(name), nameKey)
}

// partNames are the first-name and last-name fields that one given name could go into.
func partNames(v *View, list []page.Element, takes func(page.Element) bool) (out []page.Element) {
	for _, e := range list {
		if k := v.labelKey(e.Label()); takes(e) && (slices.Equal(k, firstNameKey) || slices.Equal(k, lastNameKey)) {
			out = append(out, e)
		}
	}
	return out
}

// apartFrom is text.Apart, or k itself if it has none of the words.
func apartFrom(k, about []string) []string {
	if !slices.ContainsFunc(k, func(w string) bool { return slices.Contains(about, w) }) {
		return k
	}
	return text.Apart(k, about)
}

// nameScore rates how well fields fit a name the task gives; object is what the form
// is about.
func nameScore(v *View, name, object string) func(page.Element) float64 {
	want, about := v.labelKey(name), v.key(object)
	again := isRepeat(want)
	return func(e page.Element) float64 { return fieldScore(want, about, v.labelKey(e.Label()), again, e) }
}

// fieldScore compares the words of a name with those of a field's label. again says
// that the name is that of a repeated field ("confirm email").
func fieldScore(want, about, have []string, again bool, e page.Element) float64 {
	if !again && isRepeat(have) {
		return 0
	}
	bare := func(k []string) []string { return apartFrom(k, about) }
	switch {
	case len(want) == 0: // the main field: add patient 'Jas'
		if main := bare(have); len(main) == 1 && mainNames[main[0]] || len(main) == 0 && len(have) > 0 {
			return likely
		}
		return 0
	case slices.Equal(want, have):
		return sure
	case len(bare(want)) > 0 && slices.Equal(bare(want), bare(have)):
		return likely + 0.05
	case typeMeans(e) != "" && slices.Equal(want, []string{typeMeans(e)}):
		return likely
	case len(want) == 1 && len(have) == 1 && phones[want[0]] && phones[have[0]]:
		return possible
	case slices.Equal(want, nameKey):
		return 0 // "Company name" is another name
	case text.Subset(want, have):
		return possible
	}
	return 0
}

// typeMeans is what an input's type says it is for.
func typeMeans(e page.Element) string {
	kind := e.Type
	if e.State.Secret {
		kind = "password"
	}
	if names := typeNames[kind]; len(names) > 0 {
		return names[0]
	}
	return ""
}

// nameParts may be in the label of the field for the main value.
var nameParts = words.Set("name-part")

// onlyFieldSlot finds the field for a main value ("named 'X'") when no field is called
// a name: the only text field of the open dialog, or of the form whose button creates
// such a thing; of several, the one whose label is about it.
func onlyFieldSlot(v *View, p part, f field) slot {
	if !isName(f.name) || p.action != "create" {
		return slot{}
	}
	in, known := v.index.made[p.object]
	if !known {
		if v.index.made == nil {
			v.index.made = map[string]func(page.Element) bool{}
		}
		in = formsOf(v, p)
		v.index.made[p.object] = in
	}
	var list []page.Element
	for _, e := range fillable(v) {
		text := e.Role == "textbox" && (e.Type == "" || e.Type == "text")
		if text && !e.State.Readonly && !e.State.Secret && in(e) && !isSearch(v, e) {
			list = append(list, e)
		}
	}
	if len(list) == 1 {
		return slot{on: list[0], confidence: possible}
	}
	object := text.SetOf(v.key(p.object))
	return pickSlot(v, list, func(e page.Element) float64 {
		if k := v.labelKey(e.Label()); slices.ContainsFunc(k, func(w string) bool { return nameParts[w] }) && len(text.Without(k, nameParts, object)) == 0 {
			return possible
		}
		return 0
	})
}

// formsOf says which fields belong to the form that creates the thing: those of the
// dialog on top or, without one, of a form with a button that creates it. A button
// that only says "Add" counts if nothing else can be written into.
func formsOf(v *View, p part) func(page.Element) bool {
	if top := dialogOnTop(v); top > 0 {
		return func(e page.Element) bool { return e.Layer == top }
	}
	makes, elsewhere := map[int]float64{}, map[int]bool{}
	written, score := map[int]bool{}, openScore(v, p)
	for _, e := range v.page.Elements {
		switch {
		case !e.Usable():
		case e.Role == "button" && e.Form > 0:
			makes[e.Form] = max(makes[e.Form], score(e))
		case e.Role == "textbox" && !isSearch(v, e):
			written[e.Form] = true
		}
	}
	for form := range makes {
		elsewhere[form] = len(written) > 1 || len(written) == 1 && !written[form]
	}
	return func(e page.Element) bool {
		return e.Form > 0 && (makes[e.Form] >= opensItemIn || makes[e.Form] >= opensAny && !elsewhere[e.Form])
	}
}
