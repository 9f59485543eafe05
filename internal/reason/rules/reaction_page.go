package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// Rules that judge a click by the page it opened.

// pageOpened judges a place that was opened by where the control was to lead.
func (c *evidenceCase) pageOpened() (finding, bool) {
	if !c.clicks() || !c.moved && !c.jumped {
		return silent()
	}
	to := c.q.Page.URL
	switch {
	case c.askedToLogIn():
		return found(0.15, "Instead of it a page to log in was opened: %s", to)
	case c.addressOnly():
		return found(0.25, "The address changed to %s, but the page did not.", to)
	case !c.reacted() && !c.blind():
		return unsure("The address changed to %s, but the page did not.", to)
	case c.jumped:
		return silent()
	case c.badPage() != "":
		return found(0.15, "Another page was opened, which says: %s", quoted(c.badPage()))
	case c.bare(), c.complains() && (c.queried(to) || !c.isAbout(c.q.Page)):
		return unsure("Another page was opened that shows little: %s", to)
	case c.asksForSecret():
		return unsure("A page was opened that asks for a password: %s", to)
	case c.isAboutAnother():
		return unsure("Another page was opened, which is called like another one than %s.", quoted(label(c.q.Target)))
	case c.leadsTo(to), c.isAbout(c.q.Page):
		return found(0.95, "Another page was opened: %s", to)
	case c.q.Target.Role == "link" && namesPage(c.q.Target.Href):
		return unsure("Another page was opened than the one the link names: %s", to)
	case linkRoles[c.q.Target.Role], c.sends() && len(c.filled()) > 0 && !c.stillForm(), c.queried(to):
		return found(0.85, "Another page was opened: %s", to)
	}
	return unsure("Another page was opened, which may not be the one: %s", to)
}

// addressOnly reports that the document is the same as before, that nothing was
// loaded into it, and that nothing but the address is another.
func (c *evidenceCase) addressOnly() bool {
	still := len(c.numbers) == 0 || c.q.Witness.Direct != nil && *c.q.Witness.Direct == 0 // else a count may be what changed
	return c.moved && !c.reacted() && len(c.texts) == 0 && still && !c.blind() && !c.net && c.q.Witness.Direct != nil && !c.noVisibleEffect()
}

// bare reports a page that has hardly anything on it but a few lines of text, and
// lost what the one before had: it may say that there is nothing to see here. One
// that names what the link is called does not.
func (c *evidenceCase) bare() bool {
	says := func(o page.Observation) bool { return c.isAboutTarget(o.To) && !c.lex.Denies(o.To) }
	if linkRoles[c.q.Target.Role] && slices.ContainsFunc(c.texts, says) {
		return false
	}
	return len(c.appeared) <= 1 && len(c.gone) >= 5 && len(c.texts) <= 4 && !c.queried(c.q.Page.URL)
}

// complains reports that one of the few new lines says that something is wrong, or
// is wanted first.
func (c *evidenceCase) complains() bool {
	return len(c.texts) <= 4 && slices.ContainsFunc(c.texts, func(o page.Observation) bool { return c.lex.Polarity(o.To) == lexicon.Failed })
}

// queried reports whether the address asks for what was entered.
func (c *evidenceCase) queried(to string) bool {
	u, err := weburl.Parse(to)
	if err != nil {
		return false
	}
	for _, values := range u.Query() {
		for _, v := range values {
			if slices.ContainsFunc(c.filled(), func(d page.Descriptor) bool { return d.Value == v }) {
				return true
			}
		}
	}
	return false
}

var linkRoles = set("link menuitem treeitem")

// leadsTo reports whether the page open now is the one the link named.
func (c *evidenceCase) leadsTo(to string) bool {
	href := c.q.Target.Href
	if c.q.Target.Role != "link" || href == "" || nowhere(href) {
		return false
	}
	path, _, _ := strings.Cut(href, "#")
	_, path, _ = strings.Cut("/"+path, "//") // without scheme
	if path == "" {
		path = href
	}
	return strings.Contains(place(to), strings.Trim(strings.TrimLeft(path, "./"), "/"))
}

// namesPage reports a link that says where it leads.
func namesPage(href string) bool {
	href = strings.ToLower(strings.TrimSpace(href))
	return href != "" && href != "#" && !strings.HasPrefix(href, "javascript:") && !nowhere(href)
}

