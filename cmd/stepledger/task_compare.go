package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/projections/history"
)

func (l looking) compareCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "compare TASK TASK",
		Short: "Put two tasks of a tenant side by side, turn by turn, with what differs",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				c, err := r.Compare(ctx, tenant, args[0], args[1])
				if err != nil {
					return err
				}
				return l.print(c, func(w io.Writer) { printComparison(w, c) })
			})
		},
	}
}

func printComparison(w io.Writer, c history.Comparison) {
	fmt.Fprintln(w, "\tA\tB\tDIFFERS\tA DID\tB DID\tA VERDICT\tB VERDICT\tA USD\tB USD")
	sign := map[string]string{history.SameTurn: "=", history.ReplacedTurn: "~", history.OnlyA: "-", history.OnlyB: "+"}
	for _, row := range c.Rows {
		a, b := comparedCells(row.A), comparedCells(row.B)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", sign[row.Kind], a[0], b[0], cmp.Or(strings.Join(row.Differs, ","), "-"),
			a[1], b[1], a[2], b[2], a[3], b[3])
	}
	fmt.Fprintf(w, "all\t%d\t%d\t\t%s\t%s\t\t\t%s\t%s\n", c.A.Turns, c.B.Turns, endOf(c.A), endOf(c.B), c.A.Totals.CostUSD, c.B.Totals.CostUSD)
	fmt.Fprintf(w, "%d the same, %d replaced, %d only in A, %d only in B\n", c.Same, c.Replaced, c.OnlyA, c.OnlyB)
}

func endOf(t history.ComparedTask) string { return strings.TrimSpace(string(t.Status) + " " + t.Code) }

// comparedCells are a turn's number, decision, verdict and cost.
func comparedCells(t *history.ComparedTurn) [4]string {
	if t == nil {
		return [4]string{"-", "-", "-", "-"}
	}
	did := strings.Join(strings.Fields(t.Kind+" "+t.TargetRole+" "+t.TargetName), " ")
	verdict := t.Verdict
	if t.Rule != "" {
		verdict += " (" + t.Rule + ")"
	}
	return [4]string{strconv.Itoa(t.Turn), cell(did, nameCell), cmp.Or(cell(verdict, nameCell), "-"), t.CostUSD}
}
