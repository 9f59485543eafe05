package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/dom"
)

// scene is a page as its author wrote it, and what the rules do on it. Every
// action of a scene has worked when the next one comes.
type scene struct{ html, want string }

// play works a task through pages one after the other.
func play(t *testing.T, query string, answers []string, scenes ...scene) {
	t.Helper()
	var steps []reasoning.Step
	var obs []page.Observation
	var last page.Page
	for i, s := range scenes {
		p, err := dom.Reader{}.Read(page.Capture{URL: "https://site.test/", DOM: s.html})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			obs = page.Observe(last.Before(), p, page.Witness{})
		}
		a, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: query, Answers: answers, Page: p, Steps: steps, LastObservations: obs})
		if err != nil {
			t.Fatal(err)
		}
		got := a.Action.String()
		switch {
		case a.UserQuestion != "":
			got = "asks: " + a.UserQuestion
		case a.Undecided:
			got = "does not know: " + a.Reason
		}
		if got != s.want && (!strings.HasSuffix(s.want, "…") || !strings.HasPrefix(got, strings.TrimSuffix(s.want, "…"))) {
			t.Fatalf("scene %d:\n got %s\nwant %s", i+1, got, s.want)
		}
		e, _ := p.ByID(a.Action.Target)
		steps = append(steps, reasoning.Step{Index: i, Action: a.Action, Target: page.Describe(e), Verified: true, Succeeded: true, For: a.For, Key: e.Key})
		last = p
	}
}

// ask1 is a task with the only scene in which it is asked about.
type ask1 struct{ query, html, want string }

func plays(t *testing.T, cases map[string]ask1) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, tc.query, nil, scene{tc.html, tc.want})
		})
	}
}

func TestAct_LabelOfAHiddenField(t *testing.T) {
	t.Parallel()
	plays(t, map[string]ask1{
		"not displayed":       {"tick I agree to the terms", `<input id=c type=checkbox style="display:none"><label id=l for=c>I agree to the terms</label>`, `click("l")`},
		"hidden attribute":    {"tick I agree to the terms", `<input id=c type=checkbox hidden><label id=l for=c>I agree to the terms</label>`, `click("l")`},
		"off the screen":      {"check 'Remember me'", `<label id=l for=c>Remember me</label><input id=c type=checkbox style="position:absolute;left:-9999px">`, `click("l")`},
		"clipped by a class":  {"check 'Remember me'", `<input id=c type=checkbox class="sr-only"><label id=l for=c>Remember me</label>`, `click("l")`},
		"by the style sheet":  {"check 'Remember me'", `<style>.x{display:none}</style><input id=c type=checkbox class=x><label id=l for=c>Remember me</label>`, `click("l")`},
		"transparent":         {"check 'Remember me'", `<input id=c type=checkbox style="opacity:0"><label id=l for=c>Remember me</label>`, `click("l")`},
		"the label around it": {"check 'Remember me'", `<label data-llm-id=7><input type=checkbox style="display:none"> Remember me</label>`, `click("7")`},
		"a radio button":      {"select Express for Shipping", `<fieldset><legend>Shipping</legend><input id=a type=radio name=s hidden><label id=la for=a>Standard</label><input id=b type=radio name=s hidden><label id=lb for=b>Express</label></fieldset>`, `click("lb")`},
		"a file field":        {"click Upload photo", `<input id=f type=file style="display:none"><label id=l for=f>Upload photo</label>`, `click("l")`},
		"the client's own id": {"check 'Remember me'", `<input data-llm-id=4 id=c type=checkbox style="display:none"><label id=l for=c>Remember me</label>`, `click("4")`},
		"ticked already":      {"check 'Remember me'", `<input id=c type=checkbox hidden checked><label id=l for=c>Remember me</label>`, `finish("Done: “Remember me” filled in.")`},
		"a hidden label":      {"check 'Remember me'", `<div hidden><input id=c type=checkbox><label id=l for=c>Remember me</label></div>`, "does not know: …"},
	})
}

