package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	ledger "github.com/stepledger/stepledger/domain/usage"
)

// Tokens of others of tenant A, by their roles, and what there is of people.
const (
	tokenMember, tokenFinance, tokenEngineer = "token-of-a-member", "token-of-finance", "token-of-an-engineer"
	userMember                               = "aaaaaaaa-0000-4000-8000-000000000012"
	inviteA                                  = "aaaaaaaa-0000-4000-8000-000000000013"
	loginA                                   = "aaaaaaaa-0000-4000-8000-000000000014"
	inviteToken                              = account.Secret("an invitation")
)

func addColleagues(tokens map[string]account.Principal) {
	for token, role := range map[string]account.Role{tokenMember: account.Member, tokenFinance: account.Finance, tokenEngineer: account.Engineer} {
		p := tokens[tokenA]
		p.UserID, p.Email, p.Name, p.Role = userMember, "cy@example.com", "cy", role
		tokens[token] = p
	}
}

func (w *world) AcceptInvite(_ context.Context, token, _ account.Secret, name string, _ account.Client) (account.Login, error) {
	if token != inviteToken {
		return account.Login{}, domain.Errorf(domain.NotFound, "NOT_FOUND", "the invitation is unknown, expired or was used").At("token")
	}
	p := w.tokens[tokenMember]
	p.Name = name
	return account.Login{Token: tokenMember, ExpiresAt: noon.Add(time.Hour), Principal: p}, w.fail
}

func (w *world) ChangePassword(_ context.Context, p account.Principal, current, _ account.Secret, _ account.Client) (account.Login, error) {
	if current != secret {
		return account.Login{}, domain.Errorf(domain.Unauthenticated, "INVALID_CREDENTIALS", "the current password is wrong").At("currentPassword")
	}
	return account.Login{Token: "fresh", ExpiresAt: noon.Add(time.Hour), Principal: p}, w.fail
}

func (w *world) Logins(_ context.Context, _, user, current string) ([]account.LoginInfo, error) {
	if user != userA {
		return nil, w.fail
	}
	return []account.LoginInfo{{ID: loginA, Agent: "a browser", CreatedAt: noon, LastUsedAt: noon, ExpiresAt: noon.Add(time.Hour), Current: current == loginA}}, w.fail
}

func (w *world) RevokeLogin(_ context.Context, p account.Principal, id, _ string) error {
	if p.UserID != userA || id != loginA {
		return domain.Errorf(domain.NotFound, "NOT_FOUND", "there is no such login").At("loginId")
	}
	return w.fail
}

func (w *world) RevokeLogins(_ context.Context, _ account.Actor, tenant, user, _ string) (int64, error) {
	return 2, w.known(tenant, user)
}

func (w *world) Tenant(_ context.Context, id string) (account.Tenant, error) {
	return account.Tenant{ID: id, Name: "Tenant ann", Tier: "free", Kind: account.Organization, AllowedDomains: w.domains, CreatedAt: noon}, w.fail
}

func (w *world) SetAllowedDomains(_ context.Context, _ account.Actor, _ string, patterns []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.domains = patterns
	return w.fail
}

func (w *world) Users(_ context.Context, tenant string) ([]account.User, error) {
	return []account.User{
		{ID: userA, TenantID: tenant, Email: "ann@example.com", Name: "ann", Role: account.Admin, CreatedAt: noon, LastSeenAt: &noon},
		{ID: userMember, TenantID: tenant, Email: "cy@example.com", Name: "cy", Role: account.Member, CreatedAt: noon, DisabledAt: &noon},
	}, w.fail
}

// known is NotFound for a user tenant A does not have.
func (w *world) known(tenant, user string) error {
	if tenant != tenantA || user != userA && user != userMember {
		return domain.Errorf(domain.NotFound, "NOT_FOUND", "there is no such user").At("userId")
	}
	return w.fail
}

