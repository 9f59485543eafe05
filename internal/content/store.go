package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/pgpool"
)

// Kinds of blob.
const (
	KindPage       = "page"
	KindScreenshot = "screenshot"
	KindPrompt     = "prompt"
	KindAnswer     = "answer"
	KindDocument   = "document"
)

// Options of a Store.
type Options struct {
	// MasterKey wraps the tenants' keys: 32 bytes, required.
	MasterKey []byte
	// OldMasterKeys open what was wrapped before, until RotateMaster has wrapped it anew.
	// A new MasterKey is used once RotateMaster was called.
	OldMasterKeys [][]byte
	// MaxConns of the pool; 0 means 4.
	MaxConns int32
	// Writes, if set, is shared with the other pools of the process.
	Writes *pgpool.Writes
}

// Store keeps blobs. It is safe for concurrent use.
type Store struct {
	*Keys
	db *pgpool.Pool
	// format is the newest form in which blobs are written.
	format int

	mu    sync.Mutex
	tails map[subject]tail
	held  int // bytes of bodies in tails
}

// tail is the position of a subject's next page in its chain, and the page to
// compress it against (nil at the beginning of a chain). Losing it only costs a full
// page.
type tail struct {
	chain string
	seq   int
	body  []byte
	at    time.Time
}

// tailFor is how long a tail is valid. It is far shorter than retention, so that
// Purge never deletes a page that the next one is compressed against.
const tailFor = time.Hour

// maxTailBytes bounds the memory held for running tasks, some hundreds of
// ordinary pages; all are forgotten when it is reached. A page that would take
// a large part of it alone is not held.
const (
	maxTailBytes = 64 << 20
	maxTail      = maxTailBytes / 16
)

// Open connects to the database. It returns ErrMasterKey if something in it is wrapped
// under another master key.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	for _, key := range append([][]byte{o.MasterKey}, o.OldMasterKeys...) {
		if len(key) != keyBytes {
			return nil, fmt.Errorf("content: a master key has %d bytes, it needs %d", len(key), keyBytes)
		}
	}
	db, err := pgpool.Open(ctx, url, pgpool.Options{
		Name: "content", MaxConns: cmp.Or(o.MaxConns, 4), Writes: o.Writes, Durable: true,
	})
	if err != nil {
		return nil, fmt.Errorf("content: connect: %w", err)
	}
	keys := newKeys(db, newMasters(o.MasterKey, o.OldMasterKeys))
	if err := keys.checkMaster(ctx); err != nil {
		db.Close()
		return nil, err
	}
	var writes int
	if err := db.QueryRow(ctx, `select writes from content.format`).Scan(&writes); err != nil {
		db.Close()
		return nil, fmt.Errorf("content: which form blobs are written in: %w", err)
	}
	return &Store{Keys: keys, db: db, format: min(writes, newestFormat), tails: map[subject]tail{}}, nil
}

// Finished reports whether it writes the newest forms: nobody goes back to the version
// before, as Finish was told before this process began.
func (s *Store) Finished() bool { return s.format >= newestFormat }

// Close releases the connections.
func (s *Store) Close() { s.db.Close() }

// Put stores a blob and returns its reference. The same body of a subject is stored
// once. It returns domain.ErrErased if the subject's key was dropped.
func (s *Store) Put(ctx context.Context, tenant, id, kind string, body []byte) (string, error) {
	sub := subject{tenant, id}
	key, err := s.sealer(ctx, sub, true)
	if err != nil {
		return "", fmt.Errorf("put %s: %w", kind, err)
	}
	ref := key.ref(kind, body)
	return ref, s.put(ctx, sub, key, kind, ref, body)
}

// PutAs stores a blob under the caller's name for it. The first body under a name is
// kept.
func (s *Store) PutAs(ctx context.Context, tenant, id, kind, name string, body []byte) error {
	sub := subject{tenant, id}
	key, err := s.sealer(ctx, sub, true)
	if err != nil {
		return fmt.Errorf("put %s: %w", kind, err)
	}
	return s.put(ctx, sub, key, kind, name, body)
}

func (s *Store) put(ctx context.Context, sub subject, key *sealer, kind, ref string, body []byte) error {
	b, err := s.pack(sub, key, kind, ref, body)
	if err != nil {
		return err
	}
	return s.write(ctx, sub, b)
}

// write stores a blob while there is a key for it.
func (s *Store) write(ctx context.Context, sub subject, b blob) error {
	tag, err := s.db.Exec(ctx, insertBlob+`
		select $1, $2, $3, $4, $5, $6, $7, $8
		where exists (select from content.data_keys where tenant = $1 and subject = $2 and wrapped is not null)`+unlessStored,
		b.args(sub)...)
	if err != nil {
		return unavailable("put "+b.kind, err)
	}
	s.putDone(sub, b, tag.RowsAffected())
	return nil
}

const (
	insertBlob   = `insert into content.blobs (tenant, subject, ref, kind, chain, seq, size, body)`
	unlessStored = ` on conflict (tenant, subject, ref) do nothing`
)

// blob is a body ready to be stored at a place in a chain.
type blob struct {
	kind, ref    string
	at           tail
	body, sealed []byte
}

