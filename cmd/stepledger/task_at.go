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
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				s, err := stateAt(ctx, r, tenant, args)
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

func stateAt(ctx context.Context, r history.Reader, tenant string, args []string) (history.State, error) {
	if len(args) < 2 {
		return r.StateAt(ctx, tenant, args[0], history.Latest)
	}
	if at, err := time.Parse(time.RFC3339, args[1]); err == nil {
		return r.StateAtTime(ctx, tenant, args[0], at)
	}
	revision, err := revisionArg(args[1])
	if err != nil {
		return history.State{}, fmt.Errorf("%w, nor a time like 2026-11-01T12:00:00Z", err)
	}
	return r.StateAt(ctx, tenant, args[0], revision)
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
