package content

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
)

// ErrMasterKey is returned if the database needs a master key the process does not have.
// It is a domain.ErrBadKey.
var ErrMasterKey = fmt.Errorf("the master key is not the one this database was begun with: %w", domain.ErrBadKey)

// masters are the master keys a process has, by id. own is the one it wraps under once
// RotateMaster was called; the others only open what was wrapped before.
type masters struct {
	own  string
	keys map[string][]byte
}

func newMasters(own []byte, old [][]byte) masters {
	m := masters{masterID(own), map[string][]byte{masterID(own): own}}
	for _, key := range old {
		m.keys[masterID(key)] = key
	}
	return m
}

// masterIDBytes make a clash of two keys of one installation unthinkable.
const masterIDBytes = 8

// masterID names a master key. It tells nothing of the key.
func masterID(key []byte) string {
	return hex.EncodeToString(keyed(key, []byte("stepledger master key id"))[:masterIDBytes])
}

// errUnknownMaster is the cause of a key that this process cannot open and others can.
var errUnknownMaster = errors.New("wrapped under a master key this process does not have")

func (m masters) ids() []string {
	ids := []string{m.own}
	for id := range m.keys {
		if id != m.own {
			ids = append(ids, id)
		}
	}
	return ids
}

// open unwraps a key. One that is wrapped under a master key which only others have may be
// read by them, so that is no damage but Unavailable: nothing is put aside for it.
func (m masters) open(w wrappedKey, context []byte) ([]byte, error) {
	master, ok := m.keys[w.master]
	if !ok {
		e := domain.Errorf(domain.Unavailable, domain.CodeDatabase, "this server cannot open the keys of the tenant; another one can")
		e.RetryAfter = time.Second
		return nil, e.Because(fmt.Errorf("master key %s: %w", w.master, errUnknownMaster))
	}
	key, err := unwrap(master, w.wrapped, context)
	if err != nil {
		return nil, ErrMasterKey
	}
	return key, nil
}

// wrappedKey is a tenant's key as it is stored.
type wrappedKey struct {
	number  int
	wrapped []byte // nil once it was dropped
	master  string
}

// masterContext is the text that master_check seals.
func masterContext() []byte { return []byte("stepledger master key") }

// checkMaster seals a known text with a new database's master key, and opens it with
// that of an existing one. It refuses a database of which some tenant's key is wrapped
// under a master key that is not here.
func (k *Keys) checkMaster(ctx context.Context) error {
	fresh, err := wrap(k.masters.keys[k.masters.own], masterContext(), masterContext())
	if err != nil {
		return err
	}
	var sealed []byte
	var id string
	err = k.db.QueryRow(ctx, `
		insert into content.master_check (sealed, master) values ($1, $2)
		on conflict (singleton) do update set singleton = true
		returning sealed, master`, fresh, k.masters.own).Scan(&sealed, &id)
	if err != nil {
		return unavailable("check the master key", err)
	}
	if id == "" {
		err = k.nameMaster(ctx, sealed)
	} else {
		err = k.masters.check(id, sealed)
	}
	if err != nil {
		return err
	}
	var others int
	err = k.db.QueryRow(ctx, `
		select count(*) from (
			select master from content.tenant_keys where wrapped is not null
			union all select master from content.former_tenant_keys
		) as keys where master <> all($1)`, append(k.masters.ids(), "")).Scan(&others)
	if err != nil {
		return unavailable("check the master key", err)
	}
	if others > 0 {
		return fmt.Errorf("%d tenants' keys are wrapped under another one: %w", others, ErrMasterKey)
	}
	return nil
}

// check opens the known text.
func (m masters) check(id string, sealed []byte) error {
	key, ok := m.keys[id]
	if !ok {
		return ErrMasterKey
	}
	if _, err := unwrap(key, sealed, masterContext()); err != nil {
		return ErrMasterKey
	}
	return nil
}

// nameMaster notes the id of the master key of a database from before ids were noted.
func (k *Keys) nameMaster(ctx context.Context, sealed []byte) error {
	for _, id := range k.masters.ids() {
		if k.masters.check(id, sealed) != nil {
			continue
		}
		err := pgx.BeginFunc(ctx, k.db, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `update content.master_check set master = $1 where master = ''`, id); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `update content.tenant_keys set master = $1 where master = ''`, id)
			return err
		})
		if err != nil {
			return unavailable("name the master key", err)
		}
		return nil
	}
	return ErrMasterKey
}

// wrapsUnder is the id of the master key that new keys are wrapped under, and the key:
// that of master_check. So a process that has a new one already uses it only once all
// have it, which is when RotateMaster is called.
func (k *Keys) wrapsUnder(ctx context.Context, db queryer) (id string, key []byte, err error) {
	if err := db.QueryRow(ctx, `select master from content.master_check for share`).Scan(&id); err != nil {
		return "", nil, unavailable("find the master key", err)
	}
	key, ok := k.masters.keys[id]
	if !ok {
		return "", nil, unavailable("wrap a key", fmt.Errorf("master key %s: %w", id, errUnknownMaster))
	}
	return id, key, nil
}

// queryer is a pool or a transaction.
type queryer interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
