package ground

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// attributed rates an element by the attributes that can be seen on it alone.
func (p *Page) attributed(with []instruction.Attribute, e page.Element) fit {
	out := fits
	for _, a := range with {
		is, known := p.has(a, e)
		switch {
		case known && !is:
			return fit{}
		case known:
			out.why = join(out.why, a.Property+" "+a.Value)
		case a.Property != "most":
			out.score *= unseen
		}
	}
	return out
}

// unseen is what is left of the score if an attribute cannot be seen.
const unseen = 0.9

// has reports whether an element has an attribute; known is false if the page does not
// show it.
func (p *Page) has(a instruction.Attribute, e page.Element) (is, known bool) {
	label := strings.ToLower(strings.TrimSpace(e.Label()))
	value := strings.ToLower(strings.TrimSpace(a.Value))
	switch a.Property {
	case "starts":
		return strings.HasPrefix(label, value), true
	case "ends":
		return strings.HasSuffix(label, value), true
	case "contains":
		return strings.Contains(label, value), true
	case "colour":
		ws := slices.Concat(text.Words(e.Hint), text.Words(e.Label()), text.Words(e.State.Marks), text.Words(e.Row))
		return true, slices.Contains(ws, value)
	case "state":
		return hasState(value, e)
	}
	return false, false
}

func hasState(state string, e page.Element) (is, known bool) {
	on, ticked := IsOn(e)
	switch state {
	case "checked", "selected":
		return on, ticked || e.State.Selected
	case "unchecked":
		return !on, ticked
	case "disabled":
		return e.State.Disabled, true
	case "enabled":
		return !e.State.Disabled, true
	case "open":
		return e.State.Expanded == "true", e.State.Expanded != ""
	case "closed":
		return e.State.Expanded == "false", e.State.Expanded != ""
	case "empty":
		return e.Value == "", e.IsField()
	case "required":
		return e.State.Required, e.IsField()
	}
	return slices.Contains(text.Words(e.State.Marks+" "+e.Hint), state), slices.Contains(text.Words(e.State.Marks+" "+e.Hint), state)
}

// superlative keeps of candidates those that are the most of something: the largest,
// the cheapest. All are kept if that cannot be told.
func superlative(list []Candidate, with []instruction.Attribute) []Candidate {
	for _, a := range with {
		if a.Property == "most" {
			list = extreme(list, a.Value)
		}
	}
	return list
}

func extreme(list []Candidate, most string) []Candidate {
	measure, ok := measures[most]
	if !ok || len(list) < 2 {
		return list
	}
	var best []Candidate
	var high float64
	for _, c := range list {
		v, known := measure(c.Element)
		if !known {
			continue
		}
		switch order := cmp.Compare(v, high); {
		case len(best) == 0 || order > 0:
			best, high = []Candidate{c}, v
		case order == 0:
			best = append(best, c)
		}
	}
	if len(best) == 0 {
		return list
	}
	for i := range best {
		best[i].Why = append(slices.Clip(best[i].Why), "is the one that is most "+most)
	}
	return best
}

// measures give the number by which an element is the most of something.
var measures = map[string]func(page.Element) (float64, bool){
	"large": size(1), "small": size(-1), "cheap": amount(-1), "dear": amount(1),
	"long":  func(e page.Element) (float64, bool) { return float64(len(e.Label())), e.Label() != "" },
	"short": func(e page.Element) (float64, bool) { return -float64(len(e.Label())), e.Label() != "" },
}

func size(sign float64) func(page.Element) (float64, bool) {
	return func(e page.Element) (float64, bool) {
		if n, ok := onlyNumber(e.Label()); ok && e.Box == nil {
			return sign * n, true
		}
		if e.Box == nil {
			return 0, false
		}
		return sign * e.Box.W * e.Box.H, true
	}
}

// amount is the only number of an element, or of its row.
func amount(sign float64) func(page.Element) (float64, bool) {
	return func(e page.Element) (float64, bool) {
		for _, s := range []string{e.Label(), e.Row, e.Group} {
			if n, ok := onlyNumber(s); ok {
				return sign * n, true
			}
		}
		return 0, false
	}
}

// onlyNumber is the amount of money in a text, or its only number.
func onlyNumber(s string) (float64, bool) {
	var all []float64
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '|' }) {
		n, err := strconv.ParseFloat(strings.ReplaceAll(strings.Trim(w, "$€£.,:;()"), ",", ""), 64)
		if err != nil {
			continue
		}
		if strings.ContainsAny(w, "$€£") {
			return n, true
		}
		all = append(all, n)
	}
	if len(all) == 1 {
		return all[0], true
	}
	return 0, false
}
