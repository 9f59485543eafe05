package knowledge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/projections"
)

// The states of a document. The first two pass, the others are ends.
const (
	Received  = "received"
	Reading   = "reading"
	Indexed   = "indexed"
	Empty     = "empty"
	Refused   = "refused"
	Removed   = "removed"
	Withdrawn = "withdrawn"
)

// States are all of them.
var States = []string{Received, Reading, Indexed, Empty, Refused, Removed, Withdrawn}

// Queries reads the model. Now is the clock; nil means time.Now.
type Queries struct {
	DB  projections.DB
	Now func() time.Time
}

func (q Queries) now() time.Time {
	if q.Now == nil {
		return time.Now()
	}
	return q.Now()
}

// Source is a source with how far its documents are.
type Source struct {
	ID           string         `db:"source_id"`
	Tenant       string         `db:"tenant"`
	Kind         knowledge.Kind `db:"kind"`
	Name         string         `db:"name"`
	URL          string         `db:"url"`
	Domains      []string       `db:"domains"`
	Language     string         `db:"language"`
	MaxPages     int            `db:"max_pages"`
	MaxDepth     int            `db:"max_depth"`
	EverySeconds int64          `db:"every_seconds"`
	AddedBy      string         `db:"added_by"`
	AddedAt      time.Time      `db:"added_at"`
	// Documents counts by state, Chunks what can be found.
	Documents map[string]int `db:"documents"`
	Chunks    int            `db:"chunks"`
	// Crawl is the last, nil for none.
	Crawl *Crawl `db:"crawl"`
}

