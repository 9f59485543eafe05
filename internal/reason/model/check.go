package model

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/domain/weburl"
)

// checkAction refuses actions the model may not do on this page. The error is written
// for the model.
func checkAction(a action.Action, q reasoning.ActQuestion) error {
	if err := checkClient(a, q); err != nil {
		return err
	}
	if a.Target != "" {
		if err := checkElement(a, q); err != nil {
			return err
		}
	}
	if err := checkDrop(a, q); err != nil {
		return err
	}
	if (a.Name == action.SetValue || a.Name == action.Type) && a.Text == secretMask {
		return fmt.Errorf("%q stands for a value you do not know: ask the user instead", secretMask)
	}
	if a.Name == action.Navigate {
		if err := checkShown(a.Text); err != nil {
			return err
		}
		return checkURL(a.Text, q)
	}
	return nil
}

// secretMask replaces secret values in the history.
const secretMask = secret.Mask

func checkElement(a action.Action, q reasoning.ActQuestion) error {
	p := q.Page
	if a.Name == action.Scroll && slices.Contains(p.Scrollable, a.Target) {
		return nil
	}
	e, ok := p.ByID(a.Target)
	switch {
	case !ok:
		return fmt.Errorf("there is no element %q on the page", a.Target)
	case e.State.Hidden:
		return fmt.Errorf("element %q is hidden", a.Target)
	case a.Name == action.Scroll || a.Name == action.Hover:
		return nil
	case e.State.Disabled:
		return fmt.Errorf("element %q is disabled", a.Target)
	case a.Name == action.SetValue:
		if _, several := value.Lines(a.Text, e); several && q.Client.Has(action.CanChooseSeveral) {
			return nil
		}
		return checkSet(e, a.Text)
	}
	return nil
}

func checkSet(e page.Element, text string) error {
	switch {
	case e.State.Readonly:
		return fmt.Errorf("element %q is readonly", e.ID)
	case slices.Contains([]string{"button", "link", "heading", "img", "tab", "menuitem"}, e.Role):
		return fmt.Errorf("element %q is a %s: nothing can be typed into it", e.ID, e.Role)
	}
	if _, err := value.ForControl(text, e); err != nil {
		return fmt.Errorf("element %q: %w", e.ID, err)
	}
	return nil
}

// checkURL allows the site of the page, hosts the user named, and URLs the page links
// to exactly. Otherwise a page could make the model send what it knows to another
// address.
func checkURL(to string, q reasoning.ActQuestion) error {
	u, err := weburl.Parse(to)
	if err != nil {
		return fmt.Errorf("the address cannot be read")
	}
	if here, err := weburl.Parse(q.Page.URL); err == nil && sameSite(u.Hostname(), here.Hostname()) {
		return nil
	}
	if named(u, renderTask(q.Query, q.Answers)) {
		return nil
	}
	for _, e := range q.Page.Elements {
		if e.Href == to && !e.State.Hidden {
			return nil
		}
	}
	return fmt.Errorf("the address is not of this site, was not named by the user, and the page does not link to it")
}

// sameSite reports whether one host is the other or its subdomain.
func sameSite(a, b string) bool {
	a, b = strings.TrimPrefix(strings.ToLower(a), "www."), strings.TrimPrefix(strings.ToLower(b), "www.")
	if a == "" || b == "" {
		return false
	}
	under := func(sub, host string) bool { return strings.Contains(host, ".") && strings.HasSuffix(sub, "."+host) }
	return a == b || under(a, b) || under(b, a)
}

// named reports whether the user's words name a URL: by its host or, for a front
// page, by the name people use for it ("wikipedia" for en.wikipedia.org). A nickname
// allows the front page only: anybody can own a host with that name, and a URL
// without a path carries nothing away.
func named(u *url.URL, task string) bool {
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	said := strings.FieldsFunc(strings.ToLower(task), notInHost)
	for i := range said {
		said[i] = strings.Trim(said[i], ".")
		if sameSite(host, said[i]) {
			return true
		}
	}
	labels := strings.Split(host, ".")
	if len(labels) == 3 && len(labels[0]) == 2 {
		labels = labels[1:] // a language
	}
	frontPage := strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == ""
	return frontPage && len(labels) == 2 && len(labels[0]) > 3 && slices.Contains(said, labels[0])
}

func notInHost(r rune) bool {
	inHost := r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r > 0x7f
	return !inHost
}
