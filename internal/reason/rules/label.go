package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/page"
)

var repeatWords = set("confirm confirmation repeat retype reenter re verify again enter new")

func isRepeat(k []string) bool {
	return slices.ContainsFunc(k, func(w string) bool { return repeatWords[w] && w != "new" })
}

// isName reports whether a field of the task is the name of a person or thing:
// by that name, or without one ("named Jas").
func isName(name string) bool { return name == "" || slices.Equal(labelKey(name), []string{"name"}) }

// partNames are a first and a last name that one given name could mean.
func (v *view) partNames(takes func(page.Element) bool) (out []page.Element) {
	for _, e := range v.fillable() {
		if k := v.labelKey(label(e)); takes(e) && (slices.Equal(k, []string{"firstname"}) || slices.Equal(k, []string{"lastname"})) {
			out = append(out, e)
		}
	}
	return out
}

// apartFrom are the words of k without those of about: k itself where it has none.
func apartFrom(k, about []string) []string {
	if !slices.ContainsFunc(k, func(w string) bool { return slices.Contains(about, w) }) {
		return k
	}
	return apartWords(k, about)
}

// nameScore gives how well fields fit a name the task gives; object is what the
// form is about.
func (v *view) nameScore(name, object string) func(page.Element) float64 {
	want, about := v.labelKey(name), v.key(object)
	again := isRepeat(want)
	return func(e page.Element) float64 { return fieldScore(want, about, v.labelKey(label(e)), again, e) }
}

// fieldScore compares the words of a name with those of a field's label; again says
// that the name is that of a field in which something is entered once more.
func fieldScore(want, about, have []string, again bool, e page.Element) float64 {
	if !again && isRepeat(have) {
		return 0
	}
	bare := func(k []string) []string { return apartFrom(k, about) }
	switch {
	case len(want) == 0: // the main field: add patient 'Jas'
		if main := bare(have); slices.Equal(main, []string{"name"}) || slices.Equal(main, []string{"title"}) || len(main) == 0 && len(have) > 0 {
			return likely
		}
		return 0
	case slices.Equal(want, have):
		return sure
	case len(bare(want)) > 0 && slices.Equal(bare(want), bare(have)):
		return likely + 0.05
	case typeMeans(e) != "" && slices.Equal(want, []string{typeMeans(e)}):
		return likely
	case slices.Equal(want, []string{"phone"}) && slices.Equal(have, []string{"mobile"}), slices.Equal(want, []string{"mobile"}) && slices.Equal(have, []string{"phone"}):
		return possible
	case slices.Equal(want, []string{"name"}):
		return 0 // "Company name" is another name
	case subset(want, have):
		return possible
	}
	return 0
}

// typeMeans is what an input's type says it is for.
func typeMeans(e page.Element) string {
	switch {
	case e.State.Secret || e.Type == "password":
		return "password"
	case e.Type == "email":
		return "email"
	case e.Type == "tel":
		return "phone"
	}
	return ""
}
