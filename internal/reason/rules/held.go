package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	val "github.com/stepledger/stepledger/domain/value"
)

// fieldValue reads the field itself: what it holds decides, whatever else
// happened on the page. Secret fields do not tell.
func (c *evidenceCase) fieldValue() (finding, bool) {
	if c.q.Action.Name == action.SetValue && !c.present && c.moved && strings.Contains(c.q.Page.URL, c.q.Action.Text) {
		return found(0.9, "The choice led to %s.", c.q.Page.URL)
	}
	if c.q.Action.Name != action.SetValue || !c.present {
		return silent()
	}
	name, want := quoted(label(c.target)), c.q.Action.Text
	if e := c.target; e.State.Secret || c.q.Target.State.Secret {
		return c.secretValue(name)
	}
	switch is := c.holds(want); {
	case is == val.Same:
		return c.kept(name, want)
	case isTick(c.target):
		return unticked(is, name)
	case len(c.target.Options) > 0:
		return c.unselected(name, want)
	case c.target.Value == "":
		return found(0.1, "The field %s is still empty.", name)
	case is == val.CannotTell:
		return unsure("The field %s holds %s, which may be what was entered, or another value.", name, quoted(c.target.Value))
	}
	return found(0.15, "The field %s holds %s instead of what was entered.", name, quoted(c.target.Value))
}

// holds is the test by which the one who enters values goes, too.
func (c *evidenceCase) holds(want string) val.Match {
	if o, ok := optionOf(c.target, want); ok {
		want = o.Label
	}
	return val.Holds(want, c.target)
}

// kept is about a field that holds what was entered: the page may say that this will
// not do.
func (c *evidenceCase) kept(name, want string) (finding, bool) {
	e := c.target
	switch says := c.complaintAbout(e); {
	case says != "":
		return found(0.1, "The field %s holds what was entered, and the page says: %s", name, quoted(says))
	case e.State.Invalid && !c.q.Target.State.Invalid:
		return found(0.12, "The field %s holds what was entered, and the page marks it as wrong.", name)
	case e.State.Invalid:
		return unsure("The field %s holds what was entered, and the page still marks it as wrong.", name)
	case isTick(e):
		return found(0.95, "%s is %s.", name, map[bool]string{true: "on", false: "off"}[e.State.Checked == "true"])
	case len(e.Options) > 0:
		return found(0.97, "%s is selected in %s.", quoted(want), name)
	case c.net && len(c.errors)+len(c.waits) > 0:
		return unsure("The field %s holds what was entered; whether it is kept is open.", name)
	}
	return found(0.97, "The field %s now holds what was entered.", name)
}

// complaintAbout is a new error that names a field, and no other field better.
func (c *evidenceCase) complaintAbout(e page.Element) string {
	for _, says := range slices.Concat(c.complaints, c.errors) {
		own := len(labelKey(label(e)))
		better := func(o page.Element) bool {
			return o.ID != e.ID && isField(o) && len(labelKey(label(o))) > own && about(says, o)
		}
		if about(says, e) && !slices.ContainsFunc(c.q.Page.Elements, better) {
			return says
		}
	}
	return ""
}

func unticked(is val.Match, name string) (finding, bool) {
	if is == val.CannotTell {
		return silent()
	}
	return found(0.1, "%s did not change.", name)
}

func (c *evidenceCase) secretValue(name string) (finding, bool) {
	w := c.q.Witness
	switch {
	case len(c.errors) > 0 || c.target.State.Invalid && !c.q.Target.State.Invalid:
		return silent()
	case isTrue(w.DOMMutated), isTrue(w.ElementFound), isTrue(w.SentinelPassed), w.Status == "success":
		return found(0.85, "%s is a secret field and cannot be read; the browser entered the value without an error.", name)
	}
	return found(0.75, "%s is a secret field and cannot be read; no error was reported.", name)
}

func (c *evidenceCase) unselected(name, want string) (finding, bool) {
	o, ok := optionOf(c.target, want)
	if !ok {
		return found(0.1, "%s has no option %s that can be chosen.", name, quoted(want))
	}
	return found(0.1, "%s is not selected in %s.", quoted(o.Label), name)
}