func TestAct_WhateverHasTheClientsID(t *testing.T) {
	t.Parallel()
	plays(t, map[string]ask1{
		"a box":                     {"click Preferences", `<div data-llm-id=2>Preferences</div>`, `click("2")`},
		"a span":                    {"open Preferences", `<span data-llm-id=2>Preferences</span>`, `click("2")`},
		"a row":                     {"open Kim", `<table><tr data-llm-id=1><td>Ann<td>4</tr><tr data-llm-id=2><td>Kim<td>5</tr></table>`, `click("2")`},
		"a link without an address": {"click Preferences", `<a data-llm-id=3>Preferences</a>`, `click("3")`},
		"the page's own id":         {"click Preferences", `<a id=p>Preferences</a>`, `click("p")`},
		"a button before a box":     {"click Save", `<div data-llm-id=1>Save</div><button data-llm-id=2>Save</button>`, `click("2")`},
		"a way to a form":           {"add a new patient named Jas", `<div data-llm-id=2>New patient</div>`, `click("2")`},
	})
	for name, role := range map[string]string{"div": "div", "span": "span", "tr": "tr", "generic": "generic", "li": "li", "cell": "td", "img": "img"} {
		t.Run("tree "+name, func(t *testing.T) {
			t.Parallel()
			p, err := dom.Reader{}.Read(page.Capture{URL: "https://site.test/", Tree: []page.NodeV3{{ID: "5", Role: role, Name: "Preferences"}, {ID: "6", Role: "btn", Name: "Other"}}})
			if err != nil {
				t.Fatal(err)
			}
			if got := oneAct(t, reasoning.ActQuestion{Client: able, Query: "click Preferences", Page: p}); !strings.HasPrefix(got, "click ") || !strings.Contains(got, "Preferences") {
				t.Error(got)
			}
		})
	}
}

// each repeats a row for names, counting ids up from 1.
func each(row string, names ...string) string {
	var b strings.Builder
	for i, n := range names {
		fmt.Fprintf(&b, row, n, i+1)
	}
	return b.String()
}

func TestAct_ChoosesByTheNeighbour(t *testing.T) {
	t.Parallel()
	products := []string{"Product 1", "Product 2", "Product 3", "Product 4", "Product 5"}
	plays(t, map[string]ask1{
		"an item with a link":    {"click Add to cart for Product 3", `<ul>` + each(`<li><a>%s</a><button id=%d>Add to cart</button></li>`, products...) + `</ul>`, `click("3")`},
		"said as a wish":         {"add Product 3 to the cart", `<ul>` + each(`<li><a>%s</a><button id=%d>Add to cart</button></li>`, products...) + `</ul>`, `click("3")`},
		"cards":                  {"click Add to cart for Product 2", each(`<div class=card><img src=x><div class=body><h3>%s</h3><p>$5</p></div><div class=foot><button id=%d>Add to cart</button></div></div>`, products...), `click("2")`},
		"rows of boxes":          {"click Disconnect for Figma", `<div>` + each(`<div><div>%s</div><button data-llm-id=%d>Disconnect</button></div>`, "Slack", "Figma") + `</div>`, `click("2")`},
		"verb and neighbour":     {"remove Figma", `<div>` + each(`<div><div>%s</div><div><button data-llm-id=%d>Remove</button></div></div>`, "Slack", "Figma", "Jira") + `</div>`, `click("2")`},
		"behind the controls":    {"delete Kim", `<div>` + each(`<div><span>%s</span><div><button data-llm-id=%d>Delete</button></div></div>`, "Ann", "Kim") + `</div>`, `click("2")`},
		"an image's alternative": {"click Buy for Red lamp", each(`<div><img alt="%s"><button id=%d>Buy</button></div>`, "Blue lamp", "Red lamp"), `click("2")`},
		"not the first text":     {"delete Kim", `<table>` + each(`<tr><td>17<td>%s<td><button id=%d>Delete</button></tr>`, "Ann", "Kim") + `</table>`, `click("2")`},
		"a toggle in a row":      {"tick Push notifications", each(`<div><b>%s</b> <input type=checkbox id=%d></div>`, "Mail", "Push notifications"), `click("2")`},
		"no such row":            {"click Disconnect for Miro", `<div>` + each(`<div><div>%s</div><button data-llm-id=%d>Disconnect</button></div>`, "Slack", "Figma") + `</div>`, "does not know: …"},
		"two rows of that name":  {"delete Kim", each(`<div><i>%s</i><button id=%d>Delete</button></div>`, "Kim Lee", "Kim Park"), `asks: I found more than one match for “delete Kim”: button "Delete" in “Kim Lee”, button "Delete" in “Kim Park”. Which one do you mean?`},
	})
}

