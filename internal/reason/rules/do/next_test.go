package do_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
)

// did is an action that worked, for a step, on an element of that description.
func did(step int, completes bool, a, target string) reasoning.Step {
	act, err := action.Parse(a)
	if err != nil {
		panic(err)
	}
	return reasoning.Step{Action: act, Target: target, Verified: true, Succeeded: true, For: instruction.Progress{Step: step, Completes: completes}}
}

// next is what is done next for a task on a page, in a line.
func next(t *testing.T, task, html string, past ...reasoning.Step) string {
	t.Helper()
	p, err := dom.Reader{}.Read(page.Capture{URL: "https://site.test/", Mode: page.ModeFull, DOM: html})
	if err != nil {
		t.Fatal(err)
	}
	for i := range past {
		past[i].Index = i
	}
	m := do.Next(do.Situation{Program: instruction.Read(task), Page: ground.On(p), Steps: past})
	switch {
	case m.Kind == do.IsQuestion:
		return "asks: " + m.Question
	case m.Kind == do.IsUnknown:
		return "does not know: " + m.Reason
	case m.Ends():
		return "ends: " + m.Evidence
	case m.For.Completes:
		return m.Action.String() + " completes"
	}
	return m.Action.String()
}

const (
	login    = `<form><label>User <input id=1></label><label>Code <input id=2></label><button id=3>Enter</button></form>`
	boxes    = `<label><input type=checkbox id=1> Tea</label><label><input type=checkbox id=2 checked> Milk</label><label><input type=checkbox id=3> Rum</label>`
	rows     = `<table><tr><td>Ada</td><td><button id=1>Edit</button><button id=2>Archive</button></td></tr><tr><td>Tom</td><td><button id=3>Edit</button><button id=4>Archive</button></td></tr></table>`
	results  = `<ul><li><a id=1 href=/a>Alpha</a></li><li><a id=2 href=/b>Beta</a></li></ul><a id=8 href=#>2</a><a id=9 href=#>&gt;</a>`
	renaming = `<div role=dialog aria-label="Edit name"><label>Name <input id=1 value="%s"></label><button id=2>Cancel</button><button id=3>Save</button></div>`
	movable  = `<button id=1>Move</button><div role=menu><div role=menuitem id=2>Inbox</div><div role=menuitem id=3>Trash</div></div>`
)

func TestNext(t *testing.T) {
	t.Parallel()
	edited := strings.ReplaceAll(renaming, "%s", "Ada")
	for name, tc := range map[string]struct {
		task, html string
		past       []reasoning.Step
		want       string
	}{
		"the first step":                               {`Enter "ann" as the user and "7" as the code, then click Enter`, login, nil, `setValue("1", "ann") completes`},
		"the step after":                               {`Enter "ann" as the user and "7" as the code, then click Enter`, login, []reasoning.Step{did(1, true, `setValue("1","ann")`, `textbox "User"`)}, `setValue("2", "7") completes`},
		"what the page has is done":                    {`Check Milk and click Tea`, boxes, nil, `click("1") completes`},
		"in the row":                                   {`In the row of Tom, click Archive`, rows, nil, `click("4") completes`},
		"of two which":                                 {`Click Archive`, rows, nil, `asks: I found more than one match for “Archive”…`},
		"all of them, one by one":                      {`Uncheck all checkboxes`, `<label><input type=checkbox id=1 checked> A</label><label><input type=checkbox id=2 checked> B</label>`, nil, `click("1")`},
		"both of three":                                {`Check both checkboxes`, boxes, nil, `asks: I found more than one match…`},
		"any of them":                                  {`Check any checkbox`, boxes, nil, `click("1") completes`},
		"a position":                                   {`Click the 2nd result`, results, nil, `click("2") completes`},
		"a position on a later page":                   {`Click the 4th result`, results, nil, `click("9")`},
		"counted over the pages":                       {`Click the 4th result`, results, []reasoning.Step{did(1, false, `click("9")`, `link ">"`)}, `click("2") completes`},
		"a change is saved":                            {`Change the name to Ada`, edited, []reasoning.Step{did(1, true, `setValue("1","Ada")`, `textbox "Name"`)}, `click("3") completes`},
		"once":                                         {`Change the name to Ada`, edited, []reasoning.Step{did(1, true, `setValue("1","Ada")`, `textbox "Name"`), did(2, true, `click("3")`, `button "Save"`)}, `ends: “name” filled in`},
		"entering is not saved":                        {`Enter "ann" as the user`, login, []reasoning.Step{did(1, true, `setValue("1","ann")`, `textbox "User"`)}, `ends: “user” filled in`},
		"a command and its destination":                {`Move the letter "Invoice" to Trash`, movable, []reasoning.Step{did(1, false, `click("1")`, `button "Move"`)}, `click("3") completes`},
		"what is read from the page":                   {`Enter the value of City into the text field`, `<table><tr><td>City</td><td>Oslo</td></tr><tr><td>Year</td><td>1999</td></tr></table><input id=1>`, nil, `setValue("1", "Oslo") completes`},
		"a condition that does not hold":               {`If there is a link "Skip", click it. Then click Edit in the row of Ada`, rows, nil, `click("1") completes`},
		"one of several cannot be undone":              {`Turn off Dark`, `<label><input type=radio name=a id=1 checked> Dark</label><label><input type=radio name=a id=2> Light</label>`, nil, `does not know: …`},
		"drag without a place":                         {`Drag the item up`, `<div id=1 draggable=true role=button>Item</div>`, nil, `does not know: …`},
		"a disabled target":                            {`Click Archive`, `<button id=1 disabled>Archive</button>`, nil, `does not know: I need a language model or more detail to go on: “Archive” is there but cannot be clicked now.`},
		"another name is no target":                    {`Click Delete`, `<div role=dialog><h2>Delete file</h2><button id=1 disabled>Delete</button><button id=2>Cancel</button></div>`, nil, `does not know: …`},
		"a command is not how its thing is looked for": {`Report the letter "Offer" from Ada as spam`, `<h1>Prize</h1><p>Ada's bank</p><button id=1>Report spam</button>`, nil, `does not know: …`},
		"back":            {`Go back`, login, nil, `goBack() completes`},
		"nothing to find": {`Find it`, login, nil, `does not know: …`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := next(t, tc.task, tc.html, tc.past...)
			begin, cut := strings.CutSuffix(tc.want, "…")
			if got != tc.want && (!cut || !strings.HasPrefix(got, begin)) {
				t.Errorf("%s\n got %s\nwant %s", tc.task, got, tc.want)
			}
		})
	}
}
