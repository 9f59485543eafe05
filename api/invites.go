package api

import (
	"context"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/account"
)

// InviteBody invites an address to the caller's tenant.
type InviteBody struct {
	Email string       `json:"email" minLength:"1" maxLength:"254"`
	Name  string       `json:"name,omitempty" maxLength:"200"`
	Role  account.Role `json:"role,omitempty" enum:"member,finance,engineer,admin" default:"member"`
}

// InviteEntry is an invitation.
type InviteEntry struct {
	InviteID   string       `json:"inviteId" format:"uuid"`
	Email      string       `json:"email" format:"email"`
	Name       string       `json:"name"`
	Role       account.Role `json:"role" enum:"member,finance,engineer,admin"`
	Status     string       `json:"status" enum:"open,accepted,revoked,expired"`
	CreatedAt  time.Time    `json:"createdAt"`
	ExpiresAt  time.Time    `json:"expiresAt"`
	AcceptedAt *time.Time   `json:"acceptedAt,omitempty"`
}

func (s *Server) inviteEntry(i account.Invite) InviteEntry {
	status := "open"
	switch {
	case i.AcceptedAt != nil:
		status = "accepted"
	case i.RevokedAt != nil:
		status = "revoked"
	case !i.ExpiresAt.After(s.Now()):
		status = "expired"
	}
	return InviteEntry{i.ID, i.Email, i.Name, i.Role, status, i.CreatedAt.UTC(), i.ExpiresAt.UTC(), inUTC(i.AcceptedAt)}
}

// InvitedData is a new invitation with its token, which is shown only here.
type InvitedData struct {
	InviteEntry
	Token string `json:"token" doc:"Whoever has it can accept the invitation. Give it to the invited person; it cannot be read again."`
}

const maxName = 200

// invite makes an invitation. An open one of the same address is replaced.
func (s *Server) invite(ctx context.Context, _ *struct{}, body []byte) (*reply[InvitedData], error) {
	b := InviteBody{Role: account.Member}
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	i, token, err := s.Identity.Invite(ctx, callOf(ctx).by(), account.Invite{TenantID: caller(ctx).TenantID, Email: b.Email, Name: b.Name, Role: b.Role})
	if err != nil {
		return nil, err
	}
	return ok(InvitedData{s.inviteEntry(i), token.Reveal()}), nil
}

func (b InviteBody) check() error {
	if err := checkLength("name", b.Name, maxName); err != nil {
		return err
	}
	if b.Email == "" {
		return invalid("email", "email is required")
	}
	if err := checkLength("email", b.Email, maxEmail); err != nil {
		return err
	}
	if _, ok := account.NormalEmail(b.Email); !ok {
		return invalid("email", "this is not an email address")
	}
	return oneOf("role", b.Role, account.Roles)
}

// checkLength refuses a text that is too long, and one with a character no database takes.
func checkLength(field, value string, limit int) error {
	if strings.ContainsRune(value, 0) {
		return invalid(field, "%s holds the character NUL", field)
	}
	if longerThan(value, limit) {
		return invalid(field, "%s is longer than %d characters", field, limit)
	}
	return nil
}

// InvitesData are the tenant's invitations, the newest first.
type InvitesData struct {
	Invites []InviteEntry `json:"invites" nullable:"false"`
}

type invitesInput struct {
	Limit int `query:"limit" default:"100" minimum:"1" maximum:"1000"`
}

func (s *Server) invites(ctx context.Context, in *invitesInput) (*reply[InvitesData], error) {
	all, err := s.Identity.Invites(ctx, caller(ctx).TenantID, in.Limit)
	if err != nil {
		return nil, err
	}
	d := InvitesData{make([]InviteEntry, 0, len(all))}
	for _, i := range all {
		d.Invites = append(d.Invites, s.inviteEntry(i))
	}
	return ok(d), nil
}

type inviteInput struct {
	InviteID string `path:"inviteId" format:"uuid"`
}

// RevokedInvite confirms that an invitation cannot be accepted any more.
type RevokedInvite struct {
	InviteID string `json:"inviteId" format:"uuid"`
}

func (s *Server) revokeInvite(ctx context.Context, in *inviteInput) (*reply[RevokedInvite], error) {
	id, err := uuid("inviteId", in.InviteID)
	if err != nil {
		return nil, err
	}
	if err := s.Identity.RevokeInvite(ctx, callOf(ctx).by(), caller(ctx).TenantID, id); err != nil {
		return nil, err
	}
	return ok(RevokedInvite{id}), nil
}

// AcceptBody accepts an invitation.
type AcceptBody struct {
	Token    account.Secret `json:"token" minLength:"1" maxLength:"512" doc:"Of the invitation."`
	Password account.Secret `json:"password" minLength:"8" maxLength:"256" doc:"Of your own choice."`
	Name     string         `json:"name,omitempty" maxLength:"200" doc:"Instead of the one in the invitation."`
}

// acceptInvite makes the account and logs it in. It counts as a login from its address.
func (s *Server) acceptInvite(ctx context.Context, _ *struct{}, body []byte) (*reply[LoginData], error) {
	var b AcceptBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	switch n := units(b.Token.Reveal()); {
	case n == 0:
		return nil, invalid("token", "token is required")
	case n > maxToken:
		return nil, invalid("token", "token is longer than %d characters", maxToken)
	}
	if err := checkNewPassword("password", b.Password); err != nil {
		return nil, err
	}
	if err := checkLength("name", b.Name, maxName); err != nil {
		return nil, err
	}
	c := callOf(ctx)
	if err := s.takeLogin(ctx, c, ""); err != nil {
		return nil, err
	}
	return loggedIn(s.Identity.AcceptInvite(ctx, b.Token, b.Password, b.Name, c.client()))
}
