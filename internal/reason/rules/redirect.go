package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
)

// A reply to the question what was meant names something on the page: that takes
// the place of what was not found.

// redirected is the move of a part with the reply in the place of what m could
// not find. A reply that is not on the page either is said to be missing too.
func (v *view) redirected(p part, m move) (move, bool) {
	if m.seeks == "" {
		return m, false
	}
	for _, r := range slices.Backward(v.replies) {
		ref := reference(r)
		if ref == "" {
			continue
		}
		for _, q := range replacing(p, m, ref) {
			if t := v.part(q); t.kind != isUnknown {
				return t, true
			}
		}
	}
	if n := len(v.replies); n > 0 && len(v.told) == 0 && !v.confirmed() && !v.isUsed(v.replies[n-1]) {
		also := unseen(m.seeks, "find %s: I do not see %s on this page either", m.seeks, quoted(v.replies[n-1]))
		if f, ok := v.further(also); ok {
			return f, true
		}
		return also, true
	}
	return m, false
}

// isUsed reports whether a reply was entered somewhere.
func (v *view) isUsed(reply string) bool {
	return slices.ContainsFunc(v.past, func(d deed) bool {
		return d.action.Name == action.SetValue && sameText(d.action.Text, reply)
	})
}

// replacing are the readings of a part with a reference in the place of what was
// not found: the control it presses, the name of a field or its value, or the way
// to a form.
func replacing(p part, m move, ref string) []part {
	switch {
	case p.verb == press:
		p.object = ref
		return []part{p}
	case p.verb != form:
		return nil
	case m.lacks == (field{}):
		return []part{{verb: press, object: ref}}
	}
	named, valued := p, p
	named.fields, valued.fields = slices.Clone(p.fields), slices.Clone(p.fields)
	for i, f := range p.fields {
		if f == m.lacks {
			named.fields[i].name, valued.fields[i].value = ref, ref
		}
	}
	if m.lacksOption {
		return []part{valued}
	}
	return []part{named}
}

var (
	// leadIns begin a reply and are no part of what it names.
	leadIns = set("no nope yes sorry oh well actually i it its it's that's thats that this is was mean meant called named labelled labeled titled try use instead should be then just please " +
		"click press tap select choose pick take open go to on one with by would like want the a an my says saying reading : , ; .")
	leadOuts = set("button link icon tab menu item entry one field option instead please : , ; . !")
)

// reference is what a reply names, without the words around it.
func reference(reply string) string {
	ts := tokenize(reply)
	if q := slices.IndexFunc(ts, func(t token) bool { return t.quoted }); q >= 0 {
		return ts[q].text
	}
	for len(ts) > 0 && leadIns[ts[0].low] {
		ts = ts[1:]
	}
	for len(ts) > 0 && leadOuts[ts[len(ts)-1].low] {
		ts = ts[:len(ts)-1]
	}
	return strings.TrimSpace(verbatim(reply, ts))
}
