package verdicts

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"
)

// Listing says which cases a report names. The held-out ones are named only to
// who audits them.
type Listing struct {
	// TestMisses names the wrong verdicts on the held-out pages too.
	TestMisses bool
	// Undecided names the undecided cases wherever wrong verdicts are named.
	Undecided bool
}

// Report prints what the verdicts are worth: figures per split and tier, a table
// per kind, the wrong verdicts, and the bars.
func Report(w io.Writer, all []Judged, l Listing) error {
	p := &printer{to: w}
	for _, split := range splitsOf(all) {
		cases := where(all, func(j Judged) bool { return j.Split == split })
		p.split(split, cases)
		p.kinds(cases)
		if split != Test || l.TestMisses {
			p.list("wrong", where(cases, Judged.Wrong))
			if l.Undecided {
				p.list("undecided", where(cases, func(j Judged) bool { return j.Verdict.Undecided }))
			}
		}
	}
	p.support(all)
	p.bars(all)
	return p.err
}

func where(all []Judged, holds func(Judged) bool) []Judged {
	var some []Judged
	for _, j := range all {
		if holds(j) {
			some = append(some, j)
		}
	}
	return some
}

func splitsOf(all []Judged) []string {
	splits := map[string]bool{}
	for _, j := range all {
		splits[j.Split] = true
	}
	sorted := slices.Sorted(maps.Keys(splits))
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return sorted
}

// rank puts what is held out last.
func rank(split string) int { return map[string]int{Train: 1, Test: 2}[split] }

// printer keeps the first error of writing.
type printer struct {
	to  io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(p.to, format, args...); p.err == nil {
		p.err = err
	}
}

// table prints rows of cells in columns.
func (p *printer) table(rows [][]string) {
	w := tabwriter.NewWriter(p.to, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for _, cell := range row {
			_, _ = fmt.Fprint(w, "  ", cell, "\t")
		}
		_, _ = fmt.Fprintln(w)
	}
	if err := w.Flush(); p.err == nil {
		p.err = err
	}
}

func (p *printer) split(name string, cases []Judged) {
	f := Count(cases)
	p.printf("\n%s: %d cases on %d pages; %s of them did not work\n\n", name, f.Cases, pagesOf(cases), percent(f.NotWorked))
	rows := [][]string{{"tier", "decided", "false success", "false failure", "tokens", "tokens saved"}}
	for tier := 1; tier <= 3; tier++ {
		ours := where(cases, func(j Judged) bool { return !j.Verdict.Undecided && j.Verdict.Tier == tier })
		if len(ours) == 0 && tier > 1 {
			continue
		}
		t := Count(ours)
		rows = append(rows, []string{
			strconv.Itoa(tier), percent(Share{len(ours), f.Cases}), percent(t.FalseSuccess), percent(t.FalseFailure),
			strconv.FormatInt(t.Tokens, 10), strconv.Itoa(t.TokensSaved),
		})
	}
	p.table(append(rows, []string{"undecided", percent(Share{f.Decided.Of - f.Decided.Count, f.Decided.Of})}))
	p.printf("\n")
	p.table([][]string{
		{"without a model", "called done though it did not work", "repeated though it worked", "asked"},
		{"", percent(f.FlowFalseDone), percent(f.FlowRepeated), percent(f.FlowAsked)},
	})
}

func percent(s Share) string {
	low, high := s.Interval()
	return fmt.Sprintf("%.1f %% (%.1f to %.1f; %d of %d)", s.Percent(), low, high, s.Count, s.Of)
}

func (p *printer) kinds(cases []Judged) {
	byKind := map[string][]Judged{}
	for _, c := range cases {
		byKind[c.Kind] = append(byKind[c.Kind], c)
	}
	rows := [][]string{{"kind", "cases", "did not work", "decided", "false success", "false failure"}}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		f := Count(byKind[kind])
		rows = append(rows, []string{
			kind, strconv.Itoa(f.Cases), strconv.Itoa(f.NotWorked.Count), strconv.Itoa(f.Decided.Count), of(f.FalseSuccess), of(f.FalseFailure),
		})
	}
	p.printf("\n")
	p.table(rows)
}

func of(s Share) string { return fmt.Sprintf("%d of %d", s.Count, s.Of) }

// list names cases with what was said of them.
func (p *printer) list(what string, cases []Judged) {
	if len(cases) == 0 {
		return
	}
	p.printf("\n%s verdicts\n", what)
	for _, c := range cases {
		p.printf("  %s\n", c.line())
	}
}

func (j Judged) line() string {
	return fmt.Sprintf("%s [%s]: %s; %s by %q at %.2f: %s",
		j.ID(), j.Kind, worked(j.Worked), j.said(), j.Verdict.Rule, j.Verdict.Confidence, j.Verdict.Reason)
}

func worked(yes bool) string {
	if yes {
		return "it worked"
	}
	return "it did not work"
}

func (j Judged) said() string {
	switch {
	case j.Verdict.Undecided:
		return "undecided"
	case j.Verdict.ActionSucceeded:
		return "called success"
	}
	return "called failure"
}

// bars prints the figures that have a bar: the number of all cases, and what
// tier 1 makes of the held-out ones.
func (p *printer) bars(all []Judged) {
	p.printf("\n")
	p.bar("cases", float64(len(all)), 1000, "cases")
	held := where(all, func(j Judged) bool { return j.Split == Test })
	if len(held) == 0 {
		p.printf("no held-out page is among them: tier 1 has no bar here\n")
		return
	}
	f := Count(held)
	p.bar("tier1_decided_pct", f.Decided.Percent(), 70, "percent")
	low, high := f.FalseSuccess.Interval()
	p.printf("%s low=%.3f high=%.3f pages=%d\n", bar("tier1_false_success_pct", f.FalseSuccess.Percent(), firstLook, "percent"), low, high, pagesOf(held))
	p.bar("tier1_false_failure_pct", f.FalseFailure.Percent(), 3, "percent")
	p.bar("flow_false_done_pct", f.FlowFalseDone.Percent(), 3, "percent")
	p.bar("flow_repeated_pct", f.FlowRepeated.Percent(), 1, "percent")
	p.bar("flow_asked_pct", f.FlowAsked.Percent(), 100, "percent")
}

// firstLook is the share of false successes, in percent, that rules have on pages by
// hands they have never seen: the average over the last six sets when these were judged
// for the first time. What a set says later has been learnt from.
const firstLook = 1.7

func (p *printer) bar(name string, ours, ref float64, unit string) {
	p.printf("%s\n", bar(name, ours, ref, unit))
}

func bar(name string, ours, ref float64, unit string) string {
	return fmt.Sprintf("BAR verify.%s ours=%.3f ref=%.3f ratio=%.3f unit=%s", name, ours, ref, ours/ref, unit)
}

func pagesOf(cases []Judged) int {
	pages := map[string]bool{}
	for _, c := range cases {
		pages[c.Page] = true
	}
	return len(pages)
}
