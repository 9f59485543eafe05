package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/projections/history"
)

// valueCell is how much of a value a table shows.
const valueCell = 60

func (l looking) diffCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "diff TASK FROM TO",
		Short: "Compare the task's states after two revisions (from start: before the first event), each changed field with the event that set it",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			from := history.Beginning
			if args[1] != "start" {
				var err error
				if from, err = revisionArg(args[1]); err != nil {
					return err
				}
			}
			to, err := revisionArg(args[2])
			if err != nil {
				return err
			}
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				d, err := r.Diff(ctx, tenant, args[0], from, to)
				if err != nil {
					return err
				}
				return l.print(d, func(w io.Writer) { printDiff(w, d) })
			})
		},
	}
}

func printDiff(w io.Writer, d history.Diff) {
	fmt.Fprintln(w, "FIELD\tFROM\tTO\tSET BY")
	for _, c := range d.Changes {
		by := "-"
		if c.By != nil {
			by = fmt.Sprintf("%d %s", c.By.Revision, shortType(c.By.Type))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", cell(c.Path, valueCell), shownValue(c.From), shownValue(c.To), by)
	}
	fmt.Fprintf(w, "%d fields differ\n", len(d.Changes))
}

func shownValue(v []byte) string { return cmp.Or(cell(string(v), valueCell), "-") }

func (l looking) fieldsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "fields TASK [REVISION]",
		Short: "Print every field of the task's state with the event that set it",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			revision := history.Latest
			if len(args) > 1 {
				if revision, err = revisionArg(args[1]); err != nil {
					return err
				}
			}
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				f, err := r.FieldsAt(ctx, tenant, args[0], revision)
				if err != nil {
					return err
				}
				return l.print(f, func(w io.Writer) { printFields(w, f) })
			})
		},
	}
}

func printFields(w io.Writer, f history.Fields) {
	fmt.Fprintf(w, "state after event %d of %d\nFIELD\tVALUE\tSET BY\n", f.Revision, f.Head)
	for _, field := range f.Fields {
		by := fmt.Sprintf("%d %s", field.By.Revision, shortType(field.By.Type))
		if field.By.Default {
			by = "no event"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", cell(field.Path, valueCell), shownValue(field.Value), by)
	}
}