// Crawl is how far a crawl is.
type Crawl struct {
	Generation int `json:"generation"`
	// Found are the pages to visit, Visits what came of those that were, and Dropped
	// those there was no room for.
	Found   int                       `json:"found"`
	Dropped int                       `json:"dropped"`
	Visits  map[knowledge.Outcome]int `json:"visits"`
	Limited bool                      `json:"limited"`
	// Failed is why nothing could be visited.
	Failed     string     `json:"failed"`
	StartedAt  time.Time  `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

const sourceColumns = `
	select s.source_id, s.tenant, kind, name, url, domains, language, max_pages, max_depth, every_seconds, added_by, added_at,
		coalesce((select jsonb_object_agg(state, n) from (
			select state, count(*) as n from read.document d where d.tenant = s.tenant and d.source_id = s.source_id group by state) counts), '{}') as documents,
		coalesce((select sum(d.chunks) from read.document d where d.tenant = s.tenant and d.source_id = s.source_id), 0)::int as chunks,
		(select to_jsonb(c) from read.crawl c where c.source_id = s.source_id and c.tenant = s.tenant) as crawl
	from read.source s
	where s.tenant = @tenant and removed_at is null`

// MaxSources bounds Sources.
const MaxSources = 1000

// Sources lists a tenant's sources that are not removed, the newest first, at most
// MaxSources.
func (q Queries) Sources(ctx context.Context, tenant string) ([]Source, error) {
	rows, err := q.DB.Query(ctx, sourceColumns+` order by added_at desc, source_id limit @limit`,
		pgx.NamedArgs{"tenant": projections.Text(tenant), "limit": MaxSources})
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", projections.Unavailable(err))
	}
	sources, err := pgx.CollectRows(rows, pgx.RowToStructByName[Source])
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", projections.Unavailable(err))
	}
	return sources, nil
}

// Source returns a tenant's source. It returns NotFound for one that is removed, another
// tenant's, or none.
func (q Queries) Source(ctx context.Context, tenant, id string) (Source, error) {
	s, err := one[Source](ctx, q, id, sourceColumns+` and s.source_id = @id`, tenant)
	if err != nil {
		return Source{}, fmt.Errorf("source %s: %w", id, err)
	}
	return s, nil
}

// one reads the row of an id.
func one[T any](ctx context.Context, q Queries, id, sql, tenant string) (none T, err error) {
	missing := domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such thing among what is known")
	if !domain.ValidUUID(id) {
		return none, missing
	}
	rows, err := q.DB.Query(ctx, sql, pgx.NamedArgs{"tenant": projections.Text(tenant), "id": id})
	if err != nil {
		return none, projections.Unavailable(err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return none, missing
	}
	return row, projections.Unavailable(err)
}

// Document is a document of a source: its last version, and the one that is found.
type Document struct {
	ID     string `db:"document_id"`
	Tenant string `db:"tenant"`
	Source string `db:"source_id"`
	Path   string `db:"path"`
	// Title is that of the live version.
	Title string `db:"title"`
	State string `db:"state"`
	// Code and Reason say why it is refused, Reason also why it is empty.
	Code   string `db:"code"`
	Reason string `db:"reason"`
	// Version is the last that came, the Number-th; Live the one that is found, "" for
	// none. They differ while the last is being read, and if it was refused.
	Version string `db:"version_id"`
	Number  int    `db:"number"`
	Live    string `db:"live_version"`
	// Page of OfPages is being read.
	Page     int `db:"page"`
	OfPages  int `db:"of_pages"`
	Attempts int `db:"attempts"`
	// Type was found out, Media declared. Bytes refers to the content store.
	Type       knowledge.Type  `db:"type"`
	Media      string          `db:"media"`
	Bytes      string          `db:"bytes"`
	Size       int64           `db:"size"`
	Pages      int             `db:"pages"`
	ImagePages int             `db:"image_pages"`
	Chunks     int             `db:"chunks"`
	Language   string          `db:"language"`
	Generation int             `db:"generation"`
	Phase      knowledge.Phase `db:"phase"`
	Task       string          `db:"task_id"`
	Turn       int             `db:"turn"`
	AddedBy    string          `db:"added_by"`
	ReceivedAt time.Time       `db:"received_at"`
	// CheckedAt is when its bytes were last seen to be these.
	CheckedAt time.Time `db:"checked_at"`
	// ReadingAt and EndedAt are when reading began, and when it came to an end.
	ReadingAt *time.Time `db:"reading_at"`
	EndedAt   *time.Time `db:"ended_at"`
}

const documentColumns = `
	select document_id, tenant, source_id, path, title, state, code, reason, version_id, number, coalesce(live_version::text, '') as live_version,
		page, of_pages, attempts, type, media, bytes, size, pages, image_pages, chunks, language, generation, phase, task_id, turn, added_by,
		received_at, checked_at, reading_at, ended_at
	from read.document
	where tenant = @tenant`

// Filter chooses documents of a source.
type Filter struct {
	// State is one of States; "" is all but those that are removed or withdrawn.
	State string
	// After is the last document of the page before; nil is the first page.
	After *Mark
	// Limit of a page, from 1 to MaxDocuments.
	Limit int
}

// Mark is a document's place in the list.
type Mark struct {
	ReceivedAt time.Time
	ID         string
}

// MaxDocuments bounds a page of documents.
const MaxDocuments = 500

// Documents lists documents of a tenant's source, those that came last first. more: there
// are others. It returns NotFound like Source.
func (q Queries) Documents(ctx context.Context, tenant, source string, f Filter) (page []Document, more bool, err error) {
	if f.Limit < 1 || f.Limit > MaxDocuments {
		return nil, false, domain.Errorf(domain.Invalid, domain.CodeValidation, "a page has 1 to %d documents, not %d", MaxDocuments, f.Limit).At("limit")
	}
	if _, err := q.Source(ctx, tenant, source); err != nil {
		return nil, false, err
	}
	sql := documentColumns + ` and source_id = @source`
	args := pgx.NamedArgs{"tenant": projections.Text(tenant), "source": source, "state": projections.Text(f.State), "limit": f.Limit + 1}
	if f.State == "" {
		sql += ` and state not in ('removed', 'withdrawn')`
	} else {
		sql += ` and state = @state`
	}
	if f.After != nil {
		if !domain.ValidUUID(f.After.ID) {
			return nil, false, domain.Errorf(domain.Invalid, domain.CodeValidation, "%q is no place in the list", f.After.ID).At("after")
		}
		sql += ` and (received_at, document_id) < (@after, @id::uuid)`
		args["after"], args["id"] = f.After.ReceivedAt, f.After.ID
	}
	rows, err := q.DB.Query(ctx, sql+` order by received_at desc, document_id desc limit @limit`, args)
	if err == nil {
		page, err = pgx.CollectRows(rows, pgx.RowToStructByName[Document])
	}
	if err != nil {
		return nil, false, fmt.Errorf("documents of %s: %w", source, projections.Unavailable(err))
	}
	return page[:min(len(page), f.Limit)], len(page) > f.Limit, nil
}

// Document returns a tenant's document, in whatever state. It returns NotFound if there is
// none.
func (q Queries) Document(ctx context.Context, tenant, id string) (Document, error) {
	d, err := one[Document](ctx, q, id, documentColumns+` and document_id = @id`, tenant)
	if err != nil {
		return Document{}, fmt.Errorf("document %s: %w", id, err)
	}
	return d, nil
}

// Version is a version of a document that is not forgotten.
type Version struct {
	ID       string `db:"version_id"`
	Tenant   string `db:"tenant"`
	Source   string `db:"source_id"`
	Document string `db:"document_id"`
	Number   int    `db:"number"`
	// State is received, live, empty, refused or old.
	State      string          `db:"state"`
	Path       string          `db:"path"`
	Title      string          `db:"title"`
	Trigger    string          `db:"trigger"`
	Phase      knowledge.Phase `db:"phase"`
	Type       knowledge.Type  `db:"type"`
	Language   string          `db:"language"`
	ReceivedAt time.Time       `db:"received_at"`
	IndexedAt  *time.Time      `db:"indexed_at"`
}

// Versions lists the versions of a tenant's document, the newest first. It returns NotFound
// like Document.
func (q Queries) Versions(ctx context.Context, tenant, document string) ([]Version, error) {
	if _, err := q.Document(ctx, tenant, document); err != nil {
		return nil, err
	}
	rows, err := q.DB.Query(ctx, `
		select version_id, tenant, source_id, document_id, number, state, path, title, trigger, phase, type, language, received_at, indexed_at
		from read.document_version where tenant = $1 and document_id = $2 order by number desc`, projections.Text(tenant), document)
	if err != nil {
		return nil, fmt.Errorf("versions of %s: %w", document, projections.Unavailable(err))
	}
	versions, err := pgx.CollectRows(rows, pgx.RowToStructByName[Version])
	if err != nil {
		return nil, fmt.Errorf("versions of %s: %w", document, projections.Unavailable(err))
	}
	return versions, nil
}

// HasChunks reports whether a tenant knows something of a host: whether a search that is
// bounded to the host could find anything. An empty host is any.
func (q Queries) HasChunks(ctx context.Context, tenant, host string) (bool, error) {
	sources, err := q.sourcesOf(ctx, tenant, host)
	if err != nil {
		return false, fmt.Errorf("what is known of %q: %w", host, err)
	}
	if len(sources) == 0 {
		return false, nil
	}
	var has bool
	err = q.DB.QueryRow(ctx, `
		select exists (select from unnest($2::uuid[]) as s (id) where exists (select from read.chunk c where c.source_id = s.id and c.tenant = $1))`,
		projections.Text(tenant), sources).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("what is known of %q: %w", host, projections.Unavailable(err))
	}
	return has, nil
}

// sourcesOf returns the tenant's sources that are about a host.
func (q Queries) sourcesOf(ctx context.Context, tenant, host string) ([]string, error) {
	rows, err := q.DB.Query(ctx, `select source_id, domains from read.source where tenant = $1 and removed_at is null order by source_id`, projections.Text(tenant))
	if err != nil {
		return nil, projections.Unavailable(err)
	}
	var (
		id      string
		domains []string
		out     []string
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &domains}, func() error {
		if host == "" || len(domains) == 0 || account.MatchingDomain(domains, host) != "" {
			out = append(out, id)
		}
		return nil
	})
	return out, projections.Unavailable(err)
}