// isAbout reports whether a page's title or one of its first two headings says
// what the control is called.
func (c *evidenceCase) isAbout(p page.Page) bool {
	want := key(label(c.q.Target))
	for _, says := range append([]string{p.Title}, p.Headings[:min(len(p.Headings), 2)]...) {
		if subset(want, key(says)) {
			return true
		}
	}
	return false
}

// isAboutAnother reports that one of the first two headings is what another control
// of the page before was called, which is gone now, and none is what the target is
// called.
func (c *evidenceCase) isAboutAnother() bool {
	if c.isAbout(c.q.Page) {
		return false
	}
	return slices.ContainsFunc(c.q.Before.Skeleton.Elements, func(d page.Descriptor) bool {
		name := c.key(d.Name)
		if d.Role != c.q.Target.Role || d.Key == c.q.Target.Key || len(name) < 2 {
			return false
		}
		if _, ok, twins := c.again(d.Key); ok || twins {
			return false
		}
		return slices.ContainsFunc(c.q.Page.Headings[:min(len(c.q.Page.Headings), 2)], func(h string) bool { return subset(name, key(h)) })
	})
}

// badPage is what a page says that shows little else: that something went wrong,
// or that it is not there. An article about such things has more to it.
func (c *evidenceCase) badPage() string {
	if len(c.texts) > 4 || c.isAbout(c.q.Page) || c.queried(c.q.Page.URL) { // a search may find nothing
		return ""
	}
	var says []string
	for _, o := range c.texts {
		if len(words(o.To)) <= 8 {
			says = append(says, o.To)
		}
	}
	if h := c.q.Page.Headings; len(h) > 0 && len(words(h[0])) <= 4 {
		says = append(says, h[0])
	}
	looked := c.q.Action.Name == action.Press || c.lex.In(lexicon.Search, label(c.q.Target)) // what is not found was looked for
	for _, s := range says {
		if c.lex.Reports(s) || c.lex.In(lexicon.NoPage, s) && !looked {
			return s
		}
	}
	return ""
}

// askedToLogIn reports a password field, a field and a button to sign in, or a
// heading that says so, where there were none, and nobody wanted to log in.
func (c *evidenceCase) askedToLogIn() bool {
	if name := label(c.q.Target); c.letsIn(name) || c.asksToSignIn() || c.lex.In(lexicon.Account, name) && c.leadsTo(c.q.Page.URL) {
		return false
	}
	if c.moved && len(c.q.Page.Headings) > 0 && len(words(c.q.Page.Headings[0])) <= 4 && c.lex.In(lexicon.SignIn, c.q.Page.Headings[0]) {
		return true
	}
	field, secret := false, false
	button := slices.ContainsFunc(c.texts, func(o page.Observation) bool { return len(words(o.To)) <= 6 && c.lex.In(lexicon.SignIn, o.To) })
	for _, e := range c.q.Page.Elements {
		if e.State.Hidden || c.had(e.Key) {
			continue
		}
		secret = secret || e.State.Secret
		field = field || e.Role == "textbox"
		button = button || e.Role == "button" && c.lex.In(lexicon.SignIn, label(e))
	}
	return button && (field || secret)
}

// letsIn reports a name of what lets somebody in, known or new.
func (c *evidenceCase) letsIn(name string) bool {
	return c.lex.In(lexicon.SignIn, name) || c.lex.In(lexicon.Register, name)
}

// asksToSignIn reports that the user wanted to.
func (c *evidenceCase) asksToSignIn() bool {
	return c.asksFor(lexicon.SignIn) || c.asksFor(lexicon.Register)
}

// asksForSecret reports a password field where there was none, on a page with little
// else to do, and nobody wanted to log in.
func (c *evidenceCase) asksForSecret() bool {
	if c.letsIn(label(c.q.Target)) || c.asksToSignIn() || len(c.appeared) > 6 {
		return false
	}
	return slices.ContainsFunc(c.q.Page.Elements, func(e page.Element) bool {
		return e.State.Secret && !e.State.Hidden && !c.had(e.Key)
	})
}

// stillForm reports whether a field that was filled in is still there.
func (c *evidenceCase) stillForm() bool {
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Role != "textbox" && d.Role != "combobox" {
			continue
		}
		if _, ok, twins := c.again(d.Key); ok || twins {
			return true
		}
	}
	return false
}
