package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

// stretch is a part of a stream that lies in a segment, from a row on.
type stretch struct {
	stream   string
	from, to int64 // revisions
	segment  Segment
	firstRow int64
}

const (
	segmentColumns = `s.id, s.object, s.first_position, s.last_position, s.events, s.bytes, s.sha256, s.created_at`
	isArchivedSQL  = `select exists (select from log.archived where stream = $1)`
	stretchesSQL   = `
		select a.stream, a.from_revision, a.to_revision, a.first_row, ` + segmentColumns + `
		from log.archived a
		join log.segments s on s.id = a.segment
		where a.stream = $1
		order by a.from_revision`
	overlapSQL = `
		select ` + segmentColumns + `
		from log.segments s
		where s.last_position > $1 and s.first_position <= $2
		  and ($3::text[] is null or exists (
			select from log.archived a where a.segment = s.id and split_part(a.stream, '-', 1) = any ($3)))`
	// visibleSQL gives, for those of the streams that have a retention, the first revision that readers may
	// see, and since when an event has to be recorded, null where age does not count.
	visibleSQL = `
		select r.stream, greatest(0, r.truncate_before, r.deleted_before, h.revision - r.max_count + 1), now() - r.max_age
		from log.retention r
		left join lateral (
			select x.revision from log.events x
			where x.stream = r.stream and x.type <> '` + tombstone + `'
			order by x.revision desc limit 1) h on true
		where r.stream = any ($1)`
)

func scanSegment(row pgx.CollectableRow) (s Segment, err error) {
	return s, row.Scan(s.fields()...)
}

func (s *Segment) fields() []any {
	return []any{&s.ID, &s.Object, &s.FirstPosition, &s.LastPosition, &s.Events, &s.Bytes, &s.SHA256, &s.CreatedAt}
}

func scanStretch(row pgx.CollectableRow) (st stretch, err error) {
	return st, row.Scan(append([]any{&st.stream, &st.from, &st.to, &st.firstRow}, st.segment.fields()...)...)
}

// limits say what readers may see of a stream.
type limits struct {
	floor int64
	since *time.Time
}

func (l limits) hide(e eventstore.Recorded) bool {
	return e.Revision < l.floor || l.since != nil && e.RecordedAt.Before(*l.since)
}

// queried is a pool or a transaction that is asked for rows.
type queried interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func visible(ctx context.Context, db queried, streams []string) (map[string]limits, error) {
	rows, _ := db.Query(ctx, visibleSQL, streams) // rows carry the error
	out := make(map[string]limits)
	var stream string
	var l limits
	_, err := pgx.ForEachRow(rows, []any{&stream, &l.floor, &l.since}, func() error {
		out[stream] = l
		return nil
	})
	return out, err
}

// inSnapshot runs statements that see the log, and the index of its archive, as they are at one moment.
func (s *Store) inSnapshot(ctx context.Context, op string, do func(context.Context, pgx.Tx) error) error {
	return s.bounded(ctx, op, func(ctx context.Context) error {
		tx, err := s.readers.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
		if err != nil {
			return err
		}
		defer tx.Rollback(context.WithoutCancel(ctx)) // nothing to undo
		return do(ctx, tx)
	})
}

// readArchived reads a stream anew, with what is archived of it, unless nothing is: then what was read is all
// that retention leaves.
func (s *Store) readArchived(ctx context.Context, op, stream string, o eventstore.ReadOptions, live eventstore.Slice) (eventstore.Slice, error) {
	var archived bool
	err := s.bounded(ctx, op, func(ctx context.Context) error {
		return s.readers.QueryRow(ctx, isArchivedSQL, stream).Scan(&archived)
	})
	if err != nil {
		return eventstore.Slice{}, err
	}
	if !archived {
		return live, nil
	}
	var stretches []stretch
	var see limits
	var word int64
	err = s.inSnapshot(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, streamSQL(o), stream, o.From, o.Limit+1)
		if err != nil {
			return err
		}
		if live, word, err = collectSlice(rows, o.Limit); err != nil {
			return err
		}
		kept, err := visible(ctx, tx, []string{stream})
		if err != nil {
			return err
		}
		see = kept[stream]
		rows, _ = tx.Query(ctx, stretchesSQL, stream) // rows carry the error
		stretches, err = pgx.CollectRows(rows, scanStretch)
		return err
	})
	if err == nil {
		live.Log, err = s.name(ctx, word)
	}
	if err != nil {
		return eventstore.Slice{}, err
	}
	return s.join(ctx, op, o, live, stretches, see)
}

