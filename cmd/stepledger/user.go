package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/account"
)

func (p program) userCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Invite users, list, disable and enable them, change their role and password, end their logins"}
	cmd.AddCommand(p.userInviteCmd(), p.userListCmd(), p.userRoleCmd(), p.userPasswordCmd(), p.userLoginsCmd(),
		p.changeUserCmd("disable", "End a user's logins and refuse new ones", func(ctx context.Context, s *system, u account.User) error {
			return s.identity.Disable(ctx, account.Actor{}, u.TenantID, u.ID)
		}),
		p.changeUserCmd("enable", "Let a disabled user log in again", func(ctx context.Context, s *system, u account.User) error {
			return s.identity.Enable(ctx, account.Actor{}, u.TenantID, u.ID)
		}))
	return cmd
}

func (p program) userInviteCmd() *cobra.Command {
	var tenant, name, role string
	cmd := &cobra.Command{
		Use:   "invite ADDRESS --tenant TENANT",
		Short: "Invite a person to a tenant and print the token with which they accept and choose a password",
		Long: `Prints a token. Whoever has it makes the account with it: POST /api/v1/auth/invite/accept {"token": …, "password": …}.
It is shown once; inviting the address again replaces it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withTenant(cmd.Context(), tenant, func(s *system, id string) error {
				i, token, err := s.identity.Invite(cmd.Context(), account.Actor{}, account.Invite{TenantID: id, Email: args[0], Name: name, Role: account.Role(role)})
				if err != nil {
					return err
				}
				fmt.Fprintf(p.out, "%s is invited as %s until %s\n%s\n", i.Email, i.Role, i.ExpiresAt.UTC().Format("2006-01-02 15:04 MST"), token.Reveal())
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "id or name")
	cmd.Flags().StringVar(&name, "name", "", "of the person")
	cmd.Flags().StringVar(&role, "role", string(account.Member), "member, finance, engineer or admin")
	_ = cmd.MarkFlagRequired("tenant")
	return cmd
}

func (p program) userListCmd() *cobra.Command {
	var tenant string
	cmd := &cobra.Command{
		Use:   "list --tenant TENANT",
		Short: "List a tenant's users by address",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withTenant(cmd.Context(), tenant, func(s *system, id string) error {
				all, err := s.identity.Users(cmd.Context(), id)
				if err != nil {
					return err
				}
				return p.table("USER\tADDRESS\tNAME\tROLE\tCREATED\tLAST SEEN\tDISABLED", func(line func(cells ...any)) {
					for _, u := range all {
						seen, disabled := "-", "-"
						if u.LastSeenAt != nil {
							seen = day(*u.LastSeenAt)
						}
						if u.DisabledAt != nil {
							disabled = day(*u.DisabledAt)
						}
						line(u.ID, u.Email, u.Name, u.Role, day(u.CreatedAt), seen, disabled)
					}
				})
			})
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "id or name")
	_ = cmd.MarkFlagRequired("tenant")
	return cmd
}

func (p program) userRoleCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "role ADDRESS ROLE",
		Short: "Change a user's role to member, finance, engineer or admin, from the next request on",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withUser(cmd.Context(), args[0], func(s *system, u account.User) error {
				return s.identity.SetRole(cmd.Context(), account.Actor{}, u.TenantID, u.ID, account.Role(args[1]))
			})
		},
	}
}

func (p program) userPasswordCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "password ADDRESS",
		Short: "Give a user a new password, end their logins, and print it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withUser(cmd.Context(), args[0], func(s *system, u account.User) error {
				password := account.Secret(rand.Text())
				if err := s.identity.SetPassword(cmd.Context(), account.Actor{}, u.TenantID, u.ID, password); err != nil {
					return err
				}
				fmt.Fprintf(p.out, "%s  %s\n", u.Email, password.Reveal())
				return nil
			})
		},
	}
}

func (p program) userLoginsCmd() *cobra.Command {
	var revoke bool
	cmd := &cobra.Command{
		Use:   "logins ADDRESS",
		Short: "List a user's logins; --revoke ends them all",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withUser(cmd.Context(), args[0], func(s *system, u account.User) error {
				if revoke {
					n, err := s.identity.RevokeLogins(cmd.Context(), account.Actor{}, u.TenantID, u.ID, "")
					if err == nil {
						fmt.Fprintf(p.out, "%d logins ended\n", n)
					}
					return err
				}
				all, err := s.identity.Logins(cmd.Context(), u.TenantID, u.ID, "")
				if err != nil {
					return err
				}
				return p.table("LOGIN\tCREATED\tLAST USED\tEXPIRES\tCLIENT", func(line func(cells ...any)) {
					for _, l := range all {
						line(l.ID, day(l.CreatedAt), day(l.LastUsedAt), day(l.ExpiresAt), l.Agent)
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "end them")
	return cmd
}

func (p program) changeUserCmd(name, short string, change func(context.Context, *system, account.User) error) *cobra.Command {
	return &cobra.Command{
		Use:   name + " ADDRESS",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withUser(cmd.Context(), args[0], func(s *system, u account.User) error { return change(cmd.Context(), s, u) })
		},
	}
}

// withUser builds the system for a command about a user, by the address.
func (p program) withUser(ctx context.Context, email string, do func(*system, account.User) error) error {
	return p.withSystem(ctx, func(s *system) error {
		u, err := s.identity.FindUser(ctx, email)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		return do(s, u)
	})
}

// auditPage is how many entries are read at a time.
const auditPage = 1000

func (p program) auditCmd() *cobra.Command {
	var f account.AuditFilter
	var tenant, user, action string
	cmd := &cobra.Command{
		Use:   "audit --tenant TENANT",
		Short: "Print who changed what among a tenant's users and logins, newest first, a JSON object each",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Limit < 1 {
				return errors.New("--limit must be positive")
			}
			return p.withTenant(cmd.Context(), tenant, func(s *system, id string) error {
				f.TenantID, f.SubjectID, f.Action = id, user, account.Action(action)
				return p.printAudit(cmd.Context(), s, f)
			})
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "id or name")
	cmd.Flags().StringVar(&user, "user", "", "only what was done to the user with this id")
	cmd.Flags().StringVar(&action, "action", "", "only this kind, like user.role_changed")
	cmd.Flags().IntVar(&f.Limit, "limit", 100, "how many")
	_ = cmd.MarkFlagRequired("tenant")
	return cmd
}

func (p program) printAudit(ctx context.Context, s *system, f account.AuditFilter) error {
	for left := f.Limit; left > 0; {
		f.Limit = min(left, auditPage)
		all, err := s.identity.Audit(ctx, f)
		if err != nil {
			return err
		}
		for _, a := range all {
			if err := p.printJSON(a); err != nil {
				return err
			}
			f.Before = a.ID
		}
		if len(all) < f.Limit {
			return nil
		}
		left -= len(all)
	}
	return nil
}
