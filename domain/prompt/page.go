package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
)

// Budgets in tokens.
const (
	// MaxTokens is the budget of a page in a prompt, including its legend (spec: DOM
	// RAG).
	MaxTokens = 2_000
	// enough is the size from which elements that the task is not about are left out:
	// the specification's 50 to 100 nodes in about 500 tokens.
	enough = 350
	// maxText is for the page's text.
	maxText = 250
	// opening is the budget for the beginning of the text if elements are what the
	// task is about.
	opening = 60
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

// Rendering is a page as a prompt shows it.
type Rendering struct {
	Text string
	// Shown are the ids of the elements in it, in the page's order; Left is how many
	// operable elements are not.
	Shown []string
	Left  int
}

// Page renders a page for a task: address, messages and headings, the elements under
// the Legend, and the relevant text. It keeps within budget tokens, including the
// legend's (models are given MaxTokens).
//
// Elements the task is about, and those that can be filled in or pressed, are shown
// as far as the budget allows; others only up to about 350 tokens in all. If nothing
// on the page is about the task, everything is shown as far as the budget allows.
// Elements without an id or that no person can see are not shown.
func Page(p page.Page, task string, budget int) Rendering {
	q := newQuery(task)
	head := headOf(p, q)
	budget -= Tokens(Legend) + Tokens(head)
	list, anyAbout := rank(actionable(p), q)
	s := selection{list: list, lines: make([]string, len(list)), room: budget - textShare(p), ample: budget}
	unasked := maxText
	if anyAbout {
		s.ample, unasked = enough, opening
	}
	s.choose(q, hostOf(p.URL))
	r := s.render()
	budget -= s.used
	var b strings.Builder
	b.WriteString(head)
	fmt.Fprintf(&b, "elements (%d of %d):\n%s", len(r.Shown), len(list), r.Text)
	if len(p.Scrollable) > 0 {
		fmt.Fprintf(&b, "more can be scrolled into view in: %s\n", Clip(strings.Join(p.Scrollable, ", "), maxTitle))
	}
	if text := window(p.Text, q, Tokens, min(budget-fixed, maxText), unasked); text != "" {
		fmt.Fprintf(&b, "text: %s\n", text)
	}
	r.Text = strings.TrimRight(b.String(), "\n")
	return r
}

// fixed is the most tokens of the lines around the elements.
const fixed = 60

// textShare is the part of the budget reserved for text.
func textShare(p page.Page) int {
	if p.Text == "" {
		return fixed
	}
	return fixed + maxText/2
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

// actionable returns the elements an action may name. Ids are put into the prompt as
// they are, so an id with invisible characters is left out.
func actionable(p page.Page) []page.Element {
	var out []page.Element
	for _, e := range p.Elements {
		if e.ID != "" && len(e.ID) <= action.MaxTarget && e.ID == page.Clean(e.ID) && !e.State.Hidden {
			out = append(out, e)
		}
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

// selection fills a budget with lines of elements.
type selection struct {
	list  []ranked
	lines []string // of the chosen, "" of the others
	room  int      // tokens there are
	ample int      // where what is not about the task ends
	used  int
}

// choose takes elements by weight, each with the line that names its container if it
// is the first of it.
func (s *selection) choose(q query, host string) {
	order := make([]int, len(s.list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.list[b].weight, s.list[a].weight) })
	twins := twinsOf(s.list)
	opened := map[int]bool{}
	for _, i := range order {
		if s.room-s.used < leastLine {
			break
		}
		e := s.list[i]
		if s.used >= s.ample && !e.about && baseWeight(e.Element) == 0 {
			continue
		}
		l := line(e.Element, q, host, twins[twinKey(e)] > 1)
		n := Tokens(l + "\n")
		if !opened[e.chunk] {
			n += Tokens(groupLine(e.Group))
		}
		if s.used+n > s.room {
			continue
		}
		s.lines[i], opened[e.chunk] = l, true
		s.used += n
	}
}

// leastLine is the tokens of a line with only an id and a role.
const leastLine = 3

// twinsOf counts elements with the same text.
func twinsOf(list []ranked) map[string]int {
	out := make(map[string]int, len(list))
	for _, e := range list {
		out[twinKey(e)]++
	}
	return out
}

func twinKey(e ranked) string { return e.Role + "\x00" + nameOf(e.Element) + "\x00" + e.Group }

func groupLine(group string) string { return "g " + quote(group, maxGroup) + "\n" }

// render writes the chosen lines in the page's order.
func (s *selection) render() Rendering {
	var r Rendering
	var b strings.Builder
	group := quote("", maxGroup)
	for i, l := range s.lines {
		if l == "" {
			r.Left++
			continue
		}
		if g := quote(s.list[i].Group, maxGroup); g != group {
			group = g
			b.WriteString("g " + g + "\n")
		}
		b.WriteString(l + "\n")
		r.Shown = append(r.Shown, s.list[i].ID)
	}
	r.Text = b.String()
	return r
}
