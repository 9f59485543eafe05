package rules

import (
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/costtest"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/dom/domtest"
)

// outcomes are what a click came to on a large page: what the page has more then,
// and the rule that speaks of it. After success what is left of the task is looked
// for as well; a banner is left to the last of the rules.
var outcomes = []struct {
	suffix, brings, rule string
}{
	{"", `<div role="status" class="toast success">The note was saved</div>`, "page-says-success"},
	{"_content", `<ul><li>Lines of the harbour</li><li>And of the ropewalk behind it</li><li><a href="/n/1">Ferries</a></li><li><a href="/n/2">Winter</a></li><li><a href="/n/3">Birds</a></li></ul>`, "content-came"},
	{"_banner", `<p>Twelve people look at this page now, and some have left a note for the editors.</p>`, "no-reaction"},
}

// BenchmarkVerifyPage: what a verdict without a model costs once the page has been
// read, beside the bare parse of that page.
func BenchmarkVerifyPage(b *testing.B) {
	for range b.N {
		for _, shape := range domtest.Shapes {
			for _, o := range outcomes {
				const end = "</main>"
				before := strings.Replace(shape.Page(200_000), end, `<div><input aria-label="Nickname" value="Jas"><button type="button">Pin note</button></div>`+end, 1)
				after := strings.Replace(before, `mx-auto">`, `mx-auto">`+o.brings, 1)
				q := pinned(b, before, after)
				if v := verify(b, q); v.Rule != o.rule {
					b.Fatalf("%s%s: rule %q speaks, not %q: %s", shape.Suffix, o.suffix, v.Rule, o.rule, v.Reason)
				}
				domtest.SideBySide("verify", "page_200k"+shape.Suffix+o.suffix+"_vs_htmlparse", 21, 10,
					func() { verify(b, q) },
					func() { domtest.Parse(after) })
			}
		}
	}
}

// pinned asks about a click on the last control of a page, which became another.
func pinned(b *testing.B, before, after string) reasoning.VerifyQuestion {
	was, is := read(b, before), read(b, after)
	field, target := was.Elements[len(was.Elements)-2], was.Elements[len(was.Elements)-1]
	return reasoning.VerifyQuestion{
		Query:  "enter 'Jas' as nickname and click 'Pin note'",
		Action: action.Action{Name: action.Click, Target: target.ID}, Target: target, Before: was.Before(), Page: is,
		Steps: []reasoning.Step{{
			Action: action.Action{Name: action.SetValue, Target: field.ID, Text: "Jas"}, Target: page.Describe(field), Verified: true, Succeeded: true,
		}},
	}
}

func verify(b *testing.B, q reasoning.VerifyQuestion) reasoning.Verdict {
	q.Observations = page.Observe(q.Before, q.Page, q.Witness)
	v, err := Reasoner{}.Verify(b.Context(), q)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

func read(b *testing.B, src string) page.Page {
	p, err := dom.Reader{}.Read(page.Capture{URL: home, Mode: page.ModeFull, DOM: src})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// BenchmarkHostile: what the worst tasks and pages that are taken cost, beside the bare
// parse of the page.
func BenchmarkHostile(b *testing.B) {
	for range b.N {
		for name, task := range map[string]string{"unclear": hostileTasks[0], "fields": hostileTasks[3], "row": hostileTasks[8]} {
			for _, shape := range domtest.Hostile[:13] {
				if shape.Suffix != "labels" && shape.Suffix != "radios" && shape.Suffix != "rows" {
					continue
				}
				src := shape.Page(page.MaxDOM - 1_000)
				q := reasoning.ActQuestion{Client: able, Query: task, Page: read(b, src)}
				if took := costtest.Of(func() { nextAction(b, q) }); took > 2*time.Second {
					b.Errorf("%s, %s: %v of a processor", name, shape.Suffix, took)
				}
				domtest.SideBySide("verify", "act_"+name+"_"+shape.Suffix+"_vs_htmlparse", 5, 2, func() { nextAction(b, q) }, func() { domtest.Parse(src) })
			}
		}
	}
}

func nextAction(b *testing.B, q reasoning.ActQuestion) {
	if _, err := (Reasoner{}).Act(b.Context(), q); err != nil {
		b.Fatal(err)
	}
}
