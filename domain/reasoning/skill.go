package reasoning

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// MaxSkills is how many skills a question is asked with: more is noise in a
// prompt.
const MaxSkills = 5

// VerificationFailed is the error type of an action that nobody reported an
// error of: it was carried out, and had no effect.
const VerificationFailed = "VERIFICATION_FAILED"

// ErrorType names how an action failed (spec: failedState.errorType): by the
// code the client reported, where that is a code and no text, else by the
// verdict.
func ErrorType(w page.Witness) string {
	if slices.ContainsFunc(w.Refused, func(r page.Refusal) bool { return r.Status == 0 || r.Status >= 500 }) {
		return ServerError
	}
	if w.Error == nil || !isCode(w.Error.Code) {
		return VerificationFailed
	}
	return w.Error.Code
}

// ServerError is the error type of an action whose requests a server failed.
const ServerError = "SERVER_ERROR"

// IsOutage reports an error type that says nothing of the action: what it needed was
// out of reach.
func IsOutage(errorType string) bool {
	return slices.ContainsFunc([]string{"SERVER", "NETWORK", "TIMEOUT", "OFFLINE", "UNAVAILABLE", "DISCONNECTED"}, func(part string) bool {
		return strings.Contains(errorType, part)
	})
}

// maxCode is longer than any code of the HTTP contract.
const maxCode = 40

func isCode(s string) bool {
	if s == "" || len(s) > maxCode {
		return false
	}
	for _, r := range s {
		if (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' {
			return false
		}
	}
	return true
}

// RoleKey is the role of what a press is for: a key, named by itself.
const RoleKey = "key"

// Described is what an action is for, in words that outlive the page: its
// element's, or the key.
func Described(a action.Action, on Target) Target {
	if a.Name == action.Press {
		return Target{Role: RoleKey, Name: a.Text}
	}
	return on
}

// IsFor reports whether an element is what a description means. Of groups that
// are not known nothing is held against it.
func (t Target) IsFor(e page.Element) bool {
	return t.Name != "" && t.means(Target{e.Role, e.Name, e.Group})
}

func (t Target) means(u Target) bool {
	return t.Role == u.Role && page.SameText(t.Name, u.Name) &&
		(t.Group == "" || u.Group == "" || page.SameText(t.Group, u.Group))
}

// On are the elements of a page that a description means, as a person sees them.
func (t Target) On(p page.Page) []page.Element {
	var on []page.Element
	for _, e := range p.Elements {
		if e.ID != "" && !e.State.Hidden && t.IsFor(e) {
			on = append(on, e)
		}
	}
	return on
}

// FitsPage reports whether a skill is about what is on a page: what failed is
// there to be tried, and what worked can be used and is not to be mistaken.
// Keys, and actions for no element, are at hand on every page.
func (s Skill) FitsPage(p page.Page) bool {
	if atAnElement(s.FailedAction, s.FailedTarget) && len(s.FailedTarget.On(p)) == 0 {
		return false
	}
	if !atAnElement(s.UseAction, s.UseTarget) {
		return true
	}
	on := s.UseTarget.On(p)
	return len(on) == 1 && !on[0].State.Disabled
}

// atAnElement reports whether an action needs its element to be found again.
func atAnElement(name string, t Target) bool {
	switch action.Name(name) {
	case action.Click, action.SetValue, action.Hover:
		return true
	case action.Scroll:
		return t != Target{}
	}
	return false
}

// Fitting are the first MaxSkills skills that fit a page, in their order.
func Fitting(skills []Skill, p page.Page) []Skill {
	var fit []Skill
	for _, s := range skills {
		if len(fit) < MaxSkills && s.FitsPage(p) {
			fit = append(fit, s)
		}
	}
	return fit
}

// IDs of skills.
func IDs(skills []Skill) []string {
	var ids []string
	for _, s := range skills {
		ids = append(ids, s.ID)
	}
	return ids
}

// Follows reports whether an action does what a skill says has worked.
func (s Skill) Follows(a action.Action, on Target) bool {
	return s.UseAction == string(a.Name) && s.UseTarget.means(Described(a, on))
}

// Instead is the action that a skill spared: what the one taken stands for. The
// zero value is none.
type Instead struct {
	Action string `json:"action"`
	Target Target `json:"target,omitzero"`
}

// Spared is what an action was taken instead of, by those of the skills shown
// that its reasoner says it used and that it does follow.
func Spared(shown []Skill, used []string, a action.Action, on Target) Instead {
	for _, s := range shown {
		if slices.Contains(used, s.ID) && s.Follows(a, on) {
			return Instead{s.FailedAction, s.FailedTarget}
		}
	}
	return Instead{}
}
