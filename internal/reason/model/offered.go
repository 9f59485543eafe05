package model

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// offer is a line of the prompt's list of actions. Only the lines of what the client can
// do are in it.
type offer struct {
	name action.Name
	// needs is an ability beside the action itself.
	needs  action.Capability
	usage  string
	effect string
}

// offers are the actions of the client in the order of the prompt. What a client cannot
// do is never offered; domain/action says which client can do what.
var offers = []offer{
	{action.Click, "", `click("14")`, "click an element"},
	{action.SetValue, "", `setValue("14", "text")`, "type into a field, replacing what is there; on a list (sel) choose the option with that text or value"},
	{action.SetValue, action.CanChooseSeveral, `setValue("14", "A\\nB")`, "on a list that takes several: exactly these options, one a line"},
	{action.Type, "", `type("text")`, "type into what has the focus, at the cursor, without replacing anything"},
	{action.Press, "", `press("Enter")`, `press a key: Enter, Tab, Escape, ArrowDown …, also "Control+a"`},
	{action.Hover, "", `hover("14")`, "move the mouse over an element"},
	{action.Scroll, "", `scroll() or scroll("14")`, "scroll the page, or a container, to see more; scrolls any other element into view"},
	{action.Scroll, action.CanScrollTo, `scroll("up") or scroll("14", "up")`, `scroll the page, or a container, "up" or "down"`},
	{action.Drag, "", `drag("14", "20")`, "drag the first element onto the second"},
	{action.Upload, "", `upload("14", "report.pdf")`, "choose a file the user named for a file field"},
	{action.Wait, "", `wait(1)`, "wait seconds, when the page is still loading"},
	{action.Navigate, "", `navigate("https://…")`, "go to an address: of this site, or one the user named, or one the page links to, unchanged"},
	{action.GoBack, "", `goBack()`, "go back one page"},
}

// endOffers are what the server does, and the ends of a task.
var endOffers = []offer{
	{action.Find, "", `find("text")`, "see every place of this page that has the text; answered at once, before your next action"},
	{action.More, "", `more()`, "see the next part of what is left out of this page; answered at once"},
	{action.VerifySuccess, "", `verifySuccess("what should be true")`, "check the result before finishing after something had failed"},
	{action.Finish, "", `finish("message")`, "the task is done; the message tells the user the result"},
	{action.Fail, "", `fail("reason")`, "the task cannot be done; the reason tells the user why"},
}

var searchOffer = offer{action.GoogleSearch, "", `googleSearch("words")`, "search the web, when the task needs knowledge the page does not have; the results come back to you, the browser does nothing"}

// renderOffers lists the actions that an answer may have.
func renderOffers(client action.Abilities, maySearch bool) string {
	var b strings.Builder
	line := func(o offer) { fmt.Fprintf(&b, "%-28s %s\n", o.usage, o.effect) }
	for _, o := range offers {
		if client.CanDo(o.name) && (o.needs == "" || client.Has(o.needs)) {
			line(o)
		}
	}
	if maySearch {
		line(searchOffer)
	}
	for _, o := range endOffers {
		line(o)
	}
	return strings.TrimRight(b.String(), "\n")
}

// renderNames lists the names of the actions a correction may use.
func renderNames(client action.Abilities) string {
	var names []string
	for _, o := range offers {
		if client.CanDo(o.name) && o.needs == "" {
			names = append(names, string(o.name))
		}
	}
	return strings.Join(names, ", ")
}

// severalRule says how to answer with several actions, for clients that take them.
const severalRule = `
SEVERAL AT ONCE
When the next steps fill in fields of one form and none of them needs a look in between, give them together: leave "action" empty and list up to 8 in "actions", in order: [{"action": "setValue(\"14\", \"Jas\")", "description": "what it does, for the user", "canFail": false}, …]. Only values, options and boxes go together. What sends, opens, deletes or leads elsewhere comes alone, in the answer after. "canFail" is true for one that the others are worth doing without. "expected", "final" and "nextGoal" are then about all of them.
`

func renderSeveral(client action.Abilities) string {
	if !client.Has(action.CanChain) {
		return ""
	}
	return severalRule
}

// Bounds of web results in a prompt, in characters.
const (
	maxSnippet = 400
	maxAddress = 200
)

// renderSearches lists what the searches of this turn found.
func renderSearches(searches []reasoning.WebSearch) string {
	var b strings.Builder
	for _, s := range searches {
		fmt.Fprintf(&b, "searched for %q\n", prompt.Clip(s.Query, maxName))
		switch {
		case s.Failed != "":
			fmt.Fprintf(&b, "  %s\n", s.Failed)
		case len(s.Results) == 0:
			b.WriteString("  nothing was found\n")
		}
		for i, r := range s.Results {
			fmt.Fprintf(&b, "  %d. %s (%s): %s\n", i+1, prompt.Clip(r.Title, maxName), prompt.Clip(r.URL, maxAddress), prompt.Clip(r.Snippet, maxSnippet))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
