package history

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections"
)

// What two turns side by side can be.
const (
	SameTurn     = "same"     // the same was decided on the same page
	ReplacedTurn = "replaced" // one stands in place of the other
	OnlyA        = "onlyA"
	OnlyB        = "onlyB"
)

// Comparison is two tasks side by side, turn by turn.
type Comparison struct {
	A    ComparedTask  `json:"a"`
	B    ComparedTask  `json:"b"`
	Rows []ComparedRow `json:"rows"`
	// Same, Replaced, OnlyA and OnlyB count the rows.
	Same     int `json:"same"`
	Replaced int `json:"replaced"`
	OnlyA    int `json:"onlyA"`
	OnlyB    int `json:"onlyB"`
}

// ComparedTask is one side of a comparison.
type ComparedTask struct {
	TaskID string      `json:"taskId"`
	Query  string      `json:"query"`
	Status task.Status `json:"status"`
	Code   string      `json:"code,omitempty"`
	Turns  int         `json:"turns"`
	Totals CallTotals  `json:"totals"`
}

// ComparedRow is a turn of each task, or of one. Differs names what is not the same in
// both: page, decision, verdict, cost, status.
type ComparedRow struct {
	Kind    string        `json:"kind"`
	A       *ComparedTurn `json:"a,omitempty"`
	B       *ComparedTurn `json:"b,omitempty"`
	Differs []string      `json:"differs,omitempty"`
}

// ComparedTurn is what of a turn is compared.
type ComparedTurn struct {
	Turn        int    `json:"turn"`
	URL         string `json:"url"`
	MeaningHash string `json:"meaningHash"`
	// Kind, TargetRole and TargetName are the decision: the turn's last action. A turn
	// without one asked, or ended: Kind is then its status.
	Kind       string `json:"decision"`
	Action     string `json:"action,omitempty"`
	TargetRole string `json:"targetRole,omitempty"`
	TargetName string `json:"targetName,omitempty"`
	// Verdict is the last one on that action, whichever turn gave it, Rule what gave it.
	Verdict string `json:"verdict,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Status  string `json:"status"`
	CostUSD string `json:"costUSD"`
}

// Compare puts two tasks of a tenant side by side. Turns match where the same was
// decided (kind of action, role and name of the target) on the same page: one that means
// the same, or has the same address but for query and fragment. It returns
// TASK_NOT_FOUND if either is not the tenant's.
func (r Reader) Compare(ctx context.Context, tenant, a, b string) (Comparison, error) {
	c, err := r.compare(ctx, tenant, a, b)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare tasks %s and %s: %w", a, b, projections.Unavailable(err))
	}
	return c, nil
}

func (r Reader) compare(ctx context.Context, tenant, a, b string) (c Comparison, err error) {
	var turnsA, turnsB []ComparedTurn
	if c.A, turnsA, err = r.side(ctx, tenant, a); err != nil {
		return c, err
	}
	if c.B, turnsB, err = r.side(ctx, tenant, b); err != nil {
		return c, err
	}
	c.Rows = Rows(turnsA, turnsB)
	for _, row := range c.Rows {
		switch row.Kind {
		case SameTurn:
			c.Same++
		case ReplacedTurn:
			c.Replaced++
		case OnlyA:
			c.OnlyA++
		case OnlyB:
			c.OnlyB++
		}
	}
	return c, nil
}

func (r Reader) side(ctx context.Context, tenant, id string) (side ComparedTask, turns []ComparedTurn, err error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return side, nil, err
	}
	ledger, err := r.ledger(ctx, h.id)
	if err != nil {
		return side, nil, err
	}
	var whole []Turn
	t := newTimeline(func(turn Turn) { whole = append(whole, turn) })
	for _, recorded := range h.events {
		e, err := h.glance(recorded)
		if err != nil {
			return side, nil, err
		}
		t.add(e)
	}
	t.end(nil)
	calls := callsOf(ledger)
	side = ComparedTask{TaskID: h.id, Query: t.state.Query, Status: t.state.Status, Code: t.state.Code, Turns: len(whole)}
	if side.Totals, err = Sum(calls); err != nil {
		return side, nil, err
	}
	turns, err = compared(whole, calls)
	return side, turns, err
}

// compared takes of turns what is compared.
func compared(whole []Turn, calls []ModelCall) ([]ComparedTurn, error) {
	verdicts := map[int64]GivenVerdict{} // by the revision of the action
	costs := map[int][]ModelCall{}
	for _, c := range calls {
		costs[c.Turn] = append(costs[c.Turn], c)
	}
	for _, t := range whole {
		for _, v := range t.Verdicts {
			if v.Of != nil {
				verdicts[v.Of.Revision] = v
			}
		}
	}
	turns := make([]ComparedTurn, 0, len(whole))
	for _, t := range whole {
		sum, err := Sum(costs[t.Turn])
		if err != nil {
			return nil, err
		}
		c := ComparedTurn{Turn: t.Turn, URL: t.Before.URL, MeaningHash: t.Before.MeaningHash, Kind: t.Status, Status: t.Status, CostUSD: sum.CostUSD}
		if t.Ended != nil {
			c.Kind = string(t.Ended.Status)
		}
		if n := len(t.Actions); n > 0 {
			a := t.Actions[n-1]
			c.Kind, c.Action, c.TargetRole, c.TargetName = a.Kind, a.Action, a.TargetRole, a.TargetName
			v := verdicts[a.Revision]
			c.Verdict, c.Rule = string(v.Outcome), cmp.Or(v.Rule, v.By)
		}
		turns = append(turns, c)
	}
	return turns, nil
}

// Rows aligns the turns of two tasks.
func Rows(a, b []ComparedTurn) []ComparedRow {
	rows := []ComparedRow{}
	match := func(a, b ComparedTurn) bool { return a.samePage(b) && a.sameDecision(b) }
	for _, p := range Align(a, b, match) {
		row := ComparedRow{Kind: ReplacedTurn}
		if p.A >= 0 {
			row.A = &a[p.A]
		}
		if p.B >= 0 {
			row.B = &b[p.B]
		}
		switch {
		case p.Match:
			row.Kind = SameTurn
		case row.A == nil:
			row.Kind = OnlyB
		case row.B == nil:
			row.Kind = OnlyA
		}
		if row.A != nil && row.B != nil {
			row.Differs = row.A.differences(*row.B)
		}
		rows = append(rows, row)
	}
	return rows
}

func (t ComparedTurn) samePage(o ComparedTurn) bool {
	return t.MeaningHash != "" && t.MeaningHash == o.MeaningHash || t.URL != "" && place(t.URL) == place(o.URL)
}

// place is an address without query and fragment.
func place(address string) string {
	if end := strings.IndexAny(address, "?#"); end >= 0 {
		address = address[:end]
	}
	return strings.TrimSuffix(address, "/")
}

func (t ComparedTurn) sameDecision(o ComparedTurn) bool {
	return t.Kind == o.Kind && t.TargetRole == o.TargetRole && t.TargetName == o.TargetName
}

func (t ComparedTurn) differences(o ComparedTurn) (out []string) {
	for _, d := range []struct {
		name string
		same bool
	}{
		{"page", t.samePage(o)},
		{"decision", t.sameDecision(o)},
		{"verdict", t.Verdict == o.Verdict},
		{"status", t.Status == o.Status},
		{"cost", t.CostUSD == o.CostUSD},
	} {
		if !d.same {
			out = append(out, d.name)
		}
	}
	return out
}