func TestAct_AuthorsWordsTellApart(t *testing.T) {
	t.Parallel()
	plays(t, map[string]ask1{
		"a title":              {"click Remove allergy", `<button id=1 title="Remove medication">Remove</button><button id=2 title="Remove allergy">Remove</button>`, `click("2")`},
		"a test id of an icon": {"click remove allergy", `<button id=1 data-testid=remove-medication><svg></svg></button><button id=2 data-testid=remove-allergy><svg></svg></button>`, `click("2")`},
		"a class of an icon":   {"click remove allergy", `<button id=1 class="btn btn-sm remove-medication"></button><button id=2 class="btn btn-sm remove-allergy"></button>`, `click("2")`},
		"the icon in it":       {"click the trash icon", `<button id=1><i class="fa fa-pencil"></i></button><button id=2><i class="fa fa-trash"></i></button>`, `click("2")`},
		"a symbol":             {"click the gear icon", `<button id=1><svg><use href="#icon-gear"></use></svg></button>`, `click("1")`},
		"text before that":     {"click Archive", `<button id=1 data-testid=archive>Remove</button><button id=2>Archive</button>`, `click("2")`},
	})
}

func TestAct_DrawnControls(t *testing.T) {
	t.Parallel()
	const list = `<div><span>Language</span><button id=1 aria-haspopup=listbox aria-expanded=%s>%s</button></div>`
	german := `<ul role=listbox><li role=option id=5>English</li><li role=option id=6>German</li></ul>`
	t.Run("a drop-down beside its label", func(t *testing.T) {
		t.Parallel()
		play(t, "set Language to German", nil,
			scene{fmt.Sprintf(list, "false", "English"), `click("1")`},
			scene{fmt.Sprintf(list, "true", "English") + german, `click("6")`},
			scene{fmt.Sprintf(list, "false", "German"), `finish("Done: “Language” filled in.")`})
	})
	t.Run("its list without roles", func(t *testing.T) {
		t.Parallel()
		play(t, "choose 'German' from Language", nil,
			scene{`<label>Language</label><div class="select" data-llm-id=1>English</div>`, `click("1")`},
			scene{`<label>Language</label><div class="select" data-llm-id=1>English</div><div data-llm-id=2>German</div><div data-llm-id=3>French</div>`, `click("2")`},
			scene{`<label>Language</label><div class="select" data-llm-id=1>German</div>`, `finish("Done: “German” filled in.")`})
	})
	plays(t, map[string]ask1{
		"what it shows is its value": {"set Language to German", fmt.Sprintf(list, "false", "German"), `finish("Done: “Language” filled in.")`},
		"a toggle that is off":       {"turn on Dark mode", `<div><span>Dark mode</span><div class="toggle" data-llm-id=4></div></div>`, `click("4")`},
		"a toggle that is on":        {"turn on Dark mode", `<div><span>Dark mode</span><div class="toggle on" data-llm-id=4></div></div>`, `finish("Done: “Dark mode” filled in.")`},
		"one of two":                 {"disable Sounds", `<p>Dark mode <span class="switch active" data-llm-id=1></span></p><p>Sounds <span class="switch active" data-llm-id=2></span></p>`, `click("2")`},
	})
}

