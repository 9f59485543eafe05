// Package eventstore is the port to the log: what Stepledger asks of an event
// store, in terms of no particular one. The implementations (postgres, memory,
// esdb) live below it and all pass storetest.
//
// Promises every implementation keeps:
//
//   - Append is all or nothing, checks the expected revision, and of racing
//     writers with the same expectation exactly one wins. Acknowledged means
//     on disk.
//   - The same append again (same ids, same bodies, same expectation) returns
//     the first receipt and adds nothing, however much was appended since. An id
//     that its stream knows with another body or type is an IDConflictError, and
//     so is an append of which only a part is known. In another stream the same
//     id is another event.
//   - The log has one total order. A reader that has passed position P is never
//     handed an event at or below P later, whatever the order in which writers
//     commit.
//   - Following from a position is catch up, then live, in order, at least
//     once; a lost notification only delays.
//   - Data and metadata come back byte for byte as they went in.
//
// Revisions count from 0 within a stream, positions from 1 within the log; 0
// is the position before everything. Neither is ever given to two events, unless
// the log is restored to an earlier state: then it goes on in another epoch, under
// another id. Positions need not be without gaps.
package eventstore

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Limits of every store.
const (
	// MaxStreamName is the longest stream name, in bytes.
	MaxStreamName = 200
	// MaxEventBytes is the largest data plus metadata of one event. A page
	// never is in an event, so a megabyte is generous.
	MaxEventBytes = 1 << 20
	// MaxAppendEvents is how many events one append may hold.
	MaxAppendEvents = 10_000
	// MaxAppendBytes is the largest sum of data and metadata of one append.
	MaxAppendBytes = 32 << 20
	// MaxPage is how many events one read may ask for.
	MaxPage = 5_000
)

// Metadata is the envelope of every event beside its payload. Tenant owns the
// event, Actor caused it (a user id, "system"), Correlation is the task,
// Causation the event or request that led to it, Schema the version of the
// payload's shape.
type Metadata struct {
	Tenant      string `json:"tenant,omitempty"`
	Actor       string `json:"actor,omitempty"`
	Correlation string `json:"correlation,omitempty"`
	Causation   string `json:"causation,omitempty"`
	Schema      int    `json:"schema,omitempty"`
}

// Encode returns the metadata as stores keep it. The same value gives the same bytes.
func (m Metadata) Encode() json.RawMessage {
	b, err := json.Marshal(m)
	if err != nil {
		panic("eventstore: metadata of strings cannot fail to encode: " + err.Error())
	}
	return b
}

// Proposed is an event to append. ID is a UUID chosen by the writer, which makes the
// append repeatable. Data is JSON.
type Proposed struct {
	ID   string
	Type string
	Data json.RawMessage
	Meta json.RawMessage
}

// Recorded is an event in the log.
type Recorded struct {
	ID         string
	Stream     string
	Type       string
	Revision   int64
	Position   int64
	RecordedAt time.Time
	Data       json.RawMessage
	Meta       json.RawMessage
}

// Metadata decodes the envelope; fields that cannot be read are empty.
func (r Recorded) Metadata() Metadata {
	var m Metadata
	_ = json.Unmarshal(r.Meta, &m)
	return m
}

// Expected revisions with a meaning of their own. Any other value >= 0 is the
// exact revision of the stream's last event.
const (
	// NoStream expects that the stream has never had an event.
	NoStream int64 = -1
	// Any expects nothing.
	Any int64 = -2
)

// NoRevision is the head of a stream that has no events.
const NoRevision int64 = -1

// Receipt is the position of the last event of an append. Log names the log it was added
// to, as Slice.Log; "" where the store could not find out, though it is added.
type Receipt struct {
	Revision int64
	Position int64
	Log      string
}

// Direction of a stream read.
type Direction int

const (
	// Forwards reads towards newer events, From included.
	Forwards Direction = iota
	// Backwards reads towards older events, From included.
	Backwards
)

// End asks a backwards read to begin at the last event.
const End int64 = -1

// ReadOptions of a stream read. The zero value reads the first MaxPage events.
type ReadOptions struct {
	From      int64
	Limit     int // 0 means MaxPage
	Direction Direction
}

// Slice is a part of one stream. Head is the revision of the last event ever
// appended (NoRevision for a stream that never was), even where retention has
// since hidden it; Position is the log position of that event. More says that
// there is something beyond Events in the direction read. Log names the log it was
// read from, as Feed.ID: what is remembered of a stream of another log, or of an
// epoch that was, may be of events that are no more.
type Slice struct {
	Events   []Recorded
	Head     int64
	Position int64
	More     bool
	Log      string
}

