package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// movedInList judges a click that was to move one of several things alike: by where
// its control stands among theirs now.
func (c *evidenceCase) movedInList() (finding, bool) {
	want := c.direction(label(c.q.Target))
	if c.q.Action.Name != action.Click || want == 0 || c.moved || !c.present || !c.net && !c.answered() {
		return silent()
	}
	name := quoted(label(c.q.Target))
	before, after := c.order()
	from, to := slices.Index(before, label(c.q.Target)), slices.Index(after, label(c.q.Target))
	switch {
	case from < 0 || len(before) < 2:
		return silent()
	case slices.Equal(before, after) && len(c.appeared)+len(c.gone)+len(c.texts)+len(c.changed) > 0:
		return silent()
	case slices.Equal(before, after):
		return found(0.2, "%s moved nothing.", name)
	case (to-from)*want > 0:
		return found(0.88, "What %s belongs to stands elsewhere now, as asked.", name)
	}
	return found(0.2, "Something was moved, but not what %s belongs to, or not that way.", name)
}

// order is that of the target and of the controls that do the same to other things,
// before and now, as far as they are there on both pages and nobody can mistake them.
func (c *evidenceCase) order() (before, after []string) {
	alike := append(c.sameDeed(), label(c.q.Target))
	alike = slices.DeleteFunc(alike, func(name string) bool { return c.direction(name) != c.direction(label(c.q.Target)) })
	was, is := map[string]int{}, map[string]int{}
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Role == c.q.Target.Role && slices.Contains(alike, d.Name) {
			before = append(before, d.Name)
			was[d.Name]++
		}
	}
	for _, e := range c.q.Page.Elements {
		if name := label(e); e.Role == c.q.Target.Role && slices.Contains(alike, name) {
			after = append(after, name)
			is[name]++
		}
	}
	other := func(name string) bool { return was[name] != 1 || is[name] != 1 }
	return slices.DeleteFunc(before, other), slices.DeleteFunc(after, other)
}

// direction is where a control moves what it belongs to: 1 to the end of the list, -1
// to its beginning, 0 if it does not say.
func (c *evidenceCase) direction(name string) int {
	up, down := c.lex.In(lexicon.Up, name) || strings.ContainsAny(name, "▲↑"), c.lex.In(lexicon.Down, name) || strings.ContainsAny(name, "▼↓")
	switch {
	case up && !down:
		return -1
	case down && !up:
		return 1
	}
	return 0
}
