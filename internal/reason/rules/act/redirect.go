package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// redirected puts the user's reply in the place of what m could not find. A reply that
// is not on the page either is reported missing too.
func redirected(v *View, p part, m Move) (Move, bool) {
	if m.Seeks == "" {
		return m, false
	}
	for _, r := range slices.Backward(v.replies) {
		ref := reference(r)
		if ref == "" {
			continue
		}
		for _, q := range replacing(p, m, ref) {
			if t := nextOfPart(v, q); t.Kind != do.IsUnknown {
				return t, true
			}
		}
	}
	if n := len(v.replies); n > 0 && len(v.told) == 0 && !saidYes(v) && !isUsed(v, v.replies[n-1]) {
		also := unseen(m.Seeks, "find %s: I do not see %s on this page either", m.Seeks, text.Quoted(v.replies[n-1]))
		if f, ok := further(v, also); ok {
			return f, true
		}
		return also, true
	}
	return m, false
}

// isUsed reports whether a reply was entered somewhere.
func isUsed(v *View, reply string) bool {
	return slices.ContainsFunc(v.past, func(step pastStep) bool {
		return step.action.Name == action.SetValue && text.Same(step.action.Text, reply)
	})
}

// replacing returns the ways to put ref in the place of what was not found: the
// control to press, the name of a field or its value, or the way to a form.
func replacing(p part, m Move, ref string) []part {
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
	// leadIns and leadOuts begin and end a reply and are no part of what it names.
	leadIns  = words.Set("lead-in")
	leadOuts = words.Set("lead-out")
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
