package page

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestVisualWord(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		"click the gear icon in the top right corner": "icon",
		"Click the button next to Cancel":             "next to",
		"What's the price?":                           "what is",
		"what does this chart say":                    "what does",
		"open the THIRD result":                       "third",
		"the colour of the car":                       "color",
		"press the blue button":                       "blue",
		"find the hotel below the map":                "below",
		"the field above, not this one":               "above",
		"enter the first name and the last one":       "last",
		"type 'Jas' into the field beside 'Age'":      "beside",
		"he didn't see it":                            "see",

		"click Preview":                             "",
		"buy a laptop on the desktop site":          "",
		"show\u00adcase":                            "",
		"enter the first name and the last name":    "",
		"First Name: Jas, Last Name: Red?":          "red",
		`add a patient with name "Blue" and save`:   "",
		"add a patient with name 'Red Top'":         "",
		"rename it to “the last picture”":           "",
		"benenne es um in „Show“":                   "",
		"hotels below $100 with a rating above 4":   "",
		"between 5 and 10 dollars":                  "",
		"wait a second":                             "",
		"what was booked in the last year":          "",
		"book a table for two":                      "",
		"pay with the credit card":                  "",
		"klicke auf das Symbol oben rechts":         "",
		"右上のアイコンをクリック":                              "",
		"":                                          "",
		"restock the tables":                        "",
		"a topic on photography and prices, nearby": "",
	} {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			if got := visualWord(task); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestVisualWord_neverWithinAWordOrQuotes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"icon", "top", "last", "red", "see", "next to", "what is"}).Draw(t, "word")
		glue := rapid.SampledFrom([]string{"x", "é", "9", "字"}).Draw(t, "glue")
		for _, task := range []string{`type "` + word + `" here`, glue + word + glue, "go " + word + glue + " on"} {
			if strings.Contains(word, " ") && !strings.Contains(task, `"`) {
				continue
			}
			if got := visualWord(task); got != "" {
				t.Fatalf("%q: %q", task, got)
			}
		}
		if visualWord("go "+word+", please") != word {
			t.Fatalf("%q is not seen", word)
		}
	})
}

func FuzzVisualWord(f *testing.F) {
	for _, s := range []string{`a "b' c`, "“„‘", "what's", "\xff'\xfe'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, task string) {
		if w := visualWord(task); w != "" && visualWord(w) != w {
			t.Errorf("%q of %q is none by itself", w, task)
		}
	})
}

func TestNextMode(t *testing.T) {
	t.Parallel()
	full := reading("https://a.test/", []Element{button("1", "Save")})
	as := func(mode string, p Page) Page { p.Mode = mode; return p }
	hidden := Page{Elements: []Element{{ID: "1", State: State{Hidden: true}}, button("", "Save")}}
	for name, c := range map[string]struct {
		task string
		last Page
		want string
	}{
		"the first capture":                    {"save it", Page{}, ModeSemanticV3},
		"the first capture of a visual task":   {"click the gear icon", Page{}, ModeHybrid},
		"a page that was well":                 {"save it", as(ModeSemantic, full), ModeSemanticV3},
		"a visual task after a semantic page":  {"the button on the left", as(ModeSemanticV3, full), ModeHybrid},
		"an empty minified tree":               {"save it", as(ModeSemanticV3, Page{}), ModeSemantic},
		"one that only has what nobody sees":   {"save it", as(ModeSemanticV3, hidden), ModeSemantic},
		"an empty list":                        {"save it", as(ModeSemantic, Page{}), ModeSkeleton},
		"an empty list of a visual task":       {"the button on the left", as(ModeSemantic, Page{}), ModeHybrid},
		"an empty skeleton":                    {"save it", as(ModeSkeleton, Page{}), ModeFull},
		"an empty skeleton beside a picture":   {"the button on the left", as(ModeHybrid, Page{}), ModeFull},
		"a whole document is not needed twice": {"save it", as(ModeFull, Page{}), ModeSemanticV3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := NextMode(c.task, c.last); got.Mode != c.want || got.Why == "" {
				t.Errorf("got %+v, want %s", got, c.want)
			}
		})
	}
}

func TestNeedFullDOM(t *testing.T) {
	t.Parallel()
	some, none := reading("https://a.test/", []Element{button("1", "Save")}), Page{}
	for name, c := range map[string]struct {
		page   Page
		mode   string
		sought string
		want   string
	}{
		"nothing is missing":                     {some, ModeSemanticV3, "", ""},
		"a page with nothing to act on":          {none, ModeSemanticV3, "", "the page you sent has no element to act on"},
		"an element missing in the tree":         {some, ModeSemanticV3, `button "Confirm"`, "Element not found in the semantic tree"},
		"an element missing in the list":         {some, ModeSemantic, `button "Confirm"`, "Element not found in the semantic tree"},
		"an element missing in the skeleton":     {some, ModeSkeleton, `button "Confirm"`, "Element not found in skeleton"},
		"an element missing beside a picture":    {some, ModeHybrid, `button "Confirm"`, "Element not found in skeleton"},
		"a page of no mode is taken for whole":   {some, "", `button "Confirm"`, ""},
		"an element missing in the whole":        {some, ModeFull, `button "Confirm"`, ""},
		"a whole document with nothing to do in": {none, ModeFull, `button "Confirm"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.page.Mode = c.mode
			if got, need := NeedFullDOM(c.page, c.sought); got != c.want || need != (c.want != "") {
				t.Errorf("got %q, %t", got, need)
			}
		})
	}
}