func TestAct_ComboBoxes(t *testing.T) {
	t.Parallel()
	const box = `<label for=i>Industry</label><input id=i role=combobox aria-expanded=%s aria-controls=lb value="%s">`
	const div = `<span id=s>Industry</span><div id=i role=combobox aria-labelledby=s aria-haspopup=listbox aria-expanded=%s>%s</div>`
	const list = `<ul id=lb role=listbox><li id=1 role=option>Farming</li><li id=2 role=option>Mining</li></ul>`
	for name, scenes := range map[string][]scene{
		"one that is typed into": {
			{fmt.Sprintf(box, "false", ""), `setValue("i", "Mining")`},
			{fmt.Sprintf(box, "true", "Mining") + list, `click("2")`},
			{fmt.Sprintf(box, "false", "Mining"), `finish("Done: “Industry” filled in.")`},
		},
		"one that is open": {
			{fmt.Sprintf(box, "true", "") + list, `click("2")`},
		},
		"one that is not typed into": {
			{fmt.Sprintf(div, "false", "Choose"), `click("i")`},
			{fmt.Sprintf(div, "true", "Choose") + list, `click("2")`},
			{fmt.Sprintf(div, "false", "Mining"), `finish("Done: “Industry” filled in.")`},
		},
		"what is typed is not chosen": {
			{fmt.Sprintf(box, "false", ""), `setValue("i", "Mining")`},
			{fmt.Sprintf(box, "false", "Mining"), `wait(1)`},
			{fmt.Sprintf(box, "false", "Mining"), "does not know: …"},
		},
		"a list that comes late": {
			{fmt.Sprintf(box, "false", ""), `setValue("i", "Mining")`},
			{fmt.Sprintf(box, "true", "Mining"), `wait(1)`},
			{fmt.Sprintf(box, "true", "Mining") + list, `click("2")`},
		},
		"a value that was there": {
			{fmt.Sprintf(box, "false", "Mining"), `finish("Done: “Industry” filled in.")`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, "set Industry to Mining", nil, scenes...)
		})
	}
	t.Run("an option that is not there", func(t *testing.T) {
		t.Parallel()
		play(t, "set Industry to Fishing", nil,
			scene{fmt.Sprintf(div, "false", "Choose"), `click("i")`},
			scene{fmt.Sprintf(div, "true", "Choose") + list, `does not know: I need a language model or more detail to set “Industry”: I see no option “Fishing” in its list, which has “Farming”, “Mining”.`})
		play(t, "set Industry to Fishing", []string{"then Farming"},
			scene{fmt.Sprintf(div, "false", "Choose"), `click("i")`},
			scene{fmt.Sprintf(div, "true", "Choose") + list, `click("1")`},
			scene{fmt.Sprintf(div, "false", "Farming"), `finish("Done: “Industry” filled in.")`})
	})
}

func TestAct_WhatCoversThePage(t *testing.T) {
	t.Parallel()
	const save = `<button id=s data-occluded>Save</button>`
	plays(t, map[string]ask1{
		"cookies are refused":              {"click Save", save + `<div class=cookie-banner><p>We use cookies</p><button id=a>Accept all</button><button id=r>Reject all</button></div>`, `click("r")`},
		"only what is necessary":           {"click Save", save + `<div id=cookie-notice><p>We use cookies</p><button id=a>Accept all</button><button id=r>Only necessary cookies</button></div>`, `click("r")`},
		"cookies without a choice":         {"click Save", save + `<div class=consent><p>We use cookies</p><button id=a>Accept</button></div>`, `click("a")`},
		"a sign":                           {"click Save", save + `<div class=overlay><p>Sale!</p><button id=x>✕</button></div>`, `click("x")`},
		"a sign drawn by its class":        {"click Save", save + `<div class=modal><p>Sale!</p><button id=x class="modal-close"></button></div>`, `click("x")`},
		"a newsletter":                     {"click Save", save + `<div role=dialog><h2>Our newsletter</h2><input id=m aria-label=Email><button id=y>Subscribe</button><button id=n>No, thanks</button></div>`, `click("n")`},
		"a field under it":                 {"enter 'Oslo' into City", `<label for=c>City</label><input id=c data-occluded><div class=popup><button id=x>Maybe later</button></div>`, `click("x")`},
		"a dialog that shuts the page off": {"click Save", `<button id=s>Save</button><div role=dialog aria-modal=true><p>We use cookies</p><button id=a>Accept</button><button id=r>Decline</button></div>`, `click("r")`},
		"one that does not":                {"click Save", `<button id=s>Save</button><div role=dialog><p>We use cookies</p><button id=a>Accept</button><button id=r>Decline</button></div>`, `click("s")`},
		"no agreement to anything":         {"click Save", save + `<div role=dialog><p>New terms of sale</p><button id=a>Accept</button></div>`, `press("Escape")`},
		"closing is no deleting":           {"click Save", save + `<div class=modal><p>Leave us?</p><button id=a>Close account</button></div>`, `press("Escape")`},
		"what is seen is used":             {"click Save", `<button id=s>Save</button><div class=cookie-banner><p>We use cookies</p><button id=r>Reject all</button></div>`, `click("s")`},
	})
	t.Run("one after the other, and not for ever", func(t *testing.T) {
		t.Parallel()
		play(t, "click Save", nil,
			scene{save + `<div class=cookie-banner>Cookies <button id=r>Reject all</button></div><div class=modal><button id=x>Close</button></div>`, `click("x")`},
			scene{save + `<div class=cookie-banner>Cookies <button id=r>Reject all</button></div>`, `click("r")`},
			scene{save, `press("Escape")`},
			scene{save, `scroll("s")`},
			scene{save, `does not know: I need a language model or more detail to go on: something covers “Save”, and I do not see how to close it.`})
	})
}

