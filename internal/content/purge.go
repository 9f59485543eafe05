package content

import (
	"context"
	"time"
)

// tooOld chooses blobs b of chains whose newest blob is older than a time: a blob is
// needed by the later ones of its chain. Documents are kept until they are deleted.
const tooOld = `
	from content.blobs b
	where b.created_at < $1 and b.kind <> '` + KindDocument + `' and not exists (
		select from content.blobs young
		where young.tenant = b.tenant and young.subject = b.subject
			and young.chain = b.chain and young.created_at >= $1)`

// Purge deletes blobs of chains whose newest blob is older than a time, at most limit in
// one statement, until none is left or ctx ends, and returns how many it deleted, beside
// an error too.
func (s *Store) Purge(ctx context.Context, before time.Time, limit int) (purged int64, err error) {
	for {
		tag, err := s.db.Exec(ctx, `delete from content.blobs where ctid = any (array(select b.ctid `+tooOld+` limit $2))`, before, limit)
		if err != nil {
			return purged, unavailable("purge content", err)
		}
		if purged += tag.RowsAffected(); tag.RowsAffected() < int64(limit) {
			return purged, nil
		}
	}
}

// Purgeable counts what Purge would delete.
func (s *Store) Purgeable(ctx context.Context, before time.Time) (n int64, err error) {
	if err := s.db.QueryRow(ctx, `select count(*) `+tooOld, before).Scan(&n); err != nil {
		return 0, unavailable("count old content", err)
	}
	return n, nil
}

// Delete deletes the blob under a reference, which must be of a kind that is kept on its
// own: a page may be what the next one is compressed against. What is not there is deleted.
func (s *Store) Delete(ctx context.Context, tenant, id, ref string) error {
	_, err := s.db.Exec(ctx, `delete from content.blobs where tenant = $1 and subject = $2 and ref = $3 and kind <> '`+KindPage+`'`, tenant, id, ref)
	if err != nil {
		return unavailable("delete content", err)
	}
	return nil
}