// Log is the write side and the reading of one stream.
type Log interface {
	// Append adds events to the end of a stream. Errors: *WrongRevisionError,
	// *IDConflictError, *InvalidError, *DeletedError, *UnavailableError.
	//
	// What is checked first wins: the shape, then whether the stream was ended,
	// then the ids, then the expectation. An append whose events all stand in
	// the stream already, next to each other, in this order and where the
	// expectation puts them, is a repeat; where they stand elsewhere it is a
	// *WrongRevisionError. When ctx ends first, the error wraps ctx.Err() and
	// the append may or may not have taken place.
	Append(ctx context.Context, stream string, expected int64, events []Proposed) (Receipt, error)
	// ReadStream reads one page in one round trip. A stream that does not exist
	// is an empty slice with Head NoRevision, not an error.
	ReadStream(ctx context.Context, stream string, o ReadOptions) (Slice, error)
}

// Filter narrows a feed. Empty lists match everything. A category is a stream's name
// up to its first "-".
type Filter struct {
	Categories []string
	Types      []string
}

// Matches reports whether an event passes the filter.
func (f Filter) Matches(e Recorded) bool {
	return contains(f.Categories, Category(e.Stream)) && contains(f.Types, e.Type)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return len(list) == 0
}

// Category is a stream's name up to its first "-" ("task" of "task-42").
func Category(stream string) string {
	c, _, _ := strings.Cut(stream, "-")
	return c
}

// Page is a part of the whole log, in order. Scanned is the position up to
// which the log has been looked at: at or above the last event's position, and
// ahead of it where a filter left events out. It is where the next read starts.
// The events of a page may be shared with other readers; nobody writes to them.
// Log names the log it was read from, as Feed.ID: a follower of another epoch may not
// apply it, see GoesOn.
type Page struct {
	Events  []Recorded
	Scanned int64
	Log     string
	// End says that nothing was behind Scanned when the log was looked at, so that
	// a follower may Wait before it reads on. A store need not say so; that Scanned
	// has stopped moving is what tells a reader who has to see all there is now.
	End bool
}

// Feed reads and follows the whole log.
type Feed interface {
	// ID names this log and its epoch. A checkpoint belongs to one; where the id is
	// another, Past says whether it still holds.
	ID(ctx context.Context) (string, error)
	// Past is up to which position the log named by an id is this log's own past. For
	// the present id that is the head; for an earlier epoch's the least at which a later
	// one began; 0 for another log. A follower at or below it may go on in this log, and
	// one above it has seen what is not here: see GoesOn.
	Past(ctx context.Context, id string) (int64, error)
	// Head is the position of the last event committed, 0 in an empty log. A
	// reader that follows the feed reaches it, if only as Page.Scanned where
	// retention hides the event itself.
	Head(ctx context.Context) (int64, error)
	// ReadAll gives at most limit events after a position (exclusive); 0 means
	// MaxPage. A page may hold fewer, even none, while there is more: the reader
	// is at the end when Scanned has stopped moving.
	ReadAll(ctx context.Context, after int64, limit int, f Filter) (Page, error)
	// Wait returns when there is, or may be, something after a position, at
	// the latest when the poll floor is over. It returns ctx.Err() when ctx ends.
	Wait(ctx context.Context, after int64) error
}

// Retention hides old events of a stream from every reader. Zero fields keep
// everything. Hidden events may be removed from disk later.
type Retention struct {
	MaxAge         time.Duration
	MaxCount       int64
	TruncateBefore int64
}

// Keeper sets how long streams are kept. Each call may be repeated. For a stream
// ended by Tombstone, SetRetention and Delete return *DeletedError.
type Keeper interface {
	// SetRetention replaces the retention of a stream, which need not exist yet.
	SetRetention(ctx context.Context, stream string, r Retention) error
	// Delete hides all present events of a stream; a later append continues its
	// revisions. Expected is checked as in Append. No later SetRetention brings
	// them back.
	Delete(ctx context.Context, stream string, expected int64) error
	// Tombstone deletes a stream and ends it for ever: every later append is a
	// *DeletedError, the repeat of an earlier one too.
	Tombstone(ctx context.Context, stream string, expected int64) error
	// BeginEpoch says that the log has been put back to an earlier state, which a store
	// may be unable to notice by itself. It returns the log's new id; whoever followed
	// the log beyond its present head is told by Past. Nothing is changed in the log.
	BeginEpoch(ctx context.Context) (id string, err error)
	// Kept lists the streams that do not simply live for ever, in the order of
	// their names' bytes, after a name ("" is before all): at most limit of them,
	// and 0 means MaxPage.
	Kept(ctx context.Context, after string, limit int) ([]Kept, error)
}

// Kept is a stream with a retention, or one that Delete or Tombstone was called for.
// An ended stream has no retention any more.
type Kept struct {
	Stream    string
	Retention Retention
	Ended     bool
}

// Store is a whole event store.
type Store interface {
	Log
	Feed
	Subscriber
	Keeper
}
