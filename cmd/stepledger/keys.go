package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/account"
)

func (p program) keysCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "keys", Short: "Exchange keys while they are in use, and show how they are wrapped"}
	cmd.AddCommand(p.keysRotateCmd(), p.keysStatusCmd())
	return cmd
}

func (p program) keysRotateCmd() *cobra.Command {
	var tenant string
	cmd := &cobra.Command{
		Use:   "rotate [--tenant TENANT]",
		Short: "Wrap all tenants' keys under STEPLEDGER_MASTER_KEY, or give one tenant a new key",
		Long: `The master key: give every server the new one as STEPLEDGER_MASTER_KEY and the former as STEPLEDGER_MASTER_KEYS_OLD; then rotate;
then take the former away. A server that was not given the new one cannot open what was wrapped anew and answers 503.

A tenant's key: the former one stays until nothing is wrapped under it. Servers need not be told.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				if tenant == "" {
					n, err := s.content.RotateMaster(cmd.Context())
					fmt.Fprintf(p.out, "%d tenants' keys were wrapped anew\n", n)
					if err != nil || n == 0 {
						return err
					}
					return s.identity.AuditKeys(cmd.Context(), account.Actor{}, "")
				}
				id, err := s.identity.FindTenant(cmd.Context(), tenant)
				if err != nil {
					return err
				}
				n, err := s.content.RotateTenant(cmd.Context(), id)
				fmt.Fprintf(p.out, "%d keys of the tenant were wrapped anew\n", n)
				if err != nil {
					return err
				}
				return s.identity.AuditKeys(cmd.Context(), account.Actor{}, id)
			})
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "name or id of a tenant; its key is exchanged, not the master key")
	return cmd
}

func (p program) keysStatusCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show which keys are wrapped under which; keys themselves are never shown",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				status, err := s.content.Status(cmd.Context())
				if err != nil {
					return err
				}
				slices.Sort(status.Known)
				w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
				fmt.Fprintf(w, "master key in use\t%s\nSTEPLEDGER_MASTER_KEY\t%s\ncan be opened\t%s\n\n", status.Master, status.Own, strings.Join(status.Known, ", "))
				fmt.Fprintln(w, "TENANT\tKEY\tWRAPPED UNDER\tDATA KEYS\tNOT YET UNDER IT\tFORMER KEYS")
				for _, t := range status.Tenants {
					under := t.Master
					if t.Dropped {
						under = "erased"
					}
					fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%d\t%d\n", t.Tenant, t.Number, under, t.DataKeys, t.Behind, t.Former)
				}
				return w.Flush()
			})
		},
	}
}