func TestAct_FurtherDownAList(t *testing.T) {
	t.Parallel()
	items := func(from, n int) string {
		var b strings.Builder
		b.WriteString(`<div id=list style="height:300px;overflow-y:auto">`)
		for i := from; i < from+n; i++ {
			fmt.Fprintf(&b, `<div><span>Item %d</span><button id=b%d>Open</button></div>`, i, i)
		}
		return b.String() + `</div>`
	}
	t.Run("a box that scrolls", func(t *testing.T) {
		t.Parallel()
		play(t, "click Open for Item 14", nil,
			scene{items(1, 6), `scroll("list")`}, scene{items(6, 6), `scroll("list")`}, scene{items(11, 6), `click("b14")`})
	})
	t.Run("until nothing new comes", func(t *testing.T) {
		t.Parallel()
		play(t, "click Open for Item 99", nil,
			scene{items(1, 6), `scroll("list")`}, scene{items(6, 6), `scroll("list")`}, scene{items(6, 6), `does not know: I need a language model or more detail to find “Open for Item 99” on this page.`})
	})
	links := func(n int) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, `<p><a href="/%d" id=a%d>Item %d</a></p>`, i, i, i)
		}
		return b.String()
	}
	t.Run("a page that goes on", func(t *testing.T) {
		t.Parallel()
		play(t, "click Item 25", nil, scene{links(10), `scroll()`}, scene{links(20), `scroll()`}, scene{links(30), `click("a25")`})
	})
	t.Run("a button for more", func(t *testing.T) {
		t.Parallel()
		play(t, "click Item 15", nil, scene{links(10) + `<button id=m>Load more</button>`, `click("m")`}, scene{links(20), `click("a15")`})
	})
}

func TestAct_Calendars(t *testing.T) {
	t.Parallel()
	month := func(cell string, runs ...[2]int) string {
		var b strings.Builder
		n := 0
		for _, r := range runs {
			for d := r[0]; d <= r[1]; d++ {
				n++
				fmt.Fprintf(&b, cell, n, d)
			}
		}
		return `<div role=grid>` + b.String() + `</div>`
	}
	december := [][2]int{{29, 30}, {1, 31}, {1, 9}}
	plays(t, map[string]ask1{
		"buttons that are cells":       {"click 24", month(`<button role=gridcell id=d%d>%d</button>`, december...), `click("d26")`},
		"cells that take the focus":    {"choose 24", month(`<div role=gridcell tabindex=-1 id=d%d>%d</div>`, december...), `click("d26")`},
		"a day there is twice":         {"click 5", month(`<button id=d%d>%d</button>`, december...), `click("d7")`},
		"at the beginning":             {"click 30", month(`<button role=gridcell id=d%d>%d</button>`, december...), `click("d32")`},
		"a day only another month has": {"click 30", month(`<button role=gridcell id=d%d>%d</button>`, [2]int{30, 31}, [2]int{1, 28}), "does not know: …"},
		"by the class":                 {"click 4", `<button id=a class="day outside">4</button><button id=b class=day>4</button>`, `click("b")`},
	})
}

