package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections/history"
)

// looking is what the commands that look into tasks start from. They write nothing, apart
// from pause and resume.
type looking struct {
	program
	asJSON *bool
}

func (p program) taskCmd() *cobra.Command {
	l := looking{p, new(bool)}
	cmd := &cobra.Command{Use: "task", Short: "Look into tasks: what happened, and how things stood at any moment. Looking changes nothing; pause and resume do"}
	cmd.PersistentFlags().BoolVar(l.asJSON, "json", false, "for programs, as the API has it")
	cmd.AddCommand(
		l.listCmd(), l.showCmd(), l.pageCmd(), l.callCmd(), l.atCmd(), l.eventsCmd(), l.compareCmd(), l.diffCmd(), l.fieldsCmd(), l.graphCmd(), l.watchCmd(),
		l.pauseCmd(), l.resumeCmd(),
		p.taskReplayCmd(), p.taskBatchCmd(), p.taskBisectCmd(), p.taskForkCmd(), p.taskExportCmd(), p.taskImportCmd())
	return cmd
}

var errNoTask = errors.New("there is no such task")

// history reads streams of this system.
func (s *system) history() history.Reader {
	r := history.Reader{Log: s.events, Keys: s.content, Content: s.content}
	for _, p := range readModels() {
		r.ReadModels = append(r.ReadModels, history.ReadModel{Name: p.Name, Filter: p.Filter})
	}
	return r
}

// heldHistory is the same for a process that answers many questions.
func (s *system) heldHistory() history.Reader {
	r := s.history()
	r.Opened = s.opened
	return r
}

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
		return read(ctx, s.history(), tenant)
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

// print prints an answer as JSON, or for people.
func (l looking) print(answer any, table func(w io.Writer)) error {
	if *l.asJSON {
		return l.printJSON(answer)
	}
	w := tabwriter.NewWriter(l.out, 0, 0, 2, ' ', 0)
	table(w)
	return w.Flush()
}

// cell is a text of a page or a person for a table: one line, cut, and without
// characters a terminal would obey.
func cell(text string, limit int) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	clean = strings.Join(strings.Fields(clean), " ")
	if runes := []rune(clean); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return clean
}

// revisionArg reads a revision given as an argument.
func revisionArg(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is no revision: events are numbered from 0", text)
	}
	return n, nil
}

// shortType is an event's type without what all have in common.
func shortType(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "task."), "usage.")
	return strings.TrimSuffix(name, ".v1")
}
