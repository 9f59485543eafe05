package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
)

// Budgets in tokens.
const (
	// MaxTokens is the budget of a page in a prompt, including its legend, unless
	// another is configured.
	MaxTokens = 6_000
	// MinTokens is the least that can be configured: the legend and a dozen elements.
	MinTokens = 1_000
	// maxGap is for the text before one element, unless there is room for more.
	maxGap = 80
	// fixed is for the lines around the elements.
	fixed = 80
	// maxOmissions bounds the lines that say what is left out where, of at most
	// omission tokens each.
	maxOmissions = 12
	omission     = 28
)

// Bounds of the lines before the elements.
const (
	maxURL      = 200
	maxTitle    = 100
	maxAlerts   = 10
	maxAlert    = 200
	maxHeadings = 3
	maxHeading  = 60
)

// View is for what a page is rendered.
type View struct {
	Task string
	// Tokens is the budget, including the legend; 0 is MaxTokens.
	Tokens int
	// Simple: the task is a small one, for which two thirds of the budget are enough,
	// and half of that if it names something on the page.
	Simple bool
	// Before is the page before the last action. What is new since is marked.
	Before page.Skeleton
}

func (v View) budget() int {
	n := cmp.Or(v.Tokens, MaxTokens)
	if v.Simple {
		n = max(min(n, MinTokens), n*2/3)
	}
	return n
}

// Rendering is a page as a prompt shows it.
type Rendering struct {
	Text string
	// Shown are the ids of the elements in it, in the page's order; Left is how many
	// operable elements are not.
	Shown []string
	Left  int
}

// Page renders a page: address, messages and headings, then elements and text as they
// follow each other on the page, under the Legend. It keeps within the budget,
// including the legend's.
//
// Elements the task is about, and those that can be filled in or pressed, come first
// if there is not room for all; each brings the text before it. What is left out is
// counted, where it would stand and in all. Elements without an id or that no person
// can see are not shown.
func Page(p page.Page, v View) Rendering {
	r, _ := render(p, v)
	return r
}

// render also returns what was selected, for what comes after.
func render(p page.Page, v View) (Rendering, *selection) {
	s := newSelection(p, v)
	head := headOf(p, s.q)
	s.room = v.budget() - Tokens(Legend) - Tokens(head) - fixed
	s.choose(v.Simple)
	var r Rendering
	body := s.write(&r)
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "elements (%d of %d):\n%s", len(r.Shown), len(s.list), body)
	if line := s.leftOut(); line != "" {
		b.WriteString(line + "\n")
	}
	r.Text = strings.TrimRight(b.String(), "\n")
	return r, s
}

func headOf(p page.Page, q query) string {
	var b strings.Builder
	fmt.Fprintf(&b, "url: %s\n", Clip(p.URL, maxURL))
	if p.Title != "" {
		fmt.Fprintf(&b, "title: %s\n", Clip(p.Title, maxTitle))
	}
	for _, a := range p.Alerts[:min(len(p.Alerts), maxAlerts)] {
		fmt.Fprintf(&b, "message (%s): %s\n", a.Kind, Clip(a.Text, maxAlert))
	}
	for _, h := range headings(p.Headings, q) {
		fmt.Fprintf(&b, "heading: %s\n", Clip(h, maxHeading))
	}
	b.WriteString(focusLine(p))
	b.WriteString(scrollLines(p))
	return b.String()
}

// focusLine says what has the focus, where no line of an element does.
func focusLine(p page.Page) string {
	e, ok := p.ByID(p.ActiveElement)
	if !ok || !e.State.Hidden {
		return ""
	}
	line := "focus: on a " + shortRole(e.Role)
	if name := nameOf(e); name != "" {
		line += " " + guessMark(e) + quote(name, maxName)
	}
	return line + " that is not listed\n"
}

// maxScrolls bounds the lines about what can be scrolled.
const maxScrolls = 8

// scrollLines says how far the page and its regions are scrolled, as far as the client
// has said so.
func scrollLines(p page.Page) string {
	var b strings.Builder
	if at := Clip(p.ScrollPosition, maxRole); at != "" {
		fmt.Fprintf(&b, "scrolled: the page is at %s\n", at)
	}
	known := map[string]bool{}
	n := 0
	add := func(id, how string) {
		if known[id] || n == maxScrolls || id == "" || id != page.Clean(id) || len(id) > 2*maxName {
			return
		}
		known[id] = true
		n++
		b.WriteString("can be scrolled: " + bare(id))
		if e, ok := p.ByID(id); ok && nameOf(e) != "" {
			b.WriteString(" " + quote(nameOf(e), maxGroup))
		}
		b.WriteString(", " + how + "\n")
	}
	for _, r := range p.Regions {
		how := "nothing more below"
		if r.More {
			how = "more is below"
		}
		if at := Clip(r.Depth, maxRole); at != "" {
			how = "is at " + at + ", " + how
		}
		add(r.ID, how)
	}
	for _, id := range p.Scrollable {
		add(id, "more may be below")
	}
	return b.String()
}

// headings returns the first headings, the last of them replaced by relevant ones.
func headings(all []string, q query) []string {
	if len(all) <= maxHeadings {
		return all
	}
	order := byRelevance(all, q)
	for i := range all {
		order = append(order, i)
	}
	var take []int
	for _, i := range order {
		if len(take) < maxHeadings && !slices.Contains(take, i) {
			take = append(take, i)
		}
	}
	slices.Sort(take)
	out := make([]string, len(take))
	for i, j := range take {
		out[i] = all[j]
	}
	return out
}

func hostOf(raw string) string {
	u, err := weburl.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}
