package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/account"
	ledger "github.com/stepledger/stepledger/domain/usage"
)

func (hungHouse) AcceptInvite(ctx context.Context, _, _ account.Secret, _ string, _ account.Client) (l account.Login, err error) {
	return l, hangs(ctx)
}

func (hungHouse) ChangePassword(ctx context.Context, _ account.Principal, _, _ account.Secret, _ account.Client) (l account.Login, err error) {
	return l, hangs(ctx)
}

func (hungHouse) Logins(ctx context.Context, _, _, _ string) ([]account.LoginInfo, error) {
	return nil, hangs(ctx)
}

func (hungHouse) RevokeLogin(ctx context.Context, _ account.Principal, _, _ string) error {
	return hangs(ctx)
}

func (hungHouse) RevokeLogins(ctx context.Context, _ account.Actor, _, _, _ string) (int64, error) {
	return 0, hangs(ctx)
}

func (hungHouse) Tenant(ctx context.Context, _ string) (t account.Tenant, err error) {
	return t, hangs(ctx)
}

func (hungHouse) SetAllowedDomains(ctx context.Context, _ account.Actor, _ string, _ []string) error {
	return hangs(ctx)
}

func (hungHouse) Users(ctx context.Context, _ string) ([]account.User, error) {
	return nil, hangs(ctx)
}

func (hungHouse) SetRole(ctx context.Context, _ account.Actor, _, _ string, _ account.Role) error {
	return hangs(ctx)
}
func (hungHouse) Disable(ctx context.Context, _ account.Actor, _, _ string) error { return hangs(ctx) }
func (hungHouse) Enable(ctx context.Context, _ account.Actor, _, _ string) error  { return hangs(ctx) }
func (hungHouse) Invite(ctx context.Context, _ account.Actor, i account.Invite) (account.Invite, account.Secret, error) {
	return i, "", hangs(ctx)
}

func (hungHouse) Invites(ctx context.Context, _ string, _ int) ([]account.Invite, error) {
	return nil, hangs(ctx)
}

func (hungHouse) RevokeInvite(ctx context.Context, _ account.Actor, _, _ string) error {
	return hangs(ctx)
}

func (hungHouse) Audit(ctx context.Context, _ account.AuditFilter) ([]account.Audited, error) {
	return nil, hangs(ctx)
}

func (hungHouse) Statements(ctx context.Context, _ string) ([]ledger.Statement, error) {
	return nil, hangs(ctx)
}

func (hungHouse) DraftStatement(ctx context.Context, _, _ string) (st ledger.Statement, err error) {
	return st, hangs(ctx)
}

func (hungHouse) IssueStatement(ctx context.Context, _, _ string, _ time.Time) (st ledger.Statement, err error) {
	return st, hangs(ctx)
}
