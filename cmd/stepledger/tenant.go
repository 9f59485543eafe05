package main

import (
	"crypto/rand"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
)

func (p program) tenantCmd() *cobra.Command {
	var tier, email, name string
	cmd := &cobra.Command{
		Use:   "tenant NAME",
		Short: "Create a tenant with its first user and print the password",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error {
				tenant, err := s.identity.CreateTenant(cmd.Context(), args[0], tier)
				if err != nil {
					return err
				}
				password := account.Secret(rand.Text())
				user := identity.NewUser{TenantID: tenant, Email: email, Name: name, Password: password}
				if _, err := s.identity.CreateUser(cmd.Context(), user); err != nil {
					return err
				}
				fmt.Fprintf(p.out, "tenant %s\n%s  %s\n", tenant, email, password.Reveal())
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&tier, "tier", identity.TierFree, "rate limit tier")
	cmd.Flags().StringVar(&email, "email", "", "login of the first user")
	cmd.Flags().StringVar(&name, "name", "", "name of the first user")
	_ = cmd.MarkFlagRequired("email")
	cmd.AddCommand(p.tenantBudgetCmd())
	return cmd
}
