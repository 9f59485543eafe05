package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
)

func (p program) tenantCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "tenant", Short: "Create tenants, list them, change their tier, limits, domains and budget"}
	cmd.AddCommand(p.tenantAddCmd(), p.tenantListCmd(), p.tenantTierCmd(), p.tenantDomainsCmd(), p.tenantBudgetCmd(), p.tenantLimitsCmd())
	return cmd
}

func (p program) tenantAddCmd() *cobra.Command {
	var t identity.NewTenant
	var email, name string
	var personal bool
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Create a tenant with its first user, an admin, and print the password",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t.Name = args[0]
			if personal {
				t.Kind = account.Personal
			}
			return p.withSystem(cmd.Context(), func(s *system) error {
				return p.addTenant(cmd.Context(), s, t, identity.NewUser{Email: email, Name: name, Role: account.Admin})
			})
		},
	}
	cmd.Flags().StringVar(&t.Tier, "tier", identity.TierFree, "rate limit tier")
	cmd.Flags().StringVar(&email, "email", "", "login of the first user")
	cmd.Flags().StringVar(&name, "name", "", "name of the first user")
	cmd.Flags().BoolVar(&personal, "personal", false, "one person, who can invite nobody")
	_ = cmd.MarkFlagRequired("email")
	return cmd
}

func (p program) addTenant(ctx context.Context, s *system, t identity.NewTenant, first identity.NewUser) (err error) {
	if first.TenantID, err = s.identity.CreateTenant(ctx, account.Actor{}, t); err != nil {
		return err
	}
	first.Password = account.Secret(rand.Text())
	if _, err := s.identity.CreateUser(ctx, account.Actor{}, first); err != nil {
		return fmt.Errorf("the tenant is %s, without a user (user invite ADDRESS --tenant %[1]s): %w", first.TenantID, err)
	}
	fmt.Fprintf(p.out, "tenant %s\n%s  %s\n", first.TenantID, first.Email, first.Password.Reveal())
	return nil
}

func (p program) tenantListCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tenants, the oldest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				all, err := s.identity.Tenants(cmd.Context())
				if err != nil {
					return err
				}
				return p.table("TENANT\tNAME\tKIND\tTIER\tCREATED\tDOMAINS", func(line func(cells ...any)) {
					for _, t := range all {
						line(t.ID, t.Name, t.Kind, t.Tier, day(t.CreatedAt), strings.Join(t.AllowedDomains, " "))
					}
				})
			})
		},
	}
}

func (p program) tenantTierCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "tier TENANT TIER",
		Short: "Change a tenant's tier, which decides its rate limits, from the next request on",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withTenant(cmd.Context(), args[0], func(s *system, tenant string) error {
				return s.identity.SetTier(cmd.Context(), account.Actor{}, tenant, args[1])
			})
		},
	}
}

func (p program) tenantDomainsCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "domains TENANT [PATTERN...]",
		Short: "Replace the host patterns a tenant's own knowledge is about, like app.example.com or *.example.com; none for none",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withTenant(cmd.Context(), args[0], func(s *system, tenant string) error {
				return s.identity.SetAllowedDomains(cmd.Context(), account.Actor{}, tenant, args[1:])
			})
		},
	}
}

// withTenant builds the system for a command about a tenant, by its id or name.
func (p program) withTenant(ctx context.Context, idOrName string, do func(s *system, tenant string) error) error {
	return p.withSystem(ctx, func(s *system) error {
		tenant, err := s.identity.FindTenant(ctx, idOrName)
		if err != nil {
			return err
		}
		return do(s, tenant)
	})
}

// table prints lines in columns.
func (p program) table(head string, lines func(line func(cells ...any))) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	lines(func(cells ...any) {
		for i, c := range cells {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, c)
		}
		fmt.Fprintln(w)
	})
	return w.Flush()
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
