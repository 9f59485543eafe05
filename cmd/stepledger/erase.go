package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/erasure"
)

func (p program) eraseCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Forget a user, a tenant or a task: keys, content, accounts and rows; and tell a restored backup whom to forget",
		Long: `What is erased cannot be brought back. The request is recorded first and listed in STEPLEDGER_ERASURES, a file to keep apart
from backups; an erasure that is interrupted is brought to an end by the service, or by the same command again.`,
	}
	cmd.AddCommand(p.eraseUserCmd(), p.eraseTenantCmd(), p.eraseTaskCmd(), p.eraseListCmd(), p.eraseReapplyCmd())
	return cmd
}

// whyFlag is the flag that says why.
func whyFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("reason", string(erasure.Asked), fmt.Sprintf("why, one of %v", erasure.Reasons))
}

func (p program) eraseUserCmd() *cobra.Command {
	var tenant string
	cmd := &cobra.Command{
		Use:   "user EMAIL|ID --tenant TENANT",
		Short: "Erase a user: account, tasks, what they taught",
		Args:  cobra.ExactArgs(1),
	}
	why := whyFlag(cmd)
	cmd.Flags().StringVar(&tenant, "tenant", "", "name or id of the user's tenant")
	_ = cmd.MarkFlagRequired("tenant")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.withSystem(cmd.Context(), func(s *system) error {
			tenantID, err := s.identity.FindTenant(cmd.Context(), tenant)
			if err != nil {
				return err
			}
			user, err := s.identity.AnyUser(cmd.Context(), tenantID, args[0])
			if err != nil {
				return err
			}
			return p.erase(cmd.Context(), s, erasure.ErasureRequested{Tenant: tenantID, Kind: erasure.User, Subject: user, Reason: erasure.Reason(*why)})
		})
	}
	return cmd
}

func (p program) eraseTenantCmd() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "tenant TENANT --yes",
		Short: "Erase a tenant with all its users and their tasks",
		Args:  cobra.ExactArgs(1),
	}
	why := whyFlag(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "this is meant")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.withSystem(cmd.Context(), func(s *system) error {
			tenant, err := s.identity.FindTenant(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if !yes {
				return fmt.Errorf("this erases tenant %s with all its users and tasks and cannot be undone; say --yes", tenant)
			}
			return p.erase(cmd.Context(), s, erasure.ErasureRequested{Tenant: tenant, Kind: erasure.Tenant, Subject: tenant, Reason: erasure.Reason(*why)})
		})
	}
	return cmd
}

func (p program) eraseTaskCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "task ID", Short: "Erase the content of one task", Args: cobra.ExactArgs(1)}
	why := whyFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.withSystem(cmd.Context(), func(s *system) error {
			tenant, err := s.tenantOf(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return p.erase(cmd.Context(), s, erasure.ErasureRequested{Tenant: tenant, Kind: erasure.Task, Subject: args[0], Reason: erasure.Reason(*why)})
		})
	}
	return cmd
}

// erase requests an erasure, carries it out and prints the report.
func (p program) erase(ctx context.Context, s *system, r erasure.ErasureRequested) error {
	e, err := s.erasing().Request(ctx, r)
	if err != nil {
		return err
	}
	if e, err = s.erasing().Run(ctx, r.Tenant, e.ErasureRequested.Erasure); err != nil {
		return fmt.Errorf("%w\nIt is recorded and goes on with the service, or with this command", err)
	}
	return p.printErasure(e)
}

func (p program) printErasure(e commands.RecordedErasure) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "erasure\t%s\n%s\t%s\nof tenant\t%s\nasked for\t%s by %s (%s)\n",
		e.ErasureRequested.Erasure, e.Kind, e.Subject, e.Tenant, e.At.Format(time.RFC3339), e.By, e.Reason)
	if e.Completed == nil {
		fmt.Fprintf(w, "completed\tnot yet\n")
		return w.Flush()
	}
	fmt.Fprintf(w, "completed\t%s\n\nERASED\tWHERE\tCOUNT\n", e.Completed.At.Format(time.RFC3339))
	for _, c := range e.Completed.Report.Erased {
		fmt.Fprintf(w, "%s\t%s\t%d\n", c.What, c.Store, c.Count)
	}
	fmt.Fprintf(w, "\nSTAYS\tWHERE\tWHY\n")
	for _, k := range e.Completed.Report.Kept {
		fmt.Fprintf(w, "%s\t%s\t%s\n", k.What, k.Store, k.Why)
	}
	return w.Flush()
}

func (p program) eraseListCmd() *cobra.Command {
	var export string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what was erased; with --export write the list that tells a restored backup",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				all, err := s.erasing().AllErasures(cmd.Context())
				if err != nil {
					return err
				}
				if export != "" {
					return p.exportErasures(all, export)
				}
				w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "ASKED FOR\tWHAT\tID\tTENANT\tBY\tREASON\tCOMPLETED")
				for _, e := range all {
					done := "not yet"
					if e.Completed != nil {
						done = e.Completed.At.Format(time.RFC3339)
					}
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.At.Format(time.RFC3339), e.Kind, e.Subject, e.Tenant, e.By, e.Reason, done)
				}
				return w.Flush()
			})
		},
	}
	cmd.Flags().StringVar(&export, "export", "", "write the list of the log to a new file; it holds ids only")
	return cmd
}

func (p program) exportErasures(all []commands.RecordedErasure, file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	for _, e := range all {
		err = errors.Join(err, enc.Encode(e.Listed()))
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%d erasures in %s\n", len(all), file)
	return nil
}

func (p program) eraseReapplyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "reapply [FILE]",
		Short: "Carry out what a list says was erased and a restored database does not know of",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				file := s.cfg.Erasures // not there before anybody was erased
				if len(args) > 0 {
					file = args[0]
					if _, err := os.Stat(file); err != nil {
						return err
					}
				}
				list, err := erasureList{file}.read()
				if err != nil {
					return err
				}
				n, err := s.erasing().Reapply(cmd.Context(), list)
				fmt.Fprintf(p.out, "%d of %d erasures were carried out again\n", n, len(list))
				return err
			})
		},
	}
}
