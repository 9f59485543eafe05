package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/eventstore"
)

func (p program) storeRestoredCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "restored",
		Short: "Say that the log was put back to an earlier state by a snapshot of a disk, or in EventStoreDB",
		Long: `Begins a new epoch of the log of EVENTSTORE_URL, or else of DATABASE_DIRECT_URL or DATABASE_URL: read models, consumers and memory that are ahead of it are then told.

Not needed after a recovery of Postgres to a point in time, a restored dump or a failover, which the log notices by itself. Run it before serve.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, _, err := p.config()
			if err != nil {
				return err
			}
			log, err := openLog(cmd.Context(), account.Secret(cmp.Or(cfg.EventStoreURL.Reveal(), cfg.DirectURL.Reveal(), cfg.DatabaseURL.Reveal())), nil)
			if err != nil {
				return err
			}
			defer log.Close()
			head, err := log.Head(cmd.Context())
			if err != nil {
				return err
			}
			id, err := log.BeginEpoch(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Fprintf(p.out, "epoch %d of the log begins after position %d; its id is %s\n", eventstore.EpochNumber(id), head, id)
			return nil
		},
	}
}
