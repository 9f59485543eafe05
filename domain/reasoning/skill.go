package reasoning

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// MaxSkills bounds the skills given with a question: more is noise in a prompt.
const MaxSkills = 5

// VerificationFailed is the error type of an action that was carried out without an
// error and had no effect.
const VerificationFailed = "VERIFICATION_FAILED"

// ErrorType names how an action failed (spec: failedState.errorType): the code the
// client reported, if it is a code, or else VerificationFailed or ServerError.
func ErrorType(w page.Witness) string {
	if slices.ContainsFunc(w.Refused, func(r page.Refusal) bool { return r.Status == 0 || r.Status >= 500 }) {
		return ServerError
	}
	if w.Error == nil || !isCode(w.Error.Code) {
		return VerificationFailed
	}
	return w.Error.Code
}

// ServerError is the error type of an action whose requests failed on the server.
const ServerError = "SERVER_ERROR"

// IsOutage reports whether an error type says nothing about the action, because
// something it needed was unreachable.
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

// RoleKey is the role of the Target of a press: its name is the key.
const RoleKey = "key"

// Described returns the target of an action in words that outlive the page: the
// element, or the key.
func Described(a action.Action, on Target) Target {
	if a.Name == action.Press {
		return Target{Role: RoleKey, Name: a.Text}
	}
	return on
}

// IsFor reports whether the description fits an element. An unknown group fits every
// group.
func (t Target) IsFor(e page.Element) bool {
	return t.Name != "" && t.means(Target{e.Role, e.Name, e.Group})
}

func (t Target) means(u Target) bool {
	return t.Role == u.Role && page.SameText(t.Name, u.Name) &&
		(t.Group == "" || u.Group == "" || page.SameText(t.Group, u.Group))
}

// On returns the visible elements of a page the description fits.
func (t Target) On(p page.Page) []page.Element {
	var on []page.Element
	for _, e := range p.Elements {
		if e.ID != "" && !e.State.Hidden && t.IsFor(e) {
			on = append(on, e)
		}
	}
	return on
}

// FitsPage reports whether a skill can be used on a page: the element that failed is
// there, and the one that worked is there and unambiguous. Keys and actions without
// an element fit every page.
func (s Skill) FitsPage(p page.Page) bool {
	if needsElement(s.FailedAction, s.FailedTarget) && len(s.FailedTarget.On(p)) == 0 {
		return false
	}
	if !needsElement(s.UseAction, s.UseTarget) {
		return true
	}
	on := s.UseTarget.On(p)
	return len(on) == 1 && !on[0].State.Disabled
}

// needsElement reports whether an action needs its element on the page.
func needsElement(name string, t Target) bool {
	switch action.Name(name) {
	case action.Click, action.SetValue, action.Hover:
		return true
	case action.Scroll:
		return t != Target{}
	}
	return false
}

// Fitting returns the first MaxSkills skills that fit a page. What the task itself has
// taught is left out: it is in its history, and may have been a mistake of a minute ago.
func Fitting(skills []Skill, p page.Page, task string) []Skill {
	var fit []Skill
	for _, s := range skills {
		if len(fit) < MaxSkills && (s.Task == "" || s.Task != task) && s.FitsPage(p) {
			fit = append(fit, s)
		}
	}
	return fit
}

// IDs returns the ids of skills.
func IDs(skills []Skill) []string {
	var ids []string
	for _, s := range skills {
		ids = append(ids, s.ID)
	}
	return ids
}

// Follows reports whether an action is the one that the skill says works.
func (s Skill) Follows(a action.Action, on Target) bool {
	return s.UseAction == string(a.Name) && s.UseTarget.means(Described(a, on))
}

// Instead is the failing action that a skill avoided, and the skill. The zero value
// is none.
type Instead struct {
	Action string `json:"action"`
	Target Target `json:"target,omitzero"`
}

// InsteadOf returns the action that was avoided, according to the skills that were
// shown, that the reasoner says it used and that the action follows.
func InsteadOf(shown []Skill, used []string, a action.Action, on Target) Instead {
	for _, s := range shown {
		if slices.Contains(used, s.ID) && s.Follows(a, on) {
			return Instead{s.FailedAction, s.FailedTarget}
		}
	}
	return Instead{}
}
