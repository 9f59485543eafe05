package rules

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/costtest"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/dom/domtest"
)

// hostileTasks are as long as a task may be, made of what rules read: pieces that are
// not clear, values for fields, names of controls, quotes that do not end.
var hostileTasks = []string{
	"fill the form: " + again("a; "),
	again("a and "),
	again("click Save then "),
	"fill in " + counted(90, "Field %d name 'a', "),
	"add a patient with " + counted(90, "a%d x = b%[1]d, "),
	strings.Repeat("select a from b; ", 95),
	strings.Repeat("check a; ", 95),
	strings.Repeat("enter 'a' as b, ", 95),
	"delete " + counted(1_200, "w%d "),
	"create x " + again("A, "),
	"search " + again("a "),
	"add a thing to the cart " + again("a "),
	"create a thing with " + counted(95, "a%d = %[1]d, "),
	"create a thing " + again("a; "),
	strings.Repeat("press Enter; ", 95),
	strings.Repeat("choose 12 for b; ", 95),
	strings.Repeat("enter '3 May 2024' as b, ", 95),
	"delete thing " + again("a "),
	again("'a"),
	"add a patient with name 'Jas Doe'",
	"",
}

// maxTask is how long a task is that is still read, in bytes.
const maxTask = 10_000

func again(piece string) string { return strings.Repeat(piece, (maxTask-20)/len(piece)) }

