package secret

import (
	"strconv"
	"strings"
)

// Placeholders replaces values by names, for a model that has to refer to them
// without knowing them. A nil Placeholders replaces nothing.
type Placeholders struct {
	set    *Set
	values []string
}

// NewPlaceholders returns placeholders for values: "{secret 1}" for the first, and so
// on.
func NewPlaceholders(values ...string) *Placeholders {
	s := New(values...)
	v := &Placeholders{set: s}
	for _, p := range s.patterns {
		v.values = append(v.values, p.value)
	}
	return v
}

func nameOf(n int) string { return "{secret " + strconv.Itoa(n+1) + "}" }

// Insert replaces the values in a text by their names.
func (v *Placeholders) Insert(text string) string {
	if v == nil {
		return text
	}
	return v.set.replace(text, nameOf)
}

// Has reports whether a text contains one of the names.
func (v *Placeholders) Has(text string) bool { return v != nil && v.Mask(text) != text }

// Reveal replaces the names in a text by their values.
func (v *Placeholders) Reveal(text string) string {
	return v.rename(text, func(n int) string { return v.values[n] })
}

// Mask replaces the names in a text by Mask.
func (v *Placeholders) Mask(text string) string {
	return v.rename(text, func(int) string { return Mask })
}

func (v *Placeholders) rename(text string, with func(n int) string) string {
	if v == nil || !strings.Contains(text, "{secret ") {
		return text
	}
	for n := range v.values {
		text = strings.ReplaceAll(text, nameOf(n), with(n))
	}
	return text
}
