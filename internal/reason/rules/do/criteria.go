package do

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// criterion is one thing a search is narrowed by: the words that say which field it is
// for, and its value.
type criterion struct {
	words []string
	value string
}

// criteria are what "jazz records played by Blakey from year 1958" is narrowed by: each
// relation with its words, and what stands before the noun.
func criteria(r instruction.Reference) (out []criterion) {
	main := strings.Fields(r.Name.Text)
	if r.Noun != "" && r.Kind == instruction.Thing {
		main = strings.Fields(r.Noun)
	}
	if len(main) > 1 {
		out = append(out, criterion{value: strings.Join(main[:len(main)-1], " ")})
	}
	for _, w := range r.Where {
		name := strings.Fields(strings.TrimSpace(w.To.Noun + " " + w.To.Name.Text))
		if len(name) == 0 {
			continue
		}
		words := append(text.Words(w.Said), w.Is)
		out = append(out, criterion{append(words, text.Words(strings.Join(name[:len(name)-1], " "))...), name[len(name)-1]})
		if len(name) > 1 && !w.To.Name.Quoted {
			continue
		}
		out[len(out)-1].value = strings.Join(name, " ")
	}
	return out
}

// searchForm enters the criteria of a search into the fields of a form that has one for
// each, and sends it. It reports false where the page has no such form.
func (d doing) searchForm() (Move, bool) {
	all := criteria(d.step.Target)
	var fields []page.Element
	for _, e := range d.Page.Elements {
		if e.Usable() && e.IsField() && !e.State.Readonly {
			fields = append(fields, e)
		}
	}
	if len(all) < 2 || len(fields) != len(all) {
		return Move{}, false
	}
	at := make([]int, len(all))
	taken := map[int]bool{}
	for i, c := range all {
		at[i] = slices.IndexFunc(fields, func(e page.Element) bool { return isFor(c.words, e) })
		if at[i] >= 0 {
			taken[at[i]] = true
		}
	}
	for i, c := range all {
		if at[i] < 0 { // the one that is left is for the one that is left
			if at[i] = slices.IndexFunc(fields, func(e page.Element) bool {
				return !taken[slices.IndexFunc(fields, func(x page.Element) bool { return x.ID == e.ID })]
			}); at[i] < 0 || len(taken) != len(all)-1 {
				return Move{}, false
			}
		}
		e := fields[at[i]]
		if value.Holds(c.value, e) == value.Same || d.did(action.SetValue, e, false) {
			continue
		}
		m := d.bring(e, c.value)
		m.For.Completes = false
		return m, true
	}
	if e, ok := d.starter(fields[0]); ok {
		return d.completing(Click(e, Sure, "I'll start the search.", "The results are shown.")), true
	}
	enter := action.Action{Name: action.Press, Text: "Enter"}
	return d.completing(Act(enter, page.Element{}, Likely, "I'll start the search.", "The results are shown.")), true
}

// starter is the only button of the form of a field, or of the page.
func (d doing) starter(field page.Element) (page.Element, bool) {
	if e, ok := d.sender(); ok {
		return e, true
	}
	f := d.Page.FindAmong(instruction.Reference{Kind: "button"}, ground.ToClick, func(e page.Element) bool {
		return e.Role == "button" && e.Form == field.Form && d.untried(e)
	})
	return f.One()
}

// isFor reports whether a field is called by one of the words, or by a word of the same
// stem: "director" for "directed".
func isFor(words []string, e page.Element) bool {
	for _, label := range text.Words(e.Label()) {
		for _, w := range words {
			if w == label || len(w) > stem && len(label) > stem && w[:stem] == label[:stem] {
				return true
			}
		}
	}
	return false
}

// stem is how many letters of long words have to be the same.
const stem = 6