// join puts what is archived before, or read backwards behind, the live events.
func (s *Store) join(ctx context.Context, op string, o eventstore.ReadOptions, live eventstore.Slice, stretches []stretch, see limits) (eventstore.Slice, error) {
	if o.Direction == eventstore.Backwards {
		if live.More {
			return live, nil
		}
		older, err := s.archivedBackwards(ctx, op, stretches, o.From, o.Limit+1-len(live.Events), see)
		if err != nil {
			return eventstore.Slice{}, err
		}
		live.Events = append(live.Events, older...)
	} else {
		older, err := s.archivedForwards(ctx, op, stretches, o.From, o.Limit+1, see)
		if err != nil {
			return eventstore.Slice{}, err
		}
		live.Events = append(older, live.Events...)
	}
	if len(live.Events) > o.Limit {
		live.Events, live.More = live.Events[:o.Limit], true
	}
	return live, nil
}

// archivedForwards gives at most so many archived events of a stream from a revision on.
func (s *Store) archivedForwards(ctx context.Context, op string, stretches []stretch, from int64, limit int, see limits) (out []eventstore.Recorded, err error) {
	for _, st := range stretches {
		first := max(from, see.floor, st.from)
		if first > st.to || len(out) == limit {
			continue
		}
		err := s.readStretch(ctx, op, st, first, st.to, func(e eventstore.Recorded) bool {
			if !see.hide(e) {
				out = append(out, e)
			}
			return len(out) < limit
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// archivedBackwards gives at most so many archived events of a stream from a revision down, eventstore.End for
// the last.
func (s *Store) archivedBackwards(ctx context.Context, op string, stretches []stretch, from int64, limit int, see limits) (out []eventstore.Recorded, err error) {
	for _, st := range slices.Backward(stretches) {
		last := st.to
		if from != eventstore.End {
			last = min(from, last)
		}
		first := max(st.from, see.floor, last-int64(limit-len(out))+1)
		if first > last {
			continue
		}
		var part []eventstore.Recorded
		err := s.readStretch(ctx, op, st, first, last, func(e eventstore.Recorded) bool {
			if !see.hide(e) {
				part = append(part, e)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
		slices.Reverse(part)
		out = append(out, part...)
	}
	return out, nil
}

// readStretch gives the events of revisions of a stretch, both included.
func (s *Store) readStretch(ctx context.Context, op string, st stretch, first, last int64, yield func(eventstore.Recorded) bool) error {
	segment, err := s.segment(ctx, op, st.segment)
	if err != nil {
		return err
	}
	if err := readFrom(segment, st, first, last, yield); err != nil {
		return archiveError(op, st.segment.Object, err)
	}
	return nil
}

// readOlder reads a page of the log of which something is archived.
func (s *Store) readOlder(ctx context.Context, op string, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	var out eventstore.Page
	var word int64
	var segments []Segment
	err := s.inSnapshot(ctx, op, func(ctx context.Context, tx pgx.Tx) (err error) {
		if out, word, _, err = readPage(ctx, tx, after, limit, f); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, overlapSQL, after, out.Scanned, list(f.Categories)) // rows carry the error
		segments, err = pgx.CollectRows(rows, scanSegment)
		return err
	})
	if err == nil {
		out.Log, err = s.name(ctx, word)
	}
	if err != nil {
		return eventstore.Page{}, err
	}
	older, err := s.between(ctx, op, segments, after, out.Scanned)
	if err != nil {
		return eventstore.Page{}, err
	}
	older = slices.DeleteFunc(older, func(e eventstore.Recorded) bool { return !f.Matches(e) })
	if older, err = s.visibleOf(ctx, op, older); err != nil {
		return eventstore.Page{}, err
	}
	if len(older) == 0 {
		return out, nil
	}
	out.Events = append(out.Events, older...)
	slices.SortFunc(out.Events, func(a, b eventstore.Recorded) int { return cmp.Compare(a.Position, b.Position) })
	if len(out.Events) >= limit {
		out.Events = out.Events[:limit]
		out.Scanned, out.End = out.Events[limit-1].Position, false
	}
	return out, nil
}

// visibleOf leaves out of archived events those that retention hides.
func (s *Store) visibleOf(ctx context.Context, op string, events []eventstore.Recorded) ([]eventstore.Recorded, error) {
	seen := make(map[string]bool)
	var streams []string
	for _, e := range events {
		if !seen[e.Stream] {
			seen[e.Stream] = true
			streams = append(streams, e.Stream)
		}
	}
	if len(streams) == 0 {
		return nil, nil
	}
	var kept map[string]limits
	err := s.bounded(ctx, op, func(ctx context.Context) (err error) {
		kept, err = visible(ctx, s.readers, streams)
		return err
	})
	return slices.DeleteFunc(events, func(e eventstore.Recorded) bool { return kept[e.Stream].hide(e) }), err
}

// archivedIDs are what was found of an append's ids among the archived events of its stream, up to a revision;
// eventstore.NoRevision where nothing was looked at.
type archivedIDs struct {
	upto  int64
	known map[string]eventstore.Recorded
}

// comparedUpto is up to which archived revision a request may be taken for new: none if some of its ids are known,
// because then it is not.
func (a archivedIDs) comparedUpto() int64 {
	if len(a.known) > 0 {
		return eventstore.NoRevision
	}
	return a.upto
}

// errInArchive says that an append has to be compared with what is archived of its stream.
var errInArchive = errors.New("events of the stream are archived")

// findArchived compares the ids of an append with all that is archived of its stream.
func (s *Store) findArchived(ctx context.Context, r *request) (archivedIDs, error) {
	op := "append " + r.stream
	var stretches []stretch
	err := s.bounded(ctx, op, func(ctx context.Context) (err error) {
		rows, _ := s.writers.Query(ctx, stretchesSQL, r.stream) // rows carry the error
		stretches, err = pgx.CollectRows(rows, scanStretch)
		return err
	})
	if err != nil {
		return archivedIDs{}, err
	}
	out := archivedIDs{upto: eventstore.NoRevision, known: make(map[string]eventstore.Recorded)}
	for _, st := range stretches {
		if err := s.findIn(ctx, op, st, r.events, out.known); err != nil {
			return archivedIDs{}, err
		}
		out.upto = st.to
	}
	return out, nil
}

// findIn adds to known those of the events whose ids a stretch has. Which ids those are is remembered, so that a
// stream that goes on after it was archived is not read for every append.
func (s *Store) findIn(ctx context.Context, op string, st stretch, events []eventstore.Proposed, known map[string]eventstore.Recorded) error {
	key := st.segment.Object + " " + st.stream
	ids, ok := s.ids.get(key)
	if !ok {
		ids = make(map[string]bool, st.to-st.from+1)
		err := s.readStretch(ctx, op, st, st.from, st.to, func(e eventstore.Recorded) bool {
			ids[e.ID] = true
			return true
		})
		if err != nil {
			return err
		}
		s.ids.put(key, ids, int64(len(ids)*perID))
	}
	if !slices.ContainsFunc(events, func(e eventstore.Proposed) bool { return ids[e.ID] }) {
		return nil
	}
	return s.readStretch(ctx, op, st, st.from, st.to, func(e eventstore.Recorded) bool {
		if slices.ContainsFunc(events, func(p eventstore.Proposed) bool { return p.ID == e.ID }) {
			known[e.ID] = e
		}
		return true
	})
}

// archiveError says which segment stands in the way of what.
func archiveError(op, object string, cause error) error {
	return &eventstore.UnavailableError{Op: op, Cause: &eventstore.ArchiveError{Segment: object, Cause: cause}}
}

// archiveTrouble is archiveError, unless the caller's context has ended.
func archiveTrouble(ctx context.Context, op, object string, cause error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", op, ctx.Err())
	}
	return archiveError(op, object, cause)
}
