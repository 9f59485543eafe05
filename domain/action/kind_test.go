package action

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	click := Action{Name: Click, Target: "1"}
	on := func(role, href string) page.Element { return page.Element{ID: "1", Role: role, Href: href} }
	popup := page.Element{ID: "1", Role: "button", State: page.State{HasPopup: true}}
	went := page.Observation{Kind: page.URLChangedTo}
	item := page.Observation{Kind: page.ElementAppeared, Key: "menuitem|New|"}
	opened := page.Observe(page.Before{}, page.Page{}, page.Witness{DropdownOpened: true})
	for name, c := range map[string]struct {
		action Action
		target page.Element
		seen   []page.Observation
		want   page.ActionKind
	}{
		"navigate":                          {action: Action{Name: Navigate, Text: "https://a.test"}, want: page.KindNavigation},
		"goBack":                            {action: Action{Name: GoBack}, want: page.KindNavigation},
		"a click on a popup":                {click, popup, nil, page.KindDropdown},
		"a popup that led to another page":  {click, popup, []page.Observation{went}, page.KindDropdown},
		"a link that announces a popup":     {click, page.Element{Role: "link", Href: "/a", State: popup.State}, nil, page.KindDropdown},
		"a link":                            {click, on("link", "/patients"), nil, page.KindNavigation},
		"a link without a target":           {click, on("link", ""), nil, page.KindNavigation},
		"a button made of a link":           {click, on("button", "/patients"), nil, page.KindNavigation},
		"a link to a route":                 {click, on("link", "#/inbox"), nil, page.KindNavigation},
		"a link to a place on the page":     {click, on("link", "#top"), nil, page.KindGeneric},
		"a link to nothing":                 {click, on("link", "#"), nil, page.KindGeneric},
		"a link to a script":                {click, on("link", " JavaScript:void(0)"), nil, page.KindGeneric},
		"a link to nothing that opened":     {click, on("link", "#"), []page.Observation{item}, page.KindDropdown},
		"a plain button":                    {click, on("button", ""), nil, page.KindGeneric},
		"a plain button that opened a list": {click, on("button", ""), []page.Observation{item}, page.KindDropdown},
		"a list the client saw open":        {click, on("button", ""), opened, page.KindDropdown},
		"a plain button that led away":      {click, on("button", ""), []page.Observation{went, item}, page.KindNavigation},
		"a button that appeared":            {click, on("button", ""), []page.Observation{{Kind: page.ElementAppeared, Key: "button|OK|"}}, page.KindGeneric},
		"an element that is not known":      {click, page.Element{}, nil, page.KindGeneric},
		"typing into a field with a list":   {Action{Name: SetValue, Target: "1", Text: "x"}, popup, nil, page.KindGeneric},
		"hovering a link":                   {Action{Name: Hover, Target: "1"}, on("link", "/a"), nil, page.KindGeneric},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := KindOf(c.action, c.target, c.seen); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
