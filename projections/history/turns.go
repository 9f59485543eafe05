package history

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

// Turns is a part of a task's timeline.
type Turns struct {
	TaskID string `json:"taskId"`
	// Head is the revision of the newest event there is, Last the newest turn.
	Head  int64  `json:"head"`
	Last  int    `json:"last"`
	Turns []Turn `json:"turns"`
	More  bool   `json:"more"`
	// Paused is who holds the task now, nil if nobody does.
	Paused *Hold `json:"paused,omitempty"`
	// Totals are of all model calls of the task, whatever part of it this is: what its
	// turns and OtherCalls cost, added up.
	Totals CallTotals `json:"totals"`
	// OtherCalls name a turn the task does not have.
	OtherCalls []ModelCall `json:"otherCalls"`
}

// Page sizes of Turns.
const (
	DefaultTurns = 20
	MaxTurns     = 200
)

// Turns returns at most limit turns (0: DefaultTurns) from a turn on; turns are
// numbered from 1. It returns TASK_NOT_FOUND for a task of another tenant.
func (r Reader) Turns(ctx context.Context, tenant, id string, from, limit int) (Turns, error) {
	if limit <= 0 {
		limit = DefaultTurns
	}
	t, err := r.turns(ctx, tenant, id, from, min(limit, MaxTurns))
	if err != nil {
		return Turns{}, fmt.Errorf("turns of task %s: %w", id, projections.Unavailable(err))
	}
	return t, nil
}

// Turn returns one turn. It returns a NotFound error if there is no such turn, or if
// the task is another tenant's.
func (r Reader) Turn(ctx context.Context, tenant, id string, turn int) (Turn, error) {
	t, err := r.turns(ctx, tenant, id, turn, 1)
	if err == nil && (len(t.Turns) == 0 || t.Turns[0].Turn != turn) {
		err = noTurn(turn, t.Last)
	}
	if err != nil {
		return Turn{}, fmt.Errorf("turn %d of task %s: %w", turn, id, projections.Unavailable(err))
	}
	return t.Turns[0], nil
}

func noTurn(turn, last int) *domain.Error {
	return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "the task has no turn %d; its newest is %d", turn, last).At("turn")
}

func (r Reader) turns(ctx context.Context, tenant, id string, from, limit int) (Turns, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return Turns{}, err
	}
	ledger, err := r.ledger(ctx, h.id)
	if err != nil {
		return Turns{}, err
	}
	began, err := h.turnsBegan()
	if err != nil {
		return Turns{}, err
	}
	known := map[int]bool{}
	out := Turns{TaskID: h.id, Head: h.head, Turns: []Turn{}, OtherCalls: []ModelCall{}}
	for _, t := range began {
		known[t.turn], out.Last = true, t.turn
	}
	calls := callsOf(ledger)
	if out.Totals, err = Sum(calls); err != nil {
		return Turns{}, err
	}
	of, others := byTurn(calls, known)
	out.OtherCalls = append(out.OtherCalls, others...)
	if out.Turns, out.More, err = h.turns(began, from, limit); err != nil {
		return Turns{}, err
	}
	if out.Paused, err = h.paused(); err != nil {
		return Turns{}, err
	}
	for i := range out.Turns {
		t := &out.Turns[i]
		t.Calls = append(t.Calls, of[t.Turn]...)
		if t.Totals, err = Sum(t.Calls); err != nil {
			return Turns{}, err
		}
	}
	return out, nil
}

// paused is the newest pause, if it is not over.
func (h stream) paused() (*Hold, error) {
	for _, r := range slices.Backward(h.events) {
		switch r.Type {
		case task.NameTaskHandedBack, task.NameTaskCompleted, task.NameTaskFailed, task.NameTaskErased:
			return nil, nil
		case task.NameTaskPaused:
			e, err := h.decode(r)
			if err != nil {
				return nil, err
			}
			if d, ok := e.Data.(task.TaskPaused); ok {
				return &Hold{e.Revision, string(d.Kind), d.By, e.RecordedAt, d.Note}, nil
			}
		}
	}
	return nil, nil
}

// turnBegan is where a turn begins: the index of its first event.
type turnBegan struct{ turn, event int }

func (h stream) turnsBegan() (all []turnBegan, err error) {
	for i, e := range h.events {
		if e.Type != task.NamePageObserved {
			continue
		}
		turn, err := turnAt(e, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, turnBegan{turn, i})
	}
	return all, nil
}

// turnAt is the turn an event belongs to, which comes after an event of another.
func turnAt(e eventstore.Recorded, before int) (int, error) {
	if e.Type != task.NamePageObserved {
		return before, nil
	}
	var seen struct {
		Turn int `json:"turn"`
	}
	err := json.Unmarshal(e.Data, &seen)
	return seen.Turn, err
}

// turns folds what is before the first turn asked for and the turns, and reads the
// page after the last of them.
func (h stream) turns(began []turnBegan, from, limit int) (turns []Turn, more bool, err error) {
	turns = []Turn{}
	first, end := len(h.events), len(h.events)
	for i, b := range began {
		if b.turn < from {
			continue
		}
		first = min(first, b.event)
		if i+1 < len(began) {
			end = began[i+1].event
		} else {
			end = len(h.events)
		}
		if limit--; limit == 0 {
			more = i+1 < len(began)
			break
		}
	}
	if first == len(h.events) {
		return turns, false, nil
	}
	t := newTimeline(func(turn Turn) {
		if turn.Turn >= from {
			turns = append(turns, turn)
		}
	})
	for i, recorded := range h.events[:end] {
		read := h.glance
		if i >= first {
			read = h.decode
		}
		e, err := read(recorded)
		if err != nil {
			return nil, false, err
		}
		t.add(e)
	}
	if !more {
		t.end(nil)
		return turns, more, nil
	}
	next, err := h.glance(h.events[end])
	if err != nil {
		return nil, false, err
	}
	if seen, ok := next.Data.(task.PageObserved); ok {
		after := snapshot(seen)
		t.end(&after)
	}
	return turns, more, nil
}
