package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/history"
)

func (l looking) eventsCmd() *cobra.Command {
	var f history.Filter
	var field, verdict, cost, importance string
	cmd := &cobra.Command{
		Use:   "events TASK",
		Short: "Print the task's events, oldest first, or those with a type, text, field, verdict, rule, cost or importance",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Verdict, f.Importance = reasoning.Outcome(verdict), history.Importance(importance)
			var err error
			if f.Field, f.Value, err = readField(field); err != nil {
				return fmt.Errorf("--field: %w", err)
			}
			if f.MinCost, err = readCost(cost); err != nil {
				return fmt.Errorf("--min-cost: %w", err)
			}
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				return l.events(ctx, r, tenant, args[0], f)
			})
		},
	}
	cmd.Flags().Int64Var(&f.From, "from", 0, "the revision to begin at")
	cmd.Flags().IntVar(&f.Limit, "limit", 0, "how many events; all if not given")
	cmd.Flags().StringSliceVar(&f.Types, "type", nil, "of these types, as action_verified")
	cmd.Flags().StringVar(&f.Text, "text", "", "with this in one of their texts, in any case")
	cmd.Flags().StringVar(&field, "field", "", "with a value in a field of their data, as target/name=Save or stepIndex=3")
	cmd.Flags().StringVar(&verdict, "verdict", "", "verdicts of this outcome: succeeded, failed or undecided")
	cmd.Flags().StringVar(&f.Rule, "rule", "", "verdicts this rule gave, and objections it made")
	cmd.Flags().StringVar(&cost, "min-cost", "", "of turns whose model calls cost at least so many USD")
	cmd.Flags().StringVar(&importance, "importance", "", "at least so important: low, normal or high")
	cmd.Flags().IntVar(&f.Turn, "turn", 0, "of this turn")
	return cmd
}

// readField reads a condition on a field of an event.
func readField(text string) (field, value string, err error) {
	if field, value, _ = strings.Cut(text, "="); field == "" && text != "" {
		err = fmt.Errorf("%q is not like target/name=Save", text)
	}
	return field, value, err
}

// readCost reads the least a turn has to cost, nil for "".
func readCost(text string) (*usage.Pico, error) {
	if text == "" {
		return nil, nil
	}
	least, err := usage.ParsePico(text)
	return &least, err
}

// historyPage is how many events are fetched at a go.
const historyPage = 200

// events prints events as they are fetched; as JSON, one object after the other.
func (l looking) events(ctx context.Context, r history.Reader, tenant, id string, f history.Filter) error {
	left, all := f.Limit, f.Limit == 0
	var found []history.Event
	for more := true; more && (all || left > 0); {
		if f.Limit = historyPage; !all {
			f.Limit = min(left, historyPage)
		}
		page, err := r.Events(ctx, tenant, id, f)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if *l.asJSON {
				if err := l.printJSON(e); err != nil {
					return err
				}
			}
			f.From = e.Revision + 1
		}
		left, more = left-len(page.Events), page.More
		if !*l.asJSON {
			found = append(found, page.Events...)
		}
	}
	if *l.asJSON {
		return nil
	}
	return l.print(nil, func(w io.Writer) { printEvents(w, found) })
}

func printEvents(w io.Writer, events []history.Event) {
	fmt.Fprintln(w, "REVISION\tTURN\tRECORDED\tTYPE\tDATA")
	for _, e := range events {
		data, err := json.Marshal(e.Data)
		if err != nil {
			data = []byte(err.Error())
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\n", e.Revision, e.Turn, e.RecordedAt.UTC().Format(time.DateTime), shortType(e.Type), cell(string(data), textCell))
	}
}