func TestAct_RepliesAreReadOnThePage(t *testing.T) {
	t.Parallel()
	const gear = `<button id=1>Help</button><button id=2>Settings</button><button id=3>Account</button>`
	for reply, want := range map[string]string{
		"I mean Settings":              `click("2")`,
		"Settings":                     `click("2")`,
		"the Settings button, please":  `click("2")`,
		"sorry, it's called 'Account'": `click("3")`,
		"click Help":                   `click("1")`,
		"the blue one":                 `does not know: I need a language model or more detail to find “gear”: I do not see “the blue one” on this page either.`,
	} {
		t.Run(reply, func(t *testing.T) {
			t.Parallel()
			play(t, "click the gear icon", []string{reply}, scene{gear, want})
		})
	}
	t.Run("and stay answered", func(t *testing.T) {
		t.Parallel()
		play(t, "click the gear icon", []string{"I mean Settings"}, scene{gear, `click("2")`}, scene{`<h1>Settings</h1>`, `finish("Done: “Settings” was clicked.")`})
	})
	t.Run("a field", func(t *testing.T) {
		t.Parallel()
		play(t, "enter 'Jas' into Handle", []string{"I mean the Nickname field"}, scene{`<label for=n>Nickname</label><input id=n>`, `setValue("n", "Jas")`})
	})
	const two = `<button id=1>Save draft</button><button id=2>Save copy</button>`
	for reply, want := range map[string]string{
		"the second one": `click("2")`,
		"copy":           `click("2")`,
		"the blue one":   `asks: I cannot tell which one “the blue one” is: …`,
	} {
		t.Run("of two: "+reply, func(t *testing.T) {
			t.Parallel()
			play(t, "click Save", []string{reply}, scene{two, want})
		})
	}
}

func TestAct_NoValueIsDropped(t *testing.T) {
	t.Parallel()
	const dialog = `<div role=dialog><h2>New passkey</h2><input id=n placeholder="e.g. my laptop" value="%s"><button id=c>Cancel</button><button id=r>Register passkey</button></div>`
	t.Run("the only field of the dialog", func(t *testing.T) {
		t.Parallel()
		play(t, "Add a new passkey named 'Windows Hello'.", nil,
			scene{fmt.Sprintf(dialog, ""), `setValue("n", "Windows Hello")`}, scene{fmt.Sprintf(dialog, "Windows Hello"), `click("r")`})
	})
	t.Run("the best of several", func(t *testing.T) {
		t.Parallel()
		play(t, "create a label named 'Urgent'", nil, scene{
			`<dialog open><label for=a>Label title</label><input id=a><label for=b>Description</label><input id=b><button id=c>Create label</button></dialog>`, `setValue("a", "Urgent")`})
	})
	t.Run("a form on the page", func(t *testing.T) {
		t.Parallel()
		play(t, "Add a todo 'Buy milk'", nil,
			scene{`<h1>Todos</h1><form><input id=n placeholder="What needs to be done?"><button id=r>Add</button></form>`, `setValue("n", "Buy milk")`},
			scene{`<h1>Todos</h1><form><input id=n placeholder="What needs to be done?" value="Buy milk"><button id=r>Add</button></form>`, `click("r")`})
		play(t, "Add a new patient named 'Jas'", nil,
			scene{`<h1>Patients</h1><a id=a href=/new>New patient</a><form><input id=m placeholder="Your email for news"><button id=r>Subscribe</button></form>`, `click("a")`})
	})
	t.Run("no field for it", func(t *testing.T) {
		t.Parallel()
		play(t, "Add a new passkey named 'Windows Hello'.", nil, scene{
			`<div role=dialog><label for=d>Expires</label><input id=d type=date><label for=m>Mail</label><input id=m type=email><button id=r>Register passkey</button></div>`, "does not know: …"})
	})
}

