package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

func (p program) eventsCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "events", Short: "Look at the log of all events"}
	cmd.AddCommand(p.tailCmd())
	return cmd
}

// tail are the flags of events tail.
type tail struct {
	program
	tenant, task      string
	categories, types []string
	from              int64
	limit             int
	asJSON            bool
}

func (p program) tailCmd() *cobra.Command {
	t := tail{program: p}
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Print events as they are recorded, from now on or from a position, without secrets, until it is interrupted. It changes nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				if !cmd.Flags().Changed("from") {
					head, err := s.events.Head(cmd.Context())
					if err != nil {
						return err
					}
					t.from = head
				}
				err := t.follow(cmd.Context(), s)
				if errors.Is(err, context.Canceled) {
					return nil // by whoever was looking
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&t.tenant, "tenant", "", "of this tenant, by id or name")
	cmd.Flags().StringVar(&t.task, "task", "", "of this task: its own events, and those of other streams that its requests led to")
	cmd.Flags().StringSliceVar(&t.categories, "category", nil, "of these kinds of stream, as task, usage or session")
	cmd.Flags().StringSliceVar(&t.types, "type", nil, "of these types, as task.action_verified.v1 or action_verified")
	cmd.Flags().Int64Var(&t.from, "from", 0, "after this position of the log; 0 is its beginning. Without it, from now on")
	cmd.Flags().IntVar(&t.limit, "limit", 0, "end after so many events")
	cmd.Flags().BoolVar(&t.asJSON, "json", false, "for programs, one object after the other")
	return cmd
}

// tailPage is how many events are read at a go.
const tailPage = 200

// follow prints what is chosen of the log until its context or the limit ends.
func (t tail) follow(ctx context.Context, s *system) error {
	if t.tenant != "" {
		var err error
		if t.tenant, err = s.identity.FindTenant(ctx, t.tenant); err != nil {
			return err
		}
	}
	t.task = domain.NormalUUID(t.task)
	shown := 0
	for at := t.from; ; {
		page, err := s.events.ReadAll(ctx, at, tailPage, eventstore.Filter{Categories: t.categories})
		if err != nil {
			return err
		}
		chosen := slices.DeleteFunc(page.Events, func(e eventstore.Recorded) bool { return !t.chooses(e) })
		if t.limit > 0 {
			chosen = chosen[:min(len(chosen), t.limit-shown)]
		}
		if err := t.show(ctx, s, chosen); err != nil {
			return err
		}
		if shown += len(chosen); t.limit > 0 && shown == t.limit {
			return nil
		}
		if page.Scanned > at {
			at = page.Scanned
			continue
		}
		if err := s.events.Wait(ctx, at); err != nil {
			return err
		}
	}
}

func (t tail) chooses(e eventstore.Recorded) bool {
	m := e.Metadata()
	short := strings.TrimSuffix(e.Type[strings.Index(e.Type, ".")+1:], ".v1")
	return (t.tenant == "" || m.Tenant == t.tenant) &&
		(t.task == "" || m.Correlation == t.task || projections.Subject(e.Stream) == t.task) &&
		(len(t.types) == 0 || slices.Contains(t.types, e.Type) || slices.Contains(t.types, short))
}

// tailed is an event of the log as it is shown. Data of a task is that of `task events`;
// of other streams what stands in clear.
type tailed struct {
	Position   int64     `json:"position"`
	RecordedAt time.Time `json:"recordedAt"`
	Tenant     string    `json:"tenant,omitempty"`
	Stream     string    `json:"stream"`
	Revision   int64     `json:"revision"`
	ID         string    `json:"id"`
	Type       string    `json:"type"`
	Turn       int       `json:"turn,omitempty"`
	Data       any       `json:"data"`
}

func (t tail) show(ctx context.Context, s *system, events []eventstore.Recorded) error {
	shown, err := s.tailed(ctx, events)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, e := range shown {
		if t.asJSON {
			if err := t.printJSON(e); err != nil {
				return err
			}
			continue
		}
		data, err := json.Marshal(e.Data)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d\t%s\t%s@%d\t%s\t%s\n", e.Position, e.RecordedAt.UTC().Format(time.DateTime), e.Stream, e.Revision, shortType(e.Type), cell(string(data), textCell))
	}
	return w.Flush()
}

// tailed opens the events of tasks, a task at a time: what is secret in one may be known
// from another. One that cannot be opened shows what stands in clear.
func (s *system) tailed(ctx context.Context, events []eventstore.Recorded) ([]tailed, error) {
	out := make([]tailed, len(events))
	revisions := map[string][]int64{}
	tenants := map[string]string{}
	for i, e := range events {
		m := e.Metadata()
		out[i] = tailed{e.Position, e.RecordedAt, m.Tenant, e.Stream, e.Revision, e.ID, e.Type, 0, inClear(e.Data)}
		if eventstore.Category(e.Stream) == "task" {
			revisions[e.Stream], tenants[e.Stream] = append(revisions[e.Stream], e.Revision), m.Tenant
		}
	}
	for stream, wanted := range revisions {
		opened, err := s.history().At(ctx, tenants[stream], projections.Subject(stream), wanted)
		if ctx.Err() != nil || domain.KindOf(err) == domain.Unavailable {
			return nil, err
		}
		for i, e := range out {
			if of, ok := opened[e.Revision]; ok && e.Stream == stream {
				out[i].Data, out[i].Turn = of.Data, of.Turn
			}
		}
	}
	return out, nil
}

// inClear is what stands in clear of a payload; sealed texts are named and not shown.
func inClear(payload json.RawMessage) any {
	var fields map[string]any
	if json.Unmarshal(payload, &fields) != nil {
		return "[unreadable]"
	}
	for _, name := range []string{"sealed", "apart"} {
		if _, there := fields[name]; there {
			fields[name] = "[sealed]"
		}
	}
	return fields
}
