package web

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/stepledger/stepledger/projections/history"
)

type graphView struct {
	Head taskHead
	history.CausalGraph
	Turn  int
	Lines []graphLine
	Arcs  []arc
	// Width and Height of the drawing, Text where its lines begin.
	Width, Height, Text int
	// Labels of nodes by their ids.
	Labels map[string]string
}

// graphLine is a node of the drawing.
type graphLine struct {
	history.GraphNode
	Y     int
	Label string
}

// arc is an edge of the drawing: from one line to another, on their left.
type arc struct {
	Path     string
	Inferred bool
	Label    string
}

const (
	lineHeight = 26
	// maxReach bounds how far an arc goes to the left, and so how wide the drawing is.
	maxReach = 180
	// maxDrawn is the number of nodes up to which a drawing can be read.
	maxDrawn = 150
)

// graph shows what led to what in a turn: the one asked for, or the last.
func (p *Pages) graph(r *request) error {
	id := r.PathValue("task")
	n, err := number(r.URL.Query().Get("turn"))
	if err != nil {
		return err
	}
	v := graphView{Turn: n, Labels: map[string]string{}}
	if v.Head, err = p.head(r, "graph"); err != nil {
		return err
	}
	if v.Turn == 0 {
		var t turns
		if err := p.get(r, &t, url.Values{"limit": {"1"}}, "debug", "tasks", id, "turns"); err != nil {
			return err
		}
		v.Turn = max(1, t.Last)
	}
	if err := p.get(r, &v.CausalGraph, url.Values{"turn": {strconv.Itoa(v.Turn)}}, "debug", "tasks", id, "graph"); err != nil {
		return err
	}
	v.draw()
	return p.show(r, "graph", "tasks", "Causes in "+v.Head.Query, v)
}

// draw puts the nodes one under the other and the edges as arcs beside them.
func (v *graphView) draw() {
	at := map[string]int{}
	for i, n := range v.Nodes {
		v.Labels[n.ID] = nodeLabel(n)
		if i < maxDrawn {
			at[n.ID] = lineHeight/2 + i*lineHeight
			v.Lines = append(v.Lines, graphLine{n, at[n.ID], v.Labels[n.ID]})
		}
	}
	v.Text, v.Height, v.Width = maxReach+16, len(v.Lines)*lineHeight, maxReach+16+560
	for _, e := range v.Recorded {
		v.arc(at, e.From, e.To, false, e.In)
	}
	for _, e := range v.Inferred {
		v.arc(at, e.From, e.To, true, e.Rule)
	}
}

func (v *graphView) arc(at map[string]int, from, to string, inferred bool, label string) {
	a, ok := at[from]
	b, there := at[to]
	if !ok || !there {
		return
	}
	reach := min(maxReach, 14+abs(a-b)/3)
	x := v.Text - 8
	v.Arcs = append(v.Arcs, arc{
		Path:     fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x, a, x-reach, a, x-reach, b, x, b),
		Inferred: inferred,
		Label:    fmt.Sprintf("%s → %s: %s", v.Labels[from], v.Labels[to], label),
	})
}

func abs(n int) int { return max(n, -n) }

func nodeLabel(n history.GraphNode) string {
	switch {
	case n.Model != "":
		return "rows of " + n.Model
	case n.Revision != nil && n.Type != "":
		return fmt.Sprintf("%d %s", *n.Revision, shortType(n.Type))
	case n.Type != "":
		return shortType(n.Type)
	case n.Call != "":
		return n.Kind + " " + n.Call
	}
	return n.Kind
}
