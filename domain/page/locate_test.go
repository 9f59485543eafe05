package page

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	p := reading("https://a.test/", []Element{
		{ID: "14", Role: "button", Name: "Save changes", Tag: "button", Type: "submit", Anchor: "save"},
		{ID: "15", Role: "textbox", Name: "Email", Value: "a@b.c", Tag: "input", Type: "email", Placeholder: "you@example.org", State: State{Required: true}},
		{ID: "16", Role: "link", Name: "Help", Tag: "a", Href: "/help?x=1"},
		{ID: "17", Role: "button", Name: "Menu", Tag: "button", State: State{Expanded: "true", HasPopup: true}},
		{ID: "18", Role: "button", Name: "Spare", Tag: "button", State: State{Hidden: true}},
		{ID: "19", Role: "textbox", Name: "Password", Tag: "input", Type: "password", State: State{Secret: true}},
	}, Alert{AlertSuccess, "Saved at last"})
	p.Headings, p.Title, p.Text = []string{"Your profile"}, "Profile – Shop", "Thank you for shopping. 東京へようこそ"
	for locator, want := range map[string]Truth{
		`button`:                              True,
		`BUTTON`:                              True,
		`select`:                              False,
		`#save`:                               True,
		`button#save`:                         True,
		`#other`:                              Unknown, // an element may have an id and another anchor
		`select#other`:                        False,
		`[data-testid="save"]`:                True,
		`[data-llm-id='14']`:                  True,
		`button[type=submit]`:                 True,
		`button[ type = "reset" ]`:            False,
		`input[type="email"][required]`:       True,
		`input[type="text"]`:                  False,
		`input[placeholder*="example"]`:       True,
		`input[placeholder^="your"]`:          False,
		`a[href$="x=1"]`:                      True,
		`a[href="/other" i]`:                  False,
		`input[name=email]`:                   Unknown,
		`input[type=password][value="x"]`:     Unknown, // secrets do not tell
		`button[aria-label="save changes"]`:   True,
		`[role="button"][aria-expanded=true]`: True,
		`[role=menuitem]`:                     False,
		`[role="dialog"]`:                     Unknown,
		`[role=alert]`:                        True,
		`[role=alert]:has-text("Saved")`:      True,
		`[role=alert]:has-text("Error")`:      False,
		`button:has-text("Save")`:             True,
		`button:contains('Sav')`:              False,
		`button:text(Menu)`:                   True,
		`button:has-text("Spare")`:            False, // hidden
		`.toast`:                              Unknown,
		`button.primary`:                      Unknown,
		`select.primary`:                      False,
		`button:nth-child(2)`:                 Unknown,
		`button:not(.x:is(a))`:                Unknown,
		`form > button`:                       Unknown,
		`form   select`:                       False,
		`div+ul ~ option`:                     Unknown,
		`*`:                                   Unknown,
		`my-widget`:                           Unknown,
		`select, #save`:                       True,
		`select ,option`:                      Unknown,
		`Save changes`:                        True,
		`save`:                                True,
		`Sav`:                                 False,
		`text=Your profile`:                   True,
		`Thank you`:                           True,
		`Saved at last`:                       True,
		`Profile`:                             True,
		`東京`:                                  True,
		`大阪`:                                  False,
		`Error`:                               False,
		`button[type=`:                        False, // no selector, and no text of the page
		``:                                    False,
		`   `:                                 False,
	} {
		t.Run(locator, func(t *testing.T) {
			t.Parallel()
			if got := Locate(p, locator); got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}

func TestLocate_inATreeWithoutHTML(t *testing.T) {
	t.Parallel()
	p := reading("https://a.test/", []Element{button("1", "Save"), field("2", "Email", "")})
	for locator, want := range map[string]Truth{
		`button`: True, `input`: True, `a`: False, `div`: Unknown, `button[type=submit]`: Unknown, `select[type=x]`: False,
	} {
		if got := Locate(p, locator); got != want {
			t.Errorf("%s: got %d, want %d", locator, got, want)
		}
	}
}

func TestTruth(t *testing.T) {
	t.Parallel()
	all := []Truth{Unknown, False, True}
	for _, a := range all {
		for _, b := range all {
			if a.and(b) != b.and(a) || a.or(b) != a.not().and(b.not()).not() || a.and(b) == True && (a != True || b != True) || a.or(b) == False && (a != False || b != False) {
				t.Errorf("%d and %d: %d, or: %d", a, b, a.and(b), a.or(b))
			}
		}
		if a.and(True) != a || a.or(False) != a {
			t.Errorf("%d is changed by what says nothing", a)
		}
	}
}

// What is on a page is found by its whole name, whatever it is.
func TestLocate_findsEveryName(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		visible := func(s string) bool { return Clean(s) != "" } // there are letters that show nothing
		name := Clean(rapid.StringMatching(`[\p{L}0-9][\p{L}0-9 ]{0,20}`).Filter(visible).Draw(t, "name"))
		p := reading("https://a.test/", []Element{button("1", "Other"), button("2", name)})
		if Locate(p, `button:has-text("`+name+`")`) != True || !says("x "+name+" y", name) {
			t.Fatalf("%q is not found", name)
		}
	})
}

func FuzzLocate(f *testing.F) {
	for _, s := range []string{"button", "#a.b[c='d']:has-text(\"e\")", "a > b , c", ":not(((", "[=", "text=x", "a[b=\"", "é", "\xff#"} {
		f.Add(s)
	}
	p := reading("https://a.test/", []Element{button("1", "Save"), {ID: "2", Role: "link", Name: "É", Href: "/a"}}, Alert{AlertError, "No"})
	f.Fuzz(func(t *testing.T, locator string) {
		if got := Locate(p, locator); got != Locate(p, locator) || got < Unknown || got > True {
			t.Errorf("got %d", got)
		}
		if strings.Contains(locator, ".") || len(locator) > maxSelector {
			return
		}
		if list, ok := parseSelector(locator); ok && len(list) == 0 {
			t.Error("a selector of nothing")
		}
	})
}
