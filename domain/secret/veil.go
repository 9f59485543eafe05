package secret

import (
	"strconv"
	"strings"
)

// Veil hides values behind names for them, for whoever has to tell them apart and
// to hand them on, but not to know them: a model. A nil Veil hides nothing.
type Veil struct {
	set    *Set
	values []string
}

// NewVeil makes a veil over values. The first is "{secret 1}", and so on.
func NewVeil(values ...string) *Veil {
	s := New(values...)
	v := &Veil{set: s}
	for _, p := range s.patterns {
		v.values = append(v.values, p.value)
	}
	return v
}

func nameOf(n int) string { return "{secret " + strconv.Itoa(n+1) + "}" }

// Hide is a text with names in place of the values.
func (v *Veil) Hide(text string) string {
	if v == nil {
		return text
	}
	return v.set.replace(text, nameOf)
}

// Hides reports whether a text has a name in it.
func (v *Veil) Hides(text string) bool { return v != nil && v.Blank(text) != text }

// Reveal is a text with the values in place of their names.
func (v *Veil) Reveal(text string) string {
	return v.rename(text, func(n int) string { return v.values[n] })
}

// Blank is a text with Mask in place of the names.
func (v *Veil) Blank(text string) string { return v.rename(text, func(int) string { return Mask }) }

func (v *Veil) rename(text string, with func(n int) string) string {
	if v == nil || !strings.Contains(text, "{secret ") {
		return text
	}
	for n := range v.values {
		text = strings.ReplaceAll(text, nameOf(n), with(n))
	}
	return text
}
