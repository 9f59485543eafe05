package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/tasks"
)

// errFlips and errUnreadable make a batch exit with 1, for CI.
var (
	errFlips      = errors.New("some turns are decided otherwise than they were")
	errUnreadable = errors.New("some tasks cannot be read")
)

// chosen are flags that choose tasks: named ones, or the newest.
type chosen struct {
	last   int
	tenant string
}

func (c *chosen) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&c.last, "last", defaultLast, "how many of the newest tasks, where none is named")
	cmd.Flags().StringVar(&c.tenant, "tenant", "", "of this tenant only")
}

const defaultLast = 100

func (c *chosen) refs(ctx context.Context, s *system, ids []string) (refs []replay.Ref, err error) {
	for _, id := range ids {
		tenant, err := s.tenantOf(ctx, id)
		if err != nil {
			return nil, err
		}
		refs = append(refs, replay.Ref{Tenant: tenant, ID: id})
	}
	if len(ids) > 0 {
		return refs, nil
	}
	newest, err := tasks.Queries{DB: s.db}.Newest(ctx, c.tenant, c.last)
	for _, r := range newest {
		refs = append(refs, replay.Ref{Tenant: r.Tenant, ID: r.ID})
	}
	return refs, err
}

func (s *system) source() replay.Source {
	return replay.Source{Log: s.events, Keys: s.content, Content: s.content}
}