func (w *world) SetRole(_ context.Context, _ account.Actor, tenant, user string, role account.Role) error {
	if !role.Known() {
		return domain.Errorf(domain.Invalid, "VALIDATION_ERROR", "role %q is none of %v", role, account.Roles).At("role")
	}
	if err := w.known(tenant, user); err != nil {
		return err
	}
	if user == userA && role != account.Admin {
		return domain.Errorf(domain.Conflict, "RESOURCE_CONFLICT", "this is the tenant's last admin").At("userId")
	}
	return nil
}

func (w *world) Disable(_ context.Context, _ account.Actor, tenant, user string) error {
	return w.known(tenant, user)
}

func (w *world) Enable(_ context.Context, _ account.Actor, tenant, user string) error {
	return w.known(tenant, user)
}

func (w *world) Invite(_ context.Context, _ account.Actor, i account.Invite) (account.Invite, account.Secret, error) {
	if i.Email == "" {
		return i, "", domain.Errorf(domain.Invalid, "VALIDATION_ERROR", "this is not an email address").At("email")
	}
	i.ID, i.CreatedAt, i.ExpiresAt = inviteA, noon, noon.Add(time.Hour)
	return i, inviteToken, w.fail
}

func (w *world) Invites(_ context.Context, tenant string, _ int) ([]account.Invite, error) {
	open := account.Invite{ID: inviteA, TenantID: tenant, Email: "dee@example.com", Name: "dee", Role: account.Member, CreatedAt: noon, ExpiresAt: noon.Add(time.Hour)}
	expired, accepted, revoked := open, open, open
	expired.ExpiresAt, accepted.AcceptedAt, revoked.RevokedAt = noon, &noon, &noon
	return []account.Invite{open, expired, accepted, revoked}, w.fail
}

func (w *world) RevokeInvite(_ context.Context, _ account.Actor, tenant, id string) error {
	if tenant != tenantA || id != inviteA {
		return domain.Errorf(domain.NotFound, "NOT_FOUND", "there is no such invitation").At("inviteId")
	}
	return w.fail
}

func (w *world) Audit(_ context.Context, f account.AuditFilter) ([]account.Audited, error) {
	all := []account.Audited{
		{ID: 2, TenantID: f.TenantID, At: noon, ActorID: userA, Action: account.RoleChanged, SubjectID: userMember, Was: "admin", Became: "member", Request: "r-2"},
		{ID: 1, TenantID: f.TenantID, At: noon, Action: account.TierChanged, Was: "free", Became: "pro"},
	}
	return all[:min(f.Limit, len(all))], w.fail
}

var stated = ledger.Statement{
	ID: callA, Tenant: tenantA, Month: "2025-12", TimeZone: "Europe/Berlin", From: noon.AddDate(0, -1, 0), To: noon, Currency: "USD", IssuedAt: noon,
	Exact: "5.904", Amount: "5.90", Lines: []ledger.StatementLine{
		{Kind: ledger.LineUsage, Month: "2025-12", Provider: "google", Model: "m-1", Calls: 3, Unpriced: 1, Meters: ledger.Meters{InputUncached: 12}, Exact: "5.904", Amount: "5.90"},
	},
}

func (w *world) Statements(context.Context, string) ([]ledger.Statement, error) {
	head := stated
	head.Lines = nil
	return []ledger.Statement{head}, w.fail
}

func (w *world) DraftStatement(_ context.Context, _, month string) (ledger.Statement, error) {
	if month == stated.Month {
		return stated, w.fail
	}
	return ledger.Statement{Month: month, TimeZone: "UTC", From: noon, To: noon, Currency: "USD", Exact: "0", Amount: "0.00"}, w.fail
}

func (w *world) IssueStatement(_ context.Context, _, month string, _ time.Time) (ledger.Statement, error) {
	if month != stated.Month {
		return ledger.Statement{}, domain.Errorf(domain.Conflict, "STATEMENT_NOT_DUE", "the month ends later")
	}
	return stated, w.fail
}
