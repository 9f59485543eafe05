package do

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// travel does the steps that move on the page, or between pages.
func (d doing) travel() Move {
	switch d.step.Act {
	case instruction.Navigate:
		return d.navigate()
	case instruction.Back:
		return d.completing(Act(action.Action{Name: action.GoBack}, page.Element{}, Sure, "I'll go back.", "The page before is shown."))
	case instruction.Press:
		return d.key(d.step.Value.Literal.Text)
	case instruction.Scroll:
		return d.scroll()
	case instruction.Wait:
		return d.wait()
	case instruction.Search:
		return d.search()
	case instruction.Find:
		return d.find()
	}
	return Unknown("%s: I do not know how to do that by myself", d.said())
}

func (d doing) key(name string) Move {
	a, err := action.Parse(`press("` + keyName(name) + `")`)
	if err != nil {
		return Unknown("press %s: I know no such key", text.Quoted(name))
	}
	return d.completing(Act(a, page.Element{}, Likely, "I'll press "+name+".", "The page reacts to the key."))
}

// keyName is a key as a browser calls it: "ctrl+a" is Control+a.
func keyName(said string) string {
	parts := strings.Split(said, "+")
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if n, ok := keys[strings.ToLower(p)]; ok {
			p = n
		}
		parts[i] = p
	}
	return strings.Join(parts, "+")
}

// keys are what browsers call keys, by what people do.
var keys = func() map[string]string {
	out := map[string]string{}
	for key, names := range words.Under("key") {
		for _, name := range names {
			out[name] = key
		}
	}
	return out
}()

// navigate goes to an address, or to what a link or tab is called.
func (d doing) navigate() Move {
	to := d.step.Value.Literal
	r := d.step.Target
	if to.Text == "" {
		to = r.Name
	} else {
		r = instruction.Reference{Name: to}
	}
	if to.Form == instruction.Address {
		return d.visit(to.Text)
	}
	f := d.Page.FindAmong(r, ground.ToClick, d.untried)
	e, one := f.One()
	switch {
	case one && f.Score >= ground.Named && (e.State.Selected || isHere(d.Page.URL, e)):
		return Done("%s is open", text.Quoted(called(e)))
	case one && f.Score >= 0.6:
		return d.completing(Click(e, Sure, "I'll go to "+text.Quoted(called(e))+".", text.Quoted(called(e))+" is shown."))
	case len(f.Meant) == 0 && d.Page.IsAbout(text.Key(to.Text)):
		return Done("%s is open", text.Quoted(to.Text))
	case len(f.Meant) > 0 && f.Score >= 0.6:
		e, m, ok := d.among(r, f)
		if !ok {
			return m
		}
		return d.completing(Click(e, Sure, "I'll go to "+text.Quoted(called(e))+".", text.Quoted(called(e))+" is shown."))
	}
	return d.explore(r)
}

// visit goes to an address.
func (d doing) visit(address string) Move {
	to := address
	if !strings.Contains(to, "://") {
		to = "https://" + to
	}
	if strings.TrimSuffix(d.Page.URL, "/") == strings.TrimSuffix(to, "/") {
		m := Done("%s is open", address)
		m.Quote = d.Page.URL
		return m
	}
	if slices.ContainsFunc(d.past, failed) {
		return Unknown("open %s: it did not load", text.Quoted(address))
	}
	a := action.Action{Name: action.Navigate, Text: to}
	return d.completing(Act(a, page.Element{}, Sure, "I'll go to "+to+".", "The page "+to+" is open."))
}

// isHere reports whether a link leads to the page that is open.
func isHere(address string, e page.Element) bool {
	base, err := weburl.Parse(address)
	if err != nil || e.Href == "" || strings.HasPrefix(e.Href, "#") {
		return false
	}
	to, err := weburl.Resolve(base, e.Href)
	return err == nil && to.String() == base.String()
}

func (d doing) scroll() Move {
	r := d.step.Target
	if !r.IsZero() && r.Kind != "page" {
		if e, ok := d.Page.Find(r, ground.ToSee).One(); ok {
			return d.completing(Act(action.Action{Name: action.Scroll, Target: e.ID}, e, Likely, "I'll scroll to "+text.Quoted(called(e))+".", "It is in view."))
		}
		return d.explore(r)
	}
	a := action.Action{Name: action.Scroll, Text: d.step.Value.Literal.Text}
	return d.completing(Act(a, page.Element{}, Likely, "I'll scroll.", "More of the page is shown."))
}

// maxWaits bounds how often something is waited for.
const maxWaits = 5

