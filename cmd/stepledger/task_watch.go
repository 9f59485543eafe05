package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections/history"
)

// watchEvery is how often a watched stream is looked at: a read of one row.
const watchEvery = 300 * time.Millisecond

func (l looking) watchCmd() *cobra.Command {
	var from int64
	cmd := &cobra.Command{
		Use:   "watch TASK",
		Short: "Print the task's turns and events, and then new ones as they come, until it ends or Ctrl-C; --json: one object a line",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l.out = plainText{l.out}
			return l.withSystem(cmd.Context(), func(s *system) error {
				tenant, err := s.tenantOf(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return unlessStopped(cmd.Context(), l.watch(cmd.Context(), s, tenant, args[0], from))
			})
		},
	}
	cmd.Flags().Int64Var(&from, "from", 0, "the revision to begin at")
	return cmd
}

// unlessStopped is the error of a command that a person ends with Ctrl-C.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil
	}
	return err
}

// watch prints events from a revision on until the task has ended.
func (l looking) watch(ctx context.Context, s *system, tenant, id string, from int64) error {
	r := s.history()
	for {
		page, err := r.Events(ctx, tenant, id, history.Filter{From: from, Limit: historyPage})
		if err != nil {
			return err
		}
		over := false
		for _, e := range page.Events {
			if err := l.printWatched(e); err != nil {
				return err
			}
			over, from = over || endsTask(e.Data), e.Revision+1
		}
		if page.More {
			continue
		}
		// The end of a task and of its turn are appended together. A revision beyond it
		// to begin at finds the task over, too.
		if over || len(page.Events) == 0 && from > page.Head && l.isOver(ctx, r, tenant, id) {
			return nil
		}
		if err := newEvents(ctx, s, id, from); err != nil {
			return err
		}
	}
}

func endsTask(e task.Event) bool {
	switch e.(type) {
	case task.TaskCompleted, task.TaskFailed:
		return true
	}
	return false
}

// isOver reports whether the task had ended before what is watched.
func (l looking) isOver(ctx context.Context, r history.Reader, tenant, id string) bool {
	page, err := r.Events(ctx, tenant, id, history.Filter{Limit: 1, Types: []string{task.NameTaskCompleted, task.NameTaskFailed}})
	return err == nil && len(page.Events) > 0
}

// newEvents returns when the stream has an event of that revision.
func newEvents(ctx context.Context, s *system, id string, revision int64) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		slice, err := s.events.ReadStream(ctx, task.Stream(id), eventstore.ReadOptions{From: revision, Limit: 1})
		if err != nil || len(slice.Events) > 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (l looking) printWatched(e history.Event) error {
	if *l.asJSON {
		enc := json.NewEncoder(l.out)
		enc.SetEscapeHTML(false)
		return enc.Encode(e)
	}
	if seen, ok := e.Data.(task.PageObserved); ok {
		_, err := fmt.Fprintf(l.out, "\nturn %d  %s\n", seen.Turn, cell(strings.TrimSpace(seen.URL+" "+seen.Title), textCell))
		return err
	}
	_, err := fmt.Fprintf(l.out, "%s %5d  %-22s %s\n", e.RecordedAt.UTC().Format(time.TimeOnly), e.Revision, shortType(e.Type), cell(wordsOf(e.Data), textCell))
	return err
}

// wordsOf is what an event says, for a person.
func wordsOf(e task.Event) string {
	switch e := e.(type) {
	case task.TaskStarted:
		return e.Query
	case task.ActionGenerated:
		return strings.Join([]string{e.Action, e.Target.Role, e.Target.Name, "- " + e.Thought}, " ")
	case task.CorrectionIssued:
		return strings.Join([]string{e.RetryAction, e.RetryTarget.Role, e.RetryTarget.Name, "- " + e.Reason}, " ")
	case task.ActionVerified:
		return fmt.Sprintf("step %d %s (%s): %s", e.StepIndex, e.Outcome(), cmp.Or(e.Rule, e.By), e.Reason)
	case task.UserInputRequested:
		return e.Question
	case task.UserInputProvided:
		return e.Text
	case task.TurnEnded:
		return e.Status
	case task.TurnAbandoned:
		return e.Why
	case task.TaskPaused:
		return strings.TrimSpace(heldWords[string(e.Kind)] + " by user " + e.By + " " + e.Note)
	case task.TaskHandedBack:
		return strings.TrimSpace("by user " + e.By + " " + e.Note)
	case task.TaskCompleted:
		return e.Message
	case task.TaskFailed:
		return e.Code + " " + e.Message
	case task.TaskInterrupted:
		return e.Why
	}
	b, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
