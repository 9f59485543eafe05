package action

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/weburl"
)

// Bounds of an action. Texts and ids are counted in characters.
const (
	MaxText        = 10_000
	MaxTarget      = 512
	MaxWaitSeconds = 60
)

// Validate returns the error Parse would return if the action must not reach a
// client: an unknown name, a missing or superfluous field, a wait of nothing or more
// than a minute, an unknown key, a URL that is not absolute http(s) or has
// credentials, control characters, or too long a text.
func (a Action) Validate() error {
	f := formOf(a.Name)
	if f.name == "" {
		return invalid(a, "%q is no action", a.Name)
	}
	if err := a.superfluous(f); err != nil {
		return err
	}
	if err := a.checkTarget(f); err != nil {
		return err
	}
	if err := a.checkText(f); err != nil {
		return err
	}
	if a.Name == Wait && !(a.Seconds > 0 && a.Seconds <= MaxWaitSeconds) {
		return invalid(a, "wait takes more than 0 and at most %d seconds", MaxWaitSeconds)
	}
	return nil
}

func invalid(a Action, format string, args ...any) error {
	e := domain.Errorf(domain.Invalid, domain.CodeActionFormat, format, args...)
	e.Details = map[string]any{"action": string(a.Name), "offset": 0}
	return e
}

func (a Action) superfluous(f form) error {
	switch {
	case a.Target != "" && !f.has(idParam):
		return invalid(a, "%s has no element", a.Name)
	case a.To != "" && !f.has(toParam):
		return invalid(a, "%s has no second element", a.Name)
	case a.Text != "" && !f.has(textParam):
		return invalid(a, "%s has no text", a.Name)
	case a.Seconds != 0 && !f.has(secondsParam):
		return invalid(a, "%s has no seconds", a.Name)
	}
	return nil
}

func (a Action) checkTarget(f form) error {
	switch {
	case a.Target == "" && f.has(idParam) && f.min > 0:
		return invalid(a, "%s needs an element id", a.Name)
	case a.To == "" && f.has(toParam):
		return invalid(a, "%s needs the id of a second element", a.Name)
	case a.Name == Drag && a.To == a.Target:
		return invalid(a, "an element cannot be dragged to itself")
	case a.Name == Scroll && isDirection(a.Target):
		return invalid(a, "%s is a direction and no element to scroll", a.Target)
	}
	for _, id := range []string{a.Target, a.To} {
		switch {
		case utf8.RuneCountInString(id) > MaxTarget:
			return invalid(a, "the element id is longer than %d characters", MaxTarget)
		case !utf8.ValidString(id) || strings.ContainsFunc(id, isControl):
			return invalid(a, "the element id holds control characters or invalid UTF-8")
		}
	}
	return nil
}

func (a Action) checkText(f form) error {
	if !f.has(textParam) {
		return nil
	}
	switch {
	case !utf8.ValidString(a.Text):
		return invalid(a, "the text of %s is not valid UTF-8", a.Name)
	case utf8.RuneCountInString(a.Text) > MaxText:
		return invalid(a, "the text of %s is longer than %d characters", a.Name, MaxText)
	case strings.ContainsFunc(a.Text, forbidden):
		return invalid(a, "the text of %s holds control characters", a.Name)
	}
	switch a.Name {
	case Press:
		if !validKey(a.Text) {
			return invalid(a, "%q is no key: use a named key (Enter, Tab, ArrowDown …) or one character, with Control, Alt, Shift or Meta before it", a.Text)
		}
	case Navigate:
		return a.checkURL()
	case Scroll:
		if a.Text != "" && !isDirection(a.Text) {
			return invalid(a, "scroll goes up or down, not %q", a.Text)
		}
	case Type:
		if a.Text == "" {
			return invalid(a, "type needs a text")
		}
	case Fail, GoogleSearch, VerifySuccess, Upload, Find:
		if strings.TrimSpace(a.Text) == "" {
			return invalid(a, "%s needs a text", a.Name)
		}
	}
	return nil
}

// isControl reports C0, C1 and DEL.
func isControl(r rune) bool { return unicode.IsControl(r) }

// forbidden reports control characters that cannot be typed; line breaks and tabs
// can.
func forbidden(r rune) bool { return isControl(r) && r != '\n' && r != '\t' && r != '\r' }

// checkURL is stricter than browsers, which take a backslash for a slash and drop
// line breaks, so that one string can mean two hosts.
func (a Action) checkURL() error {
	if strings.ContainsFunc(a.Text, func(r rune) bool { return isControl(r) || unicode.IsSpace(r) || r == '\\' }) {
		return invalid(a, "the URL holds spaces, control characters or backslashes")
	}
	u, err := weburl.Parse(a.Text)
	switch {
	case err != nil:
		return invalid(a, "the URL cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return invalid(a, "navigate goes to http and https only")
	case u.Hostname() == "":
		return invalid(a, "the URL has no host")
	case u.User != nil:
		return invalid(a, "the URL carries credentials")
	}
	return nil
}
