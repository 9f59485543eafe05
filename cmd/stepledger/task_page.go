package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom/snapshot"
	"github.com/stepledger/stepledger/projections/history"
)

// snapshots implements api.Snapshots.
type snapshots struct{}

// Render implements api.Snapshots.
func (snapshots) Render(c page.Capture, target string) (document []byte, policy string) {
	return snapshot.Render(c, target), snapshot.Policy
}

func (l looking) pageCmd() *cobra.Command {
	var turn int
	cmd := &cobra.Command{
		Use:   "page TASK --turn N",
		Short: "Print the page a turn began on as HTML that does nothing, with the element of the turn's action outlined; --json: as captured",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				p, err := r.Page(ctx, tenant, args[0], turn)
				if err != nil {
					return err
				}
				if *l.asJSON {
					return l.printJSON(p.Capture)
				}
				_, err = l.out.Write(snapshot.Render(p.Capture, p.Target))
				return err
			})
		},
	}
	cmd.Flags().IntVar(&turn, "turn", 1, "the turn")
	return cmd
}