func (d doing) wait() Move {
	seconds, err := strconv.ParseFloat(d.step.Value.Literal.Text, 64)
	if err == nil {
		return d.completing(Act(action.Action{Name: action.Wait, Seconds: min(max(seconds, 0.1), action.MaxWaitSeconds)}, page.Element{}, Sure, "I'll wait.", "The time is over."))
	}
	r := d.step.Target
	if r.IsZero() || len(d.Page.Find(r, ground.ToSee).Meant) > 0 || d.shows(r) {
		return Move{Kind: IsDone}
	}
	if len(d.past) >= maxWaits {
		return Unseen(Name(r), "go on: %s has not come", Name(r))
	}
	return d.towards(Act(action.Action{Name: action.Wait, Seconds: 1}, page.Element{}, Possible, "I'll wait for "+Name(r)+".", Name(r)+" is shown."))
}

// found is the least score of what was found: one word of it in another name is not it.
const found = 0.85

// lookUp searches for what is not on the page where there is one search box for it.
func (d doing) lookUp(r instruction.Reference) (Move, bool) {
	f := d.Page.FindAmong(instruction.Reference{}, ground.ToFill, text.IsSearch)
	if e, ok := f.One(); !ok || r.Name.Text == "" || d.did(action.SetValue, e, false) && d.pressed("Enter") {
		return Move{}, false
	}
	d.step.Value = instruction.Value{Literal: r.Name}
	m := d.search()
	m.For.Completes = false // it is found when it is on the page
	return m, m.Kind == IsAction
}

// find looks for something until it is on the page.
func (d doing) find() Move {
	r := d.step.Target
	last := d.n == len(d.Program.Steps)
	if r.Name.Text == "" && r.Position == 0 {
		if last {
			return Unknown("know what to %s", d.step.Verb)
		}
		return Move{Kind: IsDone} // the steps after it say what is looked for
	}
	f := d.Page.Find(d.onThisPage(r), ground.ToClick)
	seen := len(f.Meant) > 0 && (r.Name.Text == "" || f.Score >= found) || d.shows(r)
	switch {
	case seen && last && !r.Name.Quoted:
		return Unknown("tell whether what is shown is all you want of %s", Name(r))
	case seen:
		return Move{Kind: IsDone}
	}
	if m, ok := d.lookUp(r); ok {
		return m
	}
	return d.explore(r)
}

// searchName is what a control is called that starts a search, or opens the box for it.
var searchName = words.List("search")[0]

// search enters what is looked for into the search box, and starts the search.
func (d doing) search() Move {
	said := d.step.Value.Literal.Text
	in := d.step.Target
	if said == "" {
		if m, ok := d.searchForm(); ok {
			return m
		}
		said, in = d.step.Target.Name.Text, instruction.Reference{}
	}
	if said == "" || len(d.step.Target.Where) > 0 && d.step.Value.IsZero() {
		return Unknown("know what to search for")
	}
	box, m, ok := d.searchBox(in)
	if !ok {
		return m
	}
	if !text.Same(box.Value, said) && !d.did(action.SetValue, box, false) {
		m := d.typed(box, said)
		m.Thought = "I'll enter " + text.Quoted(said) + " into the search box."
		return d.towards(m)
	}
	f := d.Page.FindAmong(instruction.Reference{Name: instruction.Literal{Text: searchName}}, ground.ToClick, func(e page.Element) bool {
		return e.Role == "button" && (e.Form == box.Form || e.Group == box.Group) && d.untried(e)
	})
	if e, ok := f.One(); ok && f.Score >= ground.Named {
		return d.completing(Click(e, Sure, "I'll start the search.", "The results for "+text.Quoted(said)+" are shown."))
	}
	enter := action.Action{Name: action.Press, Text: "Enter"}
	return d.completing(Act(enter, page.Element{}, Likely, "I'll start the search.", "The results for "+text.Quoted(said)+" are shown."))
}

func (d doing) searchBox(in instruction.Reference) (page.Element, Move, bool) {
	if in.Name.Text != "" {
		if e, ok := d.Page.Find(in, ground.ToFill).One(); ok {
			return e, Move{}, true
		}
	}
	f := d.Page.FindAmong(instruction.Reference{}, ground.ToFill, text.IsSearch)
	if e, ok := f.One(); ok {
		return e, Move{}, true
	}
	if len(f.Meant) > 1 {
		return d.among(instruction.Reference{Kind: "search", Noun: "search box"}, f)
	}
	opener := d.Page.FindAmong(instruction.Reference{Name: instruction.Literal{Text: searchName}}, ground.ToClick, d.untried)
	if e, ok := opener.One(); ok && opener.Score >= ground.Named {
		return page.Element{}, d.towards(Click(e, Likely, "I'll open the search.", "A search box is shown.")), false
	}
	return page.Element{}, Unseen("a search box", "search here: I see no search box on this page"), false
}