func counted(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// hostilePages are the pages made to cost much, read, by their size.
func hostilePages(t *testing.T, with func(t *testing.T, read func(size int) page.Page)) {
	t.Helper()
	for _, shape := range domtest.Hostile {
		t.Run(shape.Suffix, func(t *testing.T) {
			t.Parallel()
			pages := map[int]page.Page{}
			if p, err := (dom.Reader{}).Read(page.Capture{URL: home, Mode: page.ModeFull, DOM: shape.Page(12_000)}); err != nil || len(p.Elements) < 20 {
				return // of such a page only the text counts, which is bounded
			}
			with(t, func(size int) page.Page {
				p, known := pages[size]
				if !known {
					p, _ = dom.Reader{}.Read(page.Capture{URL: home, Mode: page.ModeFull, DOM: shape.Page(size)}) // or an empty one
					pages[size] = p
				}
				return p
			})
		})
	}
}

// longPast are steps done to elements of a page, all of which failed or worked.
func longPast(p page.Page, name action.Name, worked bool) []reasoning.Step {
	var steps []reasoning.Step
	for i := range min(100, len(p.Elements)) {
		e := p.Elements[i*7%len(p.Elements)]
		steps = append(steps, reasoning.Step{
			Index: i, Action: action.Action{Name: name, Target: e.ID, Text: "a"}, Target: page.Describe(e), Verified: true, Succeeded: worked,
		})
	}
	return steps
}

// longReplies are answers of a user as long as they may be.
var longReplies = []string{again("a, "), again("the second "), again("12, "), "Foo", again("enter a as b; ")}

// TestAct_Cost: what it costs to find the next action grows no faster than the page,
// whatever the task, what was done before and what the user replied.
func TestAct_Cost(t *testing.T) {
	t.Parallel()
	hostilePages(t, func(t *testing.T, read func(int) page.Page) {
		for _, task := range hostileTasks {
			costtest.Grows(t, 12_000, func(size int) func() {
				q := reasoning.ActQuestion{Client: able, Query: task, Page: read(size)}
				return func() { answered(t, q) }
			})
		}
		for _, steps := range []func(page.Page) []reasoning.Step{
			func(p page.Page) []reasoning.Step { return longPast(p, action.Click, false) },
			func(p page.Page) []reasoning.Step { return longPast(p, action.SetValue, true) },
		} {
			costtest.Grows(t, 12_000, func(size int) func() {
				p := read(size)
				q := reasoning.ActQuestion{Client: able, Query: "click Save, delete a, add a patient with a = b", Page: p, Steps: steps(p), Answers: longReplies}
				return func() { answered(t, q) }
			})
		}
	})
}

func answered(t *testing.T, q reasoning.ActQuestion) reasoning.ActAnswer {
	a, err := Reasoner{}.Act(context.Background(), q)
	if err != nil {
		t.Error(err)
	}
	return a
}

// TestAct_CostOfTask: the same of the task.
func TestAct_CostOfTask(t *testing.T) {
	t.Parallel()
	p, _ := dom.Reader{}.Read(page.Capture{URL: home, Mode: page.ModeFull, DOM: domtest.Hostile[0].Page(20_000)})
	for _, piece := range []string{
		"a; ", "a, ", "a and ", "click a; ", "click 'a' then ", "enter 'a' as b, ", "a=b; ", "check a; ", "select a from b; ", "search a; ",
		"go to http://a/b; ", "'", "\"a ", "“", "add a; ", "save; ", "delete a b; ", "a ", "A ", "to ", "in ", "with ", "is ", "go to ", "please ",
		"then ", "a: b ", "C,0", "a,b=", "“a", ".", "a", "A, ", "1 ", "a.", "ä", "http://", "\n",
	} {
		for _, verb := range []string{"", "fill ", "create "} {
			costtest.Grows(t, maxTask/4-5, func(size int) func() {
				q := reasoning.ActQuestion{Client: able, Query: verb + strings.Repeat(piece, size/len(piece)), Page: p}
				return func() { answered(t, q) }
			})
		}
	}
}

// TestAct_TooMany: a task of more parts than can be taken in at once is asked for in
// pieces, and nothing of it is done before that. The reply is the task then.
func TestAct_TooMany(t *testing.T) {
	t.Parallel()
	form := pageBuilder{URL: home, Elements: []page.Element{elem("textbox", "Name"), elem("button", "Save")}}.done()
	for _, task := range []string{
		"fill the form: " + again("a; "), "fill in " + counted(101, "name 'a%d', "), again("click Save then "), strings.Repeat("check a; ", 101),
		"add a patient with name 'Jas', " + again("b, "), strings.Repeat("x", maxTask+1),
	} {
		a := answered(t, reasoning.ActQuestion{Client: able, Query: task, Page: form})
		if !a.Undecided || !strings.Contains(a.Reason, "first part") {
			t.Errorf("%.40q…: %+v", task, a)
		}
		a = answered(t, reasoning.ActQuestion{Client: able, Query: task, Page: form, Answers: []string{"enter 'Jas' as the name"}})
		if a.Action.Name != action.SetValue || a.Action.Text != "Jas" {
			t.Errorf("%.40q…, after a reply: %+v", task, a)
		}
	}
}

// witnesses are what a client may say at most.
func witnesses() []page.Witness {
	yes, no, one := true, false, 1
	said := func(text string) (list []string) {
		for i := range 50 {
			list = append(list, fmt.Sprintf("Added: '%s %d'", text, i))
		}
		return list
	}
	return []page.Witness{
		{},
		{DOMMutated: &yes, Added: 100, Removed: 100, NetworkOccurred: &no, Direct: &one, TargetChanged: &yes, RecentEvents: said(strings.Repeat("a b ", 240))},
		{DOMMutated: &yes, NetworkOccurred: &yes, Direct: &one, TargetChanged: &no, RecentEvents: said(strings.Repeat("not saved ", 95))},
		{NetworkOccurred: &yes, HasSuccess: &yes, SuccessMessages: said("saved")},
	}
}

// changed is a page on which half of the elements are others.
func changed(p page.Page) page.Page {
	p.Elements = append([]page.Element{}, p.Elements...)
	for i := range p.Elements {
		if i%2 == 1 {
			p.Elements[i].Name += " x"
			p.Elements[i].State.Checked, p.Elements[i].State.Expanded = "true", "true"
		}
	}
	p.Text = strings.Repeat("saved a b c\n", 300) + p.Text
	page.AssignKeys(p.Elements)
	p.MeaningHash, p.DOMHash = "another", "another"
	return p
}

// TestVerdict_Cost: what a verdict, a correction and a confirmation cost grows no
// faster than the page, whatever the task and what the client says it saw.
func TestVerdict_Cost(t *testing.T) {
	t.Parallel()
	hostilePages(t, func(t *testing.T, read func(int) page.Page) {
		for _, task := range []string{hostileTasks[0], hostileTasks[8], hostileTasks[len(hostileTasks)-2]} {
			for _, w := range witnesses() {
				costtest.Grows(t, 12_000, func(size int) func() { return judge(t, task, read(size), w) })
			}
		}
	})
}

// judge asks about a click all there is to ask.
func judge(t *testing.T, task string, was page.Page, w page.Witness) func() {
	is := changed(was)
	var target page.Element
	if n := len(was.Elements); n > 0 {
		target = was.Elements[min(n-1, 300)]
	}
	click := action.Action{Name: action.Click, Target: target.ID}
	before, steps := was.Before(), longPast(was, action.Click, false)
	seen := page.Observe(before, is, w)
	return func() {
		ctx := context.Background()
		v, err := Reasoner{}.Verify(ctx, reasoning.VerifyQuestion{
			Query: task, Action: click, Target: target, Before: before, Page: is, Witness: w, Observations: seen, Steps: steps,
		})
		_, failed := Reasoner{}.Correct(ctx, reasoning.CorrectQuestion{
			Query: task, Failed: click, Target: target, Before: before, Page: is, Witness: w, Observations: seen, Steps: steps, Verdict: v, Attempt: 1,
		})
		_, open := Reasoner{}.Confirm(ctx, reasoning.ConfirmQuestion{Query: task, Page: is, Steps: steps, Observations: seen})
		if err := errors.Join(err, failed, open); err != nil {
			t.Error(err)
		}
	}
}

// ending is a context that ends after so many looks at it, and counts those after.
type ending struct {
	context.Context
	looks, after int
}

func (c *ending) Err() error {
	if c.looks--; c.looks >= 0 {
		return nil
	}
	c.after++
	return context.DeadlineExceeded
}

// TestReasoner_ObeysContext: whenever the time is over, the question ends, with
// hardly another look at the page.
func TestReasoner_ObeysContext(t *testing.T) {
	t.Parallel()
	p, err := dom.Reader{}.Read(page.Capture{URL: home, Mode: page.ModeFull, DOM: domtest.Hostile[1].Page(50_000)})
	if err != nil {
		t.Fatal(err)
	}
	task := hostileTasks[3]
	asks := map[string]func(context.Context) error{
		"act": func(ctx context.Context) error {
			_, err := Reasoner{}.Act(ctx, reasoning.ActQuestion{Client: able, Query: task, Page: p, Answers: longReplies})
			return err
		},
		"verify": func(ctx context.Context) error {
			_, err := Reasoner{}.Verify(ctx, reasoning.VerifyQuestion{Query: task, Page: p, Before: changed(p).Before(), Action: action.Action{Name: action.Wait}})
			return err
		},
		"correct": func(ctx context.Context) error {
			_, err := Reasoner{}.Correct(ctx, reasoning.CorrectQuestion{Query: task, Page: p, Failed: action.Action{Name: action.Click, Target: "f1"}, Attempt: 1})
			return err
		},
		"confirm": func(ctx context.Context) error {
			_, err := Reasoner{}.Confirm(ctx, reasoning.ConfirmQuestion{Query: task, Page: p})
			return err
		},
	}
	for name, ask := range asks {
		for _, looks := range []int{0, 1, 3, 10, 50} {
			ctx := &ending{Context: t.Context(), looks: looks}
			if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) || ctx.after > 50 {
				t.Errorf("%s, over after %d looks: %v, and %d more", name, looks, err, ctx.after)
			}
		}
	}
}

