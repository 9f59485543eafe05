package verdict

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Pages that were opened, by an address or by a click.

var linkRoles = map[string]bool{"link": true, "menuitem": true, "treeitem": true}

var (
	leavesPage  = either(presses, navigates, goesBack)
	loginAsked  = fact{"page asks to log in", asksToLogIn}
	addressOnly = fact{"nothing but the address changed", func(e *evidence) bool {
		still := len(e.numbers) == 0 || e.direct() == 0 // else a count may be what changed
		return e.moved && !e.partial() && !reacted.holds(e) && len(e.texts) == 0 && still && !textUnread.holds(e) && !e.net && sawDirect.holds(e) && !hidesEffect.holds(e)
	}}
	addressIs = fact{"address asked for is open", func(e *evidence) bool {
		return strings.TrimSuffix(e.q.Action.Text, "/") == strings.TrimSuffix(e.q.Page.URL, "/")
	}}
	addressBegins = fact{"address below the one asked for is open", func(e *evidence) bool {
		return strings.HasPrefix(place(e.q.Page.URL), place(e.q.Action.Text))
	}}
	showsLittle = fact{"page shows little", func(e *evidence) bool {
		return bare(e) || fewLinesComplain(e) && (queried.holds(e) || !aboutTarget.holds(e))
	}}
	passwordAsked = fact{"page asks for a password", func(e *evidence) bool {
		return !wantsToSignIn(e) && len(e.appeared) <= 6 && slices.ContainsFunc(e.q.Page.Elements, func(el page.Element) bool {
			return el.State.Secret && !el.State.Hidden && !e.had()[el.Key]
		})
	}}
	// whereLinkLeads: the page open now is the one the link named.
	whereLinkLeads = fact{"address the link names", func(e *evidence) bool { return leadsTo(e, e.q.Page.URL) }}
	linkNamesPage  = fact{"link says where it leads", func(e *evidence) bool { return e.q.Target.Role == "link" && namesPage(e.q.Target.Href) }}
	// aboutTarget: the title or one of the first two headings says what the control is
	// called.
	aboutTarget = fact{"page is called like the target", func(e *evidence) bool {
		want := e.key(e.name)
		return slices.ContainsFunc(titles(e.q.Page), func(says string) bool { return text.Subset(want, e.key(says)) })
	}}
	formLeft = whole(fact{"form sent and gone", func(e *evidence) bool { return sends.holds(e) && len(e.filled) > 0 && !formStays(e) }})
	// queried: the address asks for what was entered.
	queried = fact{"address asks for what was entered", func(e *evidence) bool {
		u, err := weburl.Parse(e.q.Page.URL)
		if err != nil {
			return false
		}
		for _, values := range u.Query() {
			if slices.ContainsFunc(e.filled, func(d page.Descriptor) bool { return slices.Contains(values, d.Value) }) {
				return true
			}
		}
		return false
	}}
)

var pageRules = []rule{
	{id: "login-asked", when: []fact{either(presses, navigates), loginAsked}, chance: 0.15, says: "The page asks to log in first: {url}", example: "train/gate-four/cranes"},
	{id: "address-only", when: []fact{leavesPage, addressOnly}, chance: 0.25, says: "The address changed to {url}, but the page did not.", example: "train/ferry-crew/back-week"},
	{id: "address-without-page", when: []fact{leavesPage, either(moved, both(presses, jumped)), not(reacted), not(textUnread)}, chance: unclear, says: "The address changed to {url}, but the page did not.", example: "train/house-move/back-dead"},
	{id: "address-open", when: []fact{navigates, addressIs}, chance: 0.95, says: "{address} is open.", example: "train/demoapp/navigate"},
	{id: "page-open", when: []fact{either(both(navigates, addressBegins), goesBack), moved}, chance: 0.9, says: "The browser went to another page.", example: "train/handbook/back"},
	{
		id: "address-not-open", when: []fact{navigates, not(moved)}, chance: 0.15, says: "The address did not open: the browser is still on the same page.",
		given: "the address of the page is known",
	},
	{id: "page-shows-little", when: []fact{presses, moved, showsLittle}, chance: unclear, says: "Another page was opened that shows little: {url}", example: "train/second-spine/book-gone"},
	{id: "password-asked", when: []fact{presses, moved, passwordAsked}, chance: unclear, says: "A page was opened that asks for a password: {url}", example: "train/interloan-desk/items-due-login"},
	{id: "page-as-named", when: []fact{presses, moved, either(whereLinkLeads, aboutTarget)}, chance: 0.95, says: "Another page was opened: {url}", example: "train/handbook/link"},
	{id: "page-as-expected", when: []fact{presses, moved, not(linkNamesPage), either(linkLike, formLeft, queried)}, chance: 0.85, says: "Another page was opened: {url}", example: "train/spoke-jobs/filter"},
	{id: "page-unclear", when: []fact{presses, moved}, chance: unclear, says: "Another page was opened, which may not be the one: {url}", example: "train/tawqi-raqmi/fath-akhar"},
}

