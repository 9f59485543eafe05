package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections/history"
)

func (p program) taskCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "task", Short: "Look into a task's stream"}
	cmd.AddCommand(p.taskStateCmd(), p.taskEventsCmd(), p.taskReplayCmd(), p.taskBatchCmd(), p.taskBisectCmd(), p.taskForkCmd(), p.taskExportCmd(), p.taskImportCmd())
	return cmd
}

func (p program) taskStateCmd() *cobra.Command {
	var revision int64
	cmd := &cobra.Command{
		Use:   "state TASK",
		Short: "Print the task's state as it was right after a revision",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				state, err := r.StateAt(ctx, tenant, args[0], revision)
				if err != nil {
					return err
				}
				return p.printJSON(state)
			})
		},
	}
	cmd.Flags().Int64Var(&revision, "revision", eventstore.End, "the revision to stand at; the newest if left out")
	return cmd
}

func (p program) taskEventsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "events TASK",
		Short: "Print the task's events, oldest first",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				for from, more := int64(0), true; more; {
					page, err := r.Events(ctx, tenant, args[0], from, historyPage)
					if err != nil {
						return err
					}
					for _, e := range page.Events {
						if err := p.printJSON(e); err != nil {
							return err
						}
						from = e.Revision + 1
					}
					more = page.More
				}
				return nil
			})
		},
	}
}

// historyPage is how many events are fetched at a go.
const historyPage = 200

var errNoTask = errors.New("there is no such task")

// withHistory opens the log and reads a task as the operator: whichever tenant
// it belongs to.
func (p program) withHistory(
	ctx context.Context, id string, read func(context.Context, history.Reader, string) error,
) error {
	return p.withSystem(ctx, func(s *system) error {
		tenant, err := s.tenantOf(ctx, id)
		if err != nil {
			return err
		}
		return read(ctx, history.Reader{Log: s.events, Keys: s.content}, tenant)
	})
}

// tenantOf is the tenant a task belongs to.
func (s *system) tenantOf(ctx context.Context, id string) (string, error) {
	first, err := s.events.ReadStream(ctx, task.Stream(id), eventstore.ReadOptions{Limit: 1})
	if err != nil {
		return "", err
	}
	if len(first.Events) == 0 {
		return "", fmt.Errorf("%w: %s", errNoTask, id)
	}
	return first.Events[0].Metadata().Tenant, nil
}