// TestAct_Allocations counts in place of taking time: however many pieces a task has,
// each label is cut into words once. It is not parallel, or others would be counted.
func TestAct_Allocations(t *testing.T) {
	for _, shape := range domtest.Hostile[:16] {
		p, err := dom.Reader{}.Read(page.Capture{URL: home, Mode: page.ModeFull, DOM: shape.Page(50_000)})
		if err != nil {
			t.Fatal(err)
		}
		texts := len(p.Elements) + maxTask
		for _, e := range p.Elements {
			texts += len(e.Options)
		}
		for _, task := range hostileTasks {
			n := testing.AllocsPerRun(1, func() { answered(t, reasoning.ActQuestion{Client: able, Query: task, Page: p}) })
			if most := float64(20 * texts); n > most {
				t.Errorf("%s, %.30q…: %.0f allocations for %d texts", shape.Suffix, task, n, texts)
			}
		}
	}
}

// hostilePage is a piece of markup many times over, empty where it cannot be read.
func hostilePage(piece string) (page.Page, string) {
	src := costtest.Repeated(piece, 30_000)
	p, _ := dom.Reader{}.Read(page.Capture{URL: home, Mode: page.ModeFull, DOM: src})
	return p, src
}

// FuzzAct_Cost looks for tasks, pages and replies whose next action costs far more
// than to parse the page.
func FuzzAct_Cost(f *testing.F) {
	f.Add("a; ", "<label>Field name<input id=f1></label>", "a, ")
	f.Add("select a from b; ", "<select id=a><option>a<option>b</select>", "the second ")
	f.Add("click Save then ", "<button id=b>Save</button>", "")
	f.Fuzz(func(t *testing.T, task, markup, reply string) {
		if len(task)+len(markup)+len(reply) > 2_000 {
			return
		}
		p, src := hostilePage(markup)
		q := reasoning.ActQuestion{
			Client: able,
			Query:  costtest.Repeated(task, maxTask), Page: p, Answers: []string{costtest.Repeated(reply, maxTask)}, Steps: longPast(p, action.Click, false),
		}
		costtest.Within(t, 200, func() { domtest.TryParse(src + q.Query) }, func() { answered(t, q) })
	})
}

// FuzzVerdict_Cost: the same of a verdict, a correction and a confirmation.
func FuzzVerdict_Cost(f *testing.F) {
	f.Add("a; ", "<label>Field name<input id=f1></label>", "Added: 'a'")
	f.Add("delete a b ", "<table><tr><td>Jas<td><button id=d>Delete</button></table>", "Added: 'saved'")
	f.Fuzz(func(t *testing.T, task, markup, event string) {
		if len(task)+len(markup)+len(event) > 2_000 {
			return
		}
		p, src := hostilePage(markup)
		var w page.Witness
		for range 50 {
			w.RecentEvents = append(w.RecentEvents, event)
		}
		costtest.Within(t, 200, func() { domtest.TryParse(src) }, judge(t, costtest.Repeated(task, maxTask), p, w))
	})
}