func TestAct_ANameIsNoKey(t *testing.T) {
	t.Parallel()
	const other = `<button id=1>Cancel</button>`
	plays(t, map[string]ask1{
		"click Delete":                {"click Delete", other, "does not know: …"},
		"press Delete":                {"press Delete", other, "does not know: …"},
		"press Home":                  {"press Home", other, "does not know: …"},
		"press Save":                  {"press Save", other, "does not know: …"},
		"press End":                   {"hit End", other, "does not know: …"},
		"press the Delete key":        {"press the Delete key", other, `press("Delete")`},
		"press Enter":                 {"press Enter", other, `press("Enter")`},
		"hit Escape":                  {"hit Escape", other, `press("Escape")`},
		"press Esc":                   {"press Esc", other, `press("Escape")`},
		"press the down arrow":        {"press the down arrow key", other, `press("ArrowDown")`},
		"press Ctrl+S":                {"press Ctrl+S", other, `press("Control+S")`},
		"a control of the key's name": {"press Enter", `<button id=2>Enter</button>`, `click("2")`},
		"a control that mentions it":  {"press Enter", `<button id=2>Enter a code</button>`, `press("Enter")`},
	})
}

func TestAct_AConfirmationIsAStep(t *testing.T) {
	t.Parallel()
	const table = `<table><tr><td>Ann<td><button id=1>Delete</button></tr><tr><td>Kim<td><button id=2>Delete</button></tr></table>`
	const gone = `<table><tr><td>Ann<td><button id=1>Delete</button></tr></table>`
	for name, tc := range map[string]struct{ dialog, want string }{
		"the same word":       {`<div role=dialog><p>Delete Kim?</p><button id=8>Delete</button><button id=9>Cancel</button></div>`, `click("8")`},
		"a yes":               {`<div role=alertdialog><h2>Are you sure?</h2><button id=9>No</button><button id=8>Yes</button></div>`, `click("8")`},
		"a yes with the word": {`<dialog open><p>Kim will be gone for ever.</p><button id=9>Keep</button><button id=8>Yes, delete</button></dialog>`, `click("8")`},
		"a drawn dialog":      {`<div class=modal><p>Delete Kim?</p><button id=9>Cancel</button><button id=8>Confirm</button></div>`, `click("8")`},
		"two that go on":      {`<div role=dialog><p>Delete Kim?</p><button id=8>Delete user</button><button id=7>Delete all</button><button id=9>Cancel</button></div>`, `asks: The page asks: “Delete Kim?” …`},
		"neither":             {`<div role=dialog><p>What about Kim's files?</p><button id=8>Move them</button><button id=9>Cancel</button></div>`, `asks: The page asks: “What about Kim's files?” …`},
		"another one":         {`<div role=dialog><p>Delete Ann?</p><button id=8>Delete</button><button id=9>Cancel</button></div>`, `asks: The page asks: “Delete Ann?” …`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, "delete Kim", nil, scene{table, `click("2")`}, scene{table + tc.dialog, tc.want})
		})
	}
	t.Run("and then it is done", func(t *testing.T) {
		t.Parallel()
		const sure = `<div role=dialog><p>Delete Kim?</p><button id=8>Delete</button><button id=9>Cancel</button></div>`
		play(t, "delete Kim", nil, scene{table, `click("2")`}, scene{table + sure, `click("8")`}, scene{gone, `finish("Done: “delete Kim” was clicked.")`})
		play(t, "delete Kim", nil, scene{table, `click("2")`}, scene{table + sure, `click("8")`}, scene{table + sure, "does not know: …"})
	})
	t.Run("what the task says to do there", func(t *testing.T) {
		t.Parallel()
		const sure = `<div role=dialog><p>Delete it?</p><button id=8>Delete</button><button id=9>Cancel</button></div>`
		play(t, "click Delete, then click Cancel", nil, scene{`<button id=2>Delete</button>`, `click("2")`}, scene{sure, `click("9")`})
	})
	t.Run("a message is none", func(t *testing.T) {
		t.Parallel()
		play(t, "delete Kim", nil, scene{table, `click("2")`}, scene{gone + `<div role=dialog><p>Kim was deleted.</p><button id=9>OK</button></div>`, `finish("Done: “delete Kim” was clicked.")`})
	})
	t.Run("a form is none", func(t *testing.T) {
		t.Parallel()
		play(t, "click New patient", nil, scene{`<button id=2>New patient</button>`, `click("2")`},
			scene{`<div role=dialog><input id=n aria-label=Name><button id=8>Create patient</button><button id=9>Cancel</button></div>`, `finish("Done: “New patient” was clicked.")`})
	})
}