func (b blob) args(sub subject) []any {
	return []any{sub.tenant, sub.id, b.ref, b.kind, b.at.chain, b.at.seq, len(b.body), b.sealed}
}

// pack compresses and seals a body. A page takes its place in the chain of its subject;
// one that is not stored in the end costs no more than a full page after it.
func (s *Store) pack(sub subject, key *sealer, kind, ref string, body []byte) (blob, error) {
	at := tail{chain: domain.NewUUID()}
	if kind == KindPage && s.format >= deltaFormat {
		at = s.takeTail(sub, at)
	}
	packed, err := compress(body, at.body)
	if err != nil {
		return blob{}, fmt.Errorf("put %s: %w", kind, err)
	}
	sealed, err := key.Seal(packed, []byte(ref))
	if err != nil {
		return blob{}, fmt.Errorf("put %s: %w", kind, err)
	}
	return blob{kind, ref, at, body, sealed}, nil
}

// putDone notes that a blob is stored. A page that was stored before has another place in
// the chain, so nothing may be compressed against it here.
func (s *Store) putDone(sub subject, b blob, rows int64) {
	if b.kind == KindPage && rows == 1 {
		s.leaveTail(sub, tail{b.at.chain, b.at.seq + 1, b.body, s.now()})
	}
}

// takeTail returns the position of a subject's next page and the page to compress it
// against. It removes the tail, so that of two concurrent puts one begins a new chain
// and no position is used twice.
func (s *Store) takeTail(sub subject, fresh tail) tail {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, ok := s.tails[sub]
	delete(s.tails, sub)
	s.held -= len(last.body)
	if !ok || last.seq >= chainLength || s.now().Sub(last.at) > tailFor {
		return fresh
	}
	return last
}

// ForgetAll drops what is in memory of keys and of pages: the database was put back to an
// earlier state, or another one stands in its place.
func (s *Store) ForgetAll() {
	s.Keys.forgetAll()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tails)
	s.held = 0
}

func (s *Store) leaveTail(sub subject, t tail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(t.body) > maxTail {
		return
	}
	if s.held+len(t.body) > maxTailBytes {
		clear(s.tails)
		s.held = 0
	}
	s.held += len(t.body) - len(s.tails[sub].body)
	s.tails[sub] = t
}

// Get returns a blob. It returns domain.ErrErased if the subject's key was dropped,
// and a NotFound error if the blob does not exist (any more).
func (s *Store) Get(ctx context.Context, tenant, id, ref string) ([]byte, error) {
	key, err := s.sealer(ctx, subject{tenant, id}, false)
	if err != nil {
		return nil, fmt.Errorf("get content: %w", err)
	}
	rows, err := s.db.Query(ctx, `
		select b.ref, b.seq, b.body
		from content.blobs wanted
		join content.blobs b on b.tenant = wanted.tenant and b.subject = wanted.subject
			and b.chain = wanted.chain and b.seq <= wanted.seq
		where wanted.tenant = $1 and wanted.subject = $2 and wanted.ref = $3
		order by b.seq`, tenant, id, ref)
	if err != nil {
		return nil, unavailable("get content", err)
	}
	links, err := pgx.CollectRows(rows, pgx.RowToStructByPos[link])
	if err != nil {
		return nil, unavailable("get content", err)
	}
	if len(links) == 0 {
		return nil, domain.Errorf(domain.NotFound, domain.CodeNotFound, "this content is not kept any more")
	}
	return unpackChain(key, links)
}

type link struct {
	Ref  string
	Seq  int
	Body []byte
}

func unpackChain(key *sealer, links []link) (body []byte, err error) {
	for i, l := range links {
		if l.Seq != i { // what it was compressed against is lost
			return nil, domain.Errorf(domain.NotFound, domain.CodeNotFound, "this content is not kept any more")
		}
		packed, err := key.Open(l.Body, []byte(l.Ref))
		if err != nil {
			return nil, fmt.Errorf("get content: %w", err)
		}
		if body, err = decompress(packed, body); err != nil {
			return nil, fmt.Errorf("get content: %w", err)
		}
	}
	return body, nil
}

// Refs returns the references of a subject's blobs of one kind, oldest first.
func (s *Store) Refs(ctx context.Context, tenant, id, kind string) ([]string, error) {
	rows, err := s.db.Query(ctx, `
		select ref from content.blobs where tenant = $1 and subject = $2 and kind = $3
		order by created_at, ref`, tenant, id, kind)
	if err != nil {
		return nil, unavailable("list content", err)
	}
	refs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, unavailable("list content", err)
	}
	return refs, nil
}

// unavailable is a database error that may pass.
func unavailable(op string, err error) error {
	e := domain.Errorf(domain.Unavailable, domain.CodeDatabase, "the content store cannot be reached; try again").
		Because(fmt.Errorf("%s: %w", op, err))
	e.RetryAfter = time.Second
	return e
}

// IsNotFound reports whether an error of Get means that the blob does not exist.
func IsNotFound(err error) bool {
	var e *domain.Error
	return errors.As(err, &e) && e.Kind == domain.NotFound
}