// titles are what a page calls itself: its title and first two headings.
func titles(p page.Page) []string {
	return append([]string{p.Title}, p.Headings[:min(len(p.Headings), 2)]...)
}

// errorPageOf is what a page that was opened says where it shows an error and little
// else: that something went wrong, or that it is not there. An article about such
// things has more to it, and a search may find nothing.
func errorPageOf(e *evidence) string {
	if says := text.ErrorPage(e.q.Page); says != "" && (e.moved || len(e.gone) > 0) {
		return says
	}
	if !e.moved || len(e.texts) > fewTexts || aboutTarget.holds(e) || queried.holds(e) {
		return ""
	}
	var says []string
	for _, o := range e.texts {
		if len(text.Words(o.To)) <= fewWords {
			says = append(says, o.To)
		}
	}
	if h := e.q.Page.Headings; len(h) > 0 && len(text.Words(h[0])) <= 4 {
		says = append(says, h[0])
	}
	looked := e.q.Action.Name == "press" || e.lex.In(lexicon.Search, e.name) // what is not found was looked for
	for _, s := range says {
		if e.lex.Reports(s) || e.lex.In(lexicon.NoPage, s) && !looked {
			return s
		}
	}
	return ""
}

// bare reports a page that has hardly anything on it but a few lines of text, and
// lost what the one before had: it may say that there is nothing to see here. One
// that names what the link is called does not.
func bare(e *evidence) bool {
	says := func(o page.Observation) bool { return namesTarget(e, o.To) && !e.lex.Denies(o.To) }
	if linkLike.holds(e) && slices.ContainsFunc(e.texts, says) {
		return false
	}
	return len(e.appeared) <= 1 && len(e.gone) >= 5 && len(e.texts) <= fewTexts && !queried.holds(e)
}

// fewLinesComplain reports that one of the few new lines says that something is wrong,
// or is wanted first.
func fewLinesComplain(e *evidence) bool {
	return len(e.texts) <= fewTexts && slices.ContainsFunc(e.texts, func(o page.Observation) bool { return e.lex.Polarity(o.To) == lexicon.Failed })
}

// leadsTo reports whether an address is the one the link named.
func leadsTo(e *evidence, to string) bool {
	href := e.q.Target.Href
	if e.q.Target.Role != "link" || href == "" || leadsNowhere(href) {
		return false
	}
	path, _, _ := strings.Cut(href, "#")
	_, path, _ = strings.Cut("/"+path, "//") // without scheme
	if path == "" {
		path = href
	}
	return strings.Contains(place(to), strings.Trim(strings.TrimLeft(path, "./"), "/"))
}

// namesPage reports an address that says where it leads.
func namesPage(href string) bool {
	href = strings.ToLower(strings.TrimSpace(href))
	return href != "" && href != "#" && !strings.HasPrefix(href, "javascript:") && !leadsNowhere(href)
}

// leadsNowhere reports a link that is known to lead nowhere else: a place on the page,
// a script, a mail or phone program.
func leadsNowhere(href string) bool {
	href = strings.ToLower(strings.TrimSpace(href))
	u, err := weburl.Parse(href)
	if err != nil || href == "" {
		return false
	}
	return len(href) > 1 && strings.HasPrefix(href, "#") && !strings.HasPrefix(href, "#/") && !strings.HasPrefix(href, "#!") ||
		u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "javascript"
}

// asksToLogIn reports a password field, a field and a button to sign in, or a heading
// that says so, where there were none, and nobody wanted to log in.
func asksToLogIn(e *evidence) bool {
	if wantsToSignIn(e) || e.lex.In(lexicon.Account, e.name) && whereLinkLeads.holds(e) {
		return false
	}
	if h := e.q.Page.Headings; e.moved && len(h) > 0 && len(text.Words(h[0])) <= 4 && e.lex.In(lexicon.SignIn, h[0]) {
		return true
	}
	field, secret := false, false
	button := slices.ContainsFunc(e.texts, func(o page.Observation) bool { return len(text.Words(o.To)) <= 6 && e.lex.In(lexicon.SignIn, o.To) })
	for _, el := range e.q.Page.Elements {
		if el.State.Hidden || e.had()[el.Key] {
			continue
		}
		secret = secret || el.State.Secret
		field = field || el.Role == "textbox"
		button = button || el.Role == "button" && e.lex.In(lexicon.SignIn, el.Label())
	}
	return button && (field || secret)
}

// wantsToSignIn reports that the user or the control has to do with it.
func wantsToSignIn(e *evidence) bool {
	return e.lex.In(lexicon.SignIn, e.name) || e.lex.In(lexicon.Register, e.name) || asked(lexicon.SignIn).holds(e) || asked(lexicon.Register).holds(e)
}

// formStays reports whether a field of the page before is still there.
func formStays(e *evidence) bool {
	return slices.ContainsFunc(e.q.Before.Skeleton.Elements, func(d page.Descriptor) bool {
		if d.Role != "textbox" && d.Role != "combobox" {
			return false
		}
		_, ok, twins := e.find(d.Key)
		return ok || twins
	})
}