func (p program) taskBatchCmd() *cobra.Command {
	var asJSON bool
	var which chosen
	cmd := &cobra.Command{
		Use:   "batch [TASK…|FILE…]",
		Short: "Replay many tasks, or exported ones, by today's code, rules, prompts and settings: what is decided otherwise; exit code 1 if anything is, or a task cannot be read",
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := filesOf(args)
			if err != nil {
				return err
			}
			if len(files) > 0 {
				batch, err := replay.RunAll(cmd.Context(), files, p.loadFile, runtime.NumCPU())
				return p.tellBatch(pricedBatch{Batch: batch}, err, asJSON)
			}
			return p.withSystem(cmd.Context(), func(s *system) error {
				refs, err := which.refs(cmd.Context(), s, args)
				if err != nil {
					return err
				}
				batch, err := s.replayAll(cmd.Context(), refs)
				return p.tellBatch(batch, err, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	which.flags(cmd)
	return cmd
}

// filesOf are the files of exported tasks that arguments name, none if they name tasks.
func filesOf(args []string) (files []replay.Ref, err error) {
	for _, a := range args {
		if !domain.ValidUUID(a) {
			files = append(files, replay.Ref{File: a})
		}
	}
	if len(files) > 0 && len(files) < len(args) {
		return nil, errors.New("tasks and files of exported ones cannot be named together")
	}
	return files, nil
}

// tellBatch prints a batch, and is the error of one that flips.
func (p program) tellBatch(batch pricedBatch, err error, asJSON bool) error {
	if err != nil {
		return err
	}
	if asJSON {
		err = p.printJSON(batch)
	} else {
		err = p.printBatch(batch.Batch, batch.CostUSD)
	}
	switch {
	case err != nil:
		return err
	case len(batch.Flips) > 0:
		return errFlips
	case len(batch.Unreadable) > 0:
		return errUnreadable
	}
	return nil
}

// pricedBatch is a batch with what its questions nothing is recorded of would cost at
// most, "" if that is not known.
type pricedBatch struct {
	replay.Batch
	CostUSD string `json:"costUSD,omitempty"`
}

// replayAll decides recorded tasks anew.
func (s *system) replayAll(ctx context.Context, refs []replay.Ref) (pricedBatch, error) {
	batch, err := replay.RunAll(ctx, refs, func(ctx context.Context, r replay.Ref) (replay.Task, replay.Minds, error) {
		t, err := s.source().Load(ctx, r.Tenant, r.ID)
		return t, recordedMinds(s.cfg, t), err
	}, runtime.NumCPU())
	if err != nil {
		return pricedBatch{}, err
	}
	cost, priced, err := s.price(ctx, batch.Missed)
	return pricedBatch{batch, costText(cost, priced)}, err
}

// price is what the questions would cost at most with the models that are configured.
// Priced is false where a model or its price is not known.
func (s *system) price(ctx context.Context, asked []replay.Question) (cost usage.Pico, priced bool, err error) {
	return s.priceWith(ctx, s.cfg.Models, asked)
}

// priceWith is price with other models.
func (s *system) priceWith(ctx context.Context, models modelsConfig, asked []replay.Question) (cost usage.Pico, priced bool, err error) {
	book, err := s.billing.Book(ctx)
	if err != nil {
		return 0, false, err
	}
	priced = models.configured() || len(asked) == 0
	for _, q := range asked {
		role := models.Fast
		if q.Role == string(usage.Smart) {
			role = models.Smart
		}
		m := usage.Meters{InputUncached: q.InputTokens, Output: q.MaxOutputTokens}
		charge := book.Charge(usage.Ware{Provider: models.at(role.Model).PricedAs, Models: []string{role.Model.Name}, At: time.Now()}, m)
		if charge.Cost == nil {
			priced = false
			continue
		}
		if cost, err = cost.Plus(*charge.Cost); err != nil {
			return 0, false, err
		}
	}
	return cost, priced, nil
}

func costText(cost usage.Pico, priced bool) string {
	if !priced {
		return ""
	}
	return cost.String()
}

func (p program) printBatch(b replay.Batch, cost string) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	if len(b.Flips) > 0 {
		fmt.Fprintln(w, "TASK\tTURN\tVERDICT\tACTION\tSTATUS\tFIRST DIFFERENCE")
	}
	for _, f := range b.Flips {
		where := ""
		if d := f.Difference; d != nil {
			where = d.Event + d.Field
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\n", cmp.Or(f.File, f.TaskID), f.Turn, printPair(f.Verdict), printPair(f.Action), printPair(f.Status), where)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, kind := range b.Kinds() {
		fmt.Fprintln(p.out, kind)
	}
	fmt.Fprintf(p.out, "%d tasks, %d turns: %d the same, %d decided otherwise, %d skipped\n", b.Tasks, b.Turns, b.Same, len(b.Flips), b.Skipped)
	for id, why := range b.Unreadable {
		fmt.Fprintf(p.out, "%s cannot be read: %s\n", id, why)
	}
	if n := len(b.Missed); n > 0 {
		fmt.Fprintf(p.out, "%d questions nothing is recorded of", n)
		if cost != "" {
			fmt.Fprintf(p.out, "; asking them would cost %s USD at most", cost)
		}
		fmt.Fprintln(p.out)
	}
	return nil
}

func (p program) taskBisectCmd() *cobra.Command {
	var asJSON bool
	var which chosen
	cmd := &cobra.Command{
		Use:   "bisect CONDITION [TASK…|FILE…]",
		Short: "Find the first revision of each task, or exported one, at which a condition such as '/consecutiveFailures >= 2' holds",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			condition, err := replay.ParsePredicate(args[0])
			if err != nil {
				return err
			}
			files, err := filesOf(args[1:])
			if err != nil {
				return err
			}
			if len(files) > 0 {
				return p.tellFound(files, asJSON, func(r replay.Ref) (replay.Found, error) { return bisectFile(r.File, condition) })
			}
			return p.withSystem(cmd.Context(), func(s *system) error {
				refs, err := which.refs(cmd.Context(), s, args[1:])
				if err != nil {
					return err
				}
				return p.tellFound(refs, asJSON, func(r replay.Ref) (replay.Found, error) {
					return s.source().Bisect(cmd.Context(), r.Tenant, r.ID, condition)
				})
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, one object a task")
	which.flags(cmd)
	return cmd
}

// tellFound prints what is found in each task.
func (p program) tellFound(refs []replay.Ref, asJSON bool, find func(replay.Ref) (replay.Found, error)) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for _, r := range refs {
		found, err := find(r)
		if err != nil {
			return err
		}
		name := cmp.Or(found.File, found.TaskID)
		switch {
		case asJSON:
			err = p.printJSON(found)
		case found.Holds:
			_, err = fmt.Fprintf(w, "%s\trevision %d of %d\tturn %d\t%s\t%s\n", name, found.Revision, found.Events-1, found.Turn, found.Event, found.RecordedAt.Format(time.RFC3339))
		default:
			_, err = fmt.Fprintf(w, "%s\tnever\n", name)
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}
