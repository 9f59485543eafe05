package content

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Statement is one of those that store what is pending, for the transaction of whoever
// stores it. Statements of several subjects in one transaction are run in the order of
// Order. One that fails in that transaction (SQLSTATE 22… or 23…) refuses it with Refused.
type Statement struct {
	SQL     string
	Args    []any
	Bytes   int
	Order   string
	Refused error
	// Done takes the rows it changed once they are committed.
	Done func(rows int64)
}

// ErrKeyGone is the error of a transaction that would store what nobody can open: the
// subject's key was dropped, or is another one.
var ErrKeyGone = errors.New("the subject's key is not what it was")

// Pending collects what is to be stored of a subject in a transaction of somebody else's
// that also holds what refers to it. It is safe for concurrent use.
type Pending struct {
	s     *Store
	sub   subject
	trust bool

	mu         sync.Mutex
	sealer     *sealer
	newKey     *Statement // nil for a subject that has its key
	statements []Statement
}

// rememberedFor is how long after its last look a key may still be sealed with where the
// transaction that stores the sealed text looks at the key.
const rememberedFor = time.Minute

// Begin begins to collect. With trust keys may come from memory, and a new one is stored
// with the rest: then a transaction refused with ErrKeyGone says that memory was wrong.
func (s *Store) Begin(tenant, id string, trust bool) *Pending {
	return &Pending{s: s, sub: subject{tenant, id}, trust: trust}
}

// Key is Keys.Key, or Keys.NewKey for a subject that is new.
func (p *Pending) Key(ctx context.Context, isNew bool) (domain.Sealer, error) {
	s, err := p.key(ctx, isNew)
	return asPort(s, err)
}

func (p *Pending) key(ctx context.Context, isNew bool) (*sealer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sealer != nil {
		return p.sealer, nil
	}
	var err error
	remembered := p.s.remembered(p.sub)
	switch {
	case p.trust && remembered != nil:
		p.sealer = remembered
	case p.trust && isNew:
		return p.makeKey(ctx)
	default:
		if p.sealer, err = p.s.sealer(ctx, p.sub, isNew); err != nil {
			return nil, err
		}
	}
	p.statements = append(p.statements, p.guard(`d.wrapped is not null`, func() { p.s.verified(p.sub) }))
	return p.sealer, nil
}

// makeKey makes a data key that is stored with the rest, unless the subject has, or had,
// another by then, or the tenant's key was exchanged.
func (p *Pending) makeKey(ctx context.Context) (*sealer, error) {
	outer, err := p.s.rememberedTenant(ctx, p.sub.tenant)
	if err != nil {
		return nil, err
	}
	dataKey := randomBytes(keyBytes)
	wrapped, err := wrap(outer.key, dataKey, p.sub.context())
	if err != nil {
		return nil, err
	}
	if p.sealer, err = newSealer(dataKey); err != nil {
		return nil, err
	}
	p.newKey = &Statement{
		SQL:  insertDataKey + ` on conflict do nothing`,
		Args: []any{p.sub.tenant, p.sub.id, wrapped, outer.number}, Order: p.order("0"), Refused: ErrKeyGone,
	}
	p.statements = append(p.statements, *p.newKey, p.guard(`d.wrapped = $3`, func() { p.s.cache(p.sub, p.sealer, wrapped) }, wrapped))
	return p.sealer, nil
}

// guard is a statement that fails unless the subject's key can be opened and is as it has
// to be. A tenant that is being erased loses its own key first.
func (p *Pending) guard(is string, done func(), args ...any) Statement {
	return Statement{
		SQL: `select 1 / (exists (
			select from content.data_keys d join content.tenant_keys t on t.tenant = d.tenant
			where d.tenant = $1 and d.subject = $2 and t.wrapped is not null and ` + is + `))::int`,
		Args: append([]any{p.sub.tenant, p.sub.id}, args...), Order: p.order("0"), Refused: ErrKeyGone,
		Done: func(int64) { done() },
	}
}

func (p *Pending) order(of string) string { return p.sub.tenant + "\x00" + p.sub.id + "\x00" + of }

// Put adds a blob and returns its reference. It returns domain.ErrErased if the subject's
// key is known to be dropped.
func (p *Pending) Put(ctx context.Context, kind string, body []byte) (string, error) {
	key, err := p.key(ctx, false)
	if err != nil {
		return "", fmt.Errorf("put %s: %w", kind, err)
	}
	ref := key.ref(kind, body)
	b, err := p.s.pack(p.sub, key, kind, ref, body)
	if err != nil {
		return "", err
	}
	if len(b.sealed) > alongUpTo {
		return ref, p.putBefore(ctx, b)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.statements = append(p.statements, Statement{
		SQL:  insertBlob + ` values ($1, $2, $3, $4, $5, $6, $7, $8)` + unlessStored,
		Args: b.args(p.sub), Bytes: len(b.sealed), Order: p.order("1" + ref), Refused: ErrKeyGone,
		Done: func(rows int64) { p.s.putDone(p.sub, b, rows) },
	})
	return ref, nil
}

// alongUpTo is the largest blob, sealed, that goes along: others wait for that transaction.
// A large page is far smaller, most screenshots are not.
const alongUpTo = 256 << 10

// putBefore stores a blob, and the key it is sealed under, before what refers to it.
func (p *Pending) putBefore(ctx context.Context, b blob) error {
	p.mu.Lock()
	key := p.newKey
	p.mu.Unlock()
	if key != nil {
		if _, err := p.s.db.Exec(ctx, key.SQL, key.Args...); err != nil {
			return unavailable("make a data key", err)
		}
	}
	return p.s.write(ctx, p.sub, b)
}

// Statements are what stores it all, in order.
func (p *Pending) Statements() []Statement {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.statements
}

// Forget drops what was remembered wrongly, after ErrKeyGone.
func (p *Pending) Forget() {
	p.s.Forget(p.sub.tenant, p.sub.id)
	p.s.forgetTenant(p.sub.tenant)
}

// remembered returns the sealer a subject had when it was last looked at.
func (k *Keys) remembered(sub subject) *sealer {
	k.mu.Lock()
	defer k.mu.Unlock()
	c, ok := k.sealers[sub]
	if !ok || k.now().After(c.until.Add(rememberedFor)) {
		return nil
	}
	return c.sealer
}

// verified notes that a subject's key is still there.
func (k *Keys) verified(sub subject) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c, ok := k.sealers[sub]; ok {
		c.until = k.now().Add(keyCacheFor)
		k.sealers[sub] = c
	}
}

// rememberedTenant returns the tenant's key as it was when it was last looked at.
func (k *Keys) rememberedTenant(ctx context.Context, tenant string) (tenantKey, error) {
	k.mu.Lock()
	known, ok := k.tenants[tenant]
	k.mu.Unlock()
	if ok && k.now().Before(known.until.Add(rememberedFor)) {
		return known, nil
	}
	return k.currentKey(ctx, tenant)
}
