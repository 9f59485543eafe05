package identity

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// Preferences returns the caller's saved document, {} if there is none.
func (s *Store) Preferences(ctx context.Context, p account.Principal) (json.RawMessage, error) {
	const find = `
		select document
		from identity.preferences
		where tenant_id = $1 and user_id = $2`
	var doc string
	err := s.pool.QueryRow(ctx, find, p.TenantID, p.UserID).Scan(&doc)
	if noRows(err) {
		return json.RawMessage(`{}`), nil
	}
	return json.RawMessage(doc), unavailable("read preferences", err)
}

// SavePreferences replaces the caller's document, which must be a JSON object in
// UTF-8.
func (s *Store) SavePreferences(ctx context.Context, p account.Principal, doc json.RawMessage) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(doc, &object); err != nil || object == nil || !utf8.Valid(doc) {
		return domain.Errorf(domain.Invalid, domain.CodeValidation, "preferences are one JSON object").At("preferences")
	}
	const save = `
		insert into identity.preferences (tenant_id, user_id, document)
		values ($1, $2, $3)
		on conflict (tenant_id, user_id) do update
		set document = excluded.document, updated_at = now()`
	_, err := s.pool.Exec(ctx, save, p.TenantID, p.UserID, string(doc))
	return unavailable("save preferences", err)
}
