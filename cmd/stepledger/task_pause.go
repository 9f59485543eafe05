package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

func (s *system) pauser() commands.PauseTask {
	return commands.PauseTask{Log: s.events, Keys: s.content, IDs: domain.NewUUID, Clock: s.now}
}

// holder is who holds a task or hands it back, and what they say.
type holder struct{ by, note string }

func (l looking) pauseCmd() *cobra.Command {
	var h holder
	takeOver := false
	cmd := &cobra.Command{
		Use:   "pause TASK --by EMAIL",
		Short: "Pause a running task: until it is handed back (task resume) its client is told to wait; --take-over: to work on its page by hand",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind := task.Paused
			if takeOver {
				kind = task.TakenOver
			}
			return l.hold(cmd.Context(), args[0], h, func(ctx context.Context, c commands.PauseTask, tenant, by string) (commands.Held, error) {
				return c.PauseTask(ctx, tenant, by, args[0], kind, h.note)
			})
		},
	}
	h.flags(cmd, "why, for whoever looks at the task")
	cmd.Flags().BoolVar(&takeOver, "take-over", false, "work on the page by hand; what the page shows then is not held against the agent's last action")
	return cmd
}

func (l looking) resumeCmd() *cobra.Command {
	var h holder
	cmd := &cobra.Command{
		Use:   "resume TASK --by EMAIL",
		Short: "Hand a paused task back, whoever paused it; --note: what the agent should know, as the user's words",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.hold(cmd.Context(), args[0], h, func(ctx context.Context, c commands.PauseTask, tenant, by string) (commands.Held, error) {
				return c.ResumeTask(ctx, tenant, by, args[0], h.note)
			})
		},
	}
	h.flags(cmd, "what the agent should know")
	return cmd
}

func (h *holder) flags(cmd *cobra.Command, note string) {
	cmd.Flags().StringVar(&h.by, "by", "", "the email address of a user of the task's tenant, in whose name it is done")
	cmd.Flags().StringVar(&h.note, "note", "", note)
	_ = cmd.MarkFlagRequired("by") // the flag is there
}

// heldTask is what is printed of it.
type heldTask struct {
	TaskID   string      `json:"taskId"`
	Paused   *task.Pause `json:"paused,omitempty"`
	TurnOpen bool        `json:"turnOpen"`
	Revision int64       `json:"revision"`
}

func (l looking) hold(
	ctx context.Context, id string, h holder, do func(ctx context.Context, c commands.PauseTask, tenant, by string) (commands.Held, error),
) error {
	return l.withSystem(ctx, func(s *system) error {
		tenant, err := s.tenantOf(ctx, id)
		if err != nil {
			return err
		}
		by, err := s.identity.UserOf(ctx, tenant, h.by)
		if err != nil {
			return err
		}
		held, err := do(ctx, s.pauser(), tenant, by)
		if err != nil {
			return err
		}
		return l.print(heldTask{id, held.Pause, held.TurnOpen, held.Revision}, func(w io.Writer) { printHeld(w, id, held) })
	})
}

func printHeld(w io.Writer, id string, h commands.Held) {
	if h.Pause == nil {
		fmt.Fprintf(w, "nobody holds task %s: it goes on with its client's next request\n", id)
		return
	}
	fmt.Fprintf(w, "task %s %s by user %s since %s\n", id, heldWords[string(h.Pause.Kind)], h.Pause.By, h.Pause.At.Format(time.DateTime))
	if h.TurnOpen {
		fmt.Fprintln(w, "a request that came before is still worked on; it is answered as usual")
	}
	fmt.Fprintf(w, "hand it back with: stepledger task resume %s --by EMAIL\n", id)
}

// heldWords say a kind of hold to a person: "… by user …".
var heldWords = map[string]string{"pause": "paused", "takeover": "taken over", "handed_back": "handed back"}
