package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections/history"
)

func (l looking) atCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "at TASK [REVISION|TIME]",
		Short: "Print the task's state as it was right after a revision, or at a time (2026-11-01T12:00:00Z); the newest if neither is given",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readMoment(append(args, "")[1])
			if err != nil {
				return err
			}
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				s, err := m.state(ctx, r, tenant, args[0])
				if err != nil {
					return err
				}
				var state task.State
				if err := json.Unmarshal(s.State, &state); err != nil {
					return err
				}
				return l.print(s, func(w io.Writer) { printState(w, s, state) })
			})
		},
	}
}

// moment is a revision, or a time where there is one.
type moment struct {
	revision int64
	at       time.Time
}

// readMoment reads a revision or a time; the newest state for "".
func readMoment(text string) (moment, error) {
	if text == "" {
		return moment{revision: history.Latest}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return moment{at: at}, nil
	}
	revision, err := revisionArg(text)
	if err != nil {
		return moment{}, fmt.Errorf("%w, nor a time like 2026-11-01T12:00:00Z", err)
	}
	return moment{revision: revision}, nil
}

func (m moment) state(ctx context.Context, r history.Reader, tenant, id string) (history.State, error) {
	if !m.at.IsZero() {
		return r.StateAtTime(ctx, tenant, id, m.at)
	}
	return r.StateAt(ctx, tenant, id, m.revision)
}

// printState prints what tells most of a state; fields and --json have the rest.
func printState(w io.Writer, s history.State, t task.State) {
	row := func(name string, value any) { fmt.Fprintf(w, "%s\t%s\n", name, cell(fmt.Sprint(value), stateCell)) }
	row("after event", fmt.Sprintf("%d of %d, %s", s.Revision, s.Head, shortType(s.Type)))
	row("recorded", s.RecordedAt.UTC().Format(time.RFC3339Nano))
	row("status", t.Status)
	row("query", t.Query)
	row("turn", fmt.Sprintf("%d, open %v", t.Turn.Number, t.Turn.Open))
	row("page", t.Observed.URL)
	for _, optional := range [][2]string{{"question", t.Question}, {"note", t.Note}, {"code", t.Code}, {"message", t.Message}} {
		if optional[1] != "" {
			row(optional[0], optional[1])
		}
	}
	if p := t.Pause; p != nil {
		row(heldWords[string(p.Kind)], fmt.Sprintf("by user %s since %s", p.By, p.At.UTC().Format(time.DateTime)))
	}
	row("failures in a row", t.ConsecutiveFailures)
	if t.Plan != nil {
		row("plan", fmt.Sprintf("step %d of %d", t.Plan.Current+1, len(t.Plan.Steps)))
	}
	for _, step := range t.Steps {
		for _, a := range step.Attempts {
			verdict := "no verdict"
			if a.Verdict != nil {
				verdict = string(a.Verdict.Outcome)
			}
			row(fmt.Sprintf("step %d", step.Index), fmt.Sprintf("%s: %s", a.Action, verdict))
		}
	}
}

// stateCell is how much of a text of the state is printed.
const stateCell = 120
