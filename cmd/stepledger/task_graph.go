package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/projections/history"
)

func (l looking) graphCmd() *cobra.Command {
	var turn int
	cmd := &cobra.Command{
		Use:   "graph TASK",
		Short: "Print what led to what: edges that events record, and edges that are inferred, each with its reason",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				g, err := r.Graph(ctx, tenant, args[0], turn)
				if err != nil {
					return err
				}
				return l.print(g, func(w io.Writer) { printGraph(w, g) })
			})
		},
	}
	cmd.Flags().IntVar(&turn, "turn", 0, "only what this turn's events and model calls are connected with")
	return cmd
}

// printGraph leaves out the edges that say no more than that an event is the task's.
func printGraph(w io.Writer, g history.CausalGraph) {
	names := make(map[string]string, len(g.Nodes))
	for _, n := range g.Nodes {
		names[n.ID] = nodeName(n)
	}
	fmt.Fprintln(w, "RECORDED\tFROM\tTO")
	for _, e := range g.Recorded {
		if e.In != history.InCorrelation {
			fmt.Fprintf(w, "%s\t%s\t%s\n", e.In, names[e.From], names[e.To])
		}
	}
	fmt.Fprintln(w, "INFERRED\tFROM\tTO")
	for _, e := range g.Inferred {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Rule, names[e.From], names[e.To])
	}
}

func nodeName(n history.GraphNode) string {
	switch {
	case n.Kind == history.EventNode && n.Call != "":
		return fmt.Sprintf("%s of call %s", shortType(n.Type), cell(n.Call, nameCell))
	case n.Kind == history.EventNode:
		return fmt.Sprintf("%d %s", *n.Revision, shortType(n.Type))
	case n.Kind == history.RowsNode:
		return "rows of " + n.Model
	}
	return cell(n.ID, nameCell)
}
