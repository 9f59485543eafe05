package knowledge

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

//go:embed tables.sql
var tables string

// Projection is the read model for a Runner.
var Projection = projections.Projection{
	Name:    "knowledge",
	Version: 1,
	Filter: eventstore.Filter{
		Categories: []string{knowledge.SourceCategory, knowledge.TextCategory},
		Types:      slices.Concat(knowledge.Codec.Names(), knowledge.TextCodec.Names()),
	},
	Tables: tables,
	Views: []string{
		"source", "crawl", "document", "document_version", "chunk", "chunk_words", "superseded", "term", "corpus", "chunk_vector",
	},
	Searched: []projections.Searched{
		{View: "chunk_text", Table: "chunk_words", Columns: []string{"version_id", "ord", "tenant", "source_id", "length", "superseded", "words"}},
		{View: "term_text", Table: "term", Columns: []string{"tenant", "lexeme", "df"}},
	},
	Apply:    apply,
	Forgets:  []string{knowledge.NameSourceRemoved, knowledge.NameSourceForgotten},
	OnPoison: projections.Park,
}

// queueFunc queues a statement with the event's own arguments and some more.
type queueFunc func(sql string, more pgx.NamedArgs)

func apply(b *projections.Batch, r eventstore.Recorded, s domain.Sealer) error {
	subject, tenant := projections.Subject(r.Stream), r.Metadata().Tenant
	if r.Type == knowledge.NameTextAdded || r.Type == knowledge.NameVectorsAdded {
		event, err := knowledge.TextCodec.Decode(r.Type, r.Data, r.ID, s)
		if err != nil {
			return err
		}
		return applyText(b, event, tenant)
	}
	event, err := knowledge.Codec.Decode(r.Type, r.Data, r.ID, s)
	if err != nil {
		return err
	}
	queue := func(sql string, more pgx.NamedArgs) {
		args := pgx.NamedArgs{"source": subject, "tenant": tenant}
		maps.Copy(args, more)
		b.Queue(sql, args)
	}
	switch e := event.(type) {
	case knowledge.SourceAdded:
		added(queue, e)
	case knowledge.SourceRemoved:
		forget(queue, ofSource, nil)
		queue(sourceRemoved, pgx.NamedArgs{"at": e.At})
	case knowledge.SourceForgotten:
		forget(queue, ofSource, nil)
		queue(`delete from source where source_id = @source`, nil)
	case knowledge.CrawlStarted, knowledge.PagesFound, knowledge.PageVisited, knowledge.CrawlFinished:
		crawled(queue, e)
	case knowledge.DocumentRemoved:
		queue(documentsGone, pgx.NamedArgs{"documents": []string{e.Document}, "state": Removed, "at": e.At})
		takenAway(queue, ofDocuments, pgx.NamedArgs{"documents": []string{e.Document}})
	case knowledge.DocumentsWithdrawn:
		queue(documentsGone, pgx.NamedArgs{"documents": e.Documents, "state": Withdrawn, "at": e.At})
		takenAway(queue, ofDocuments, pgx.NamedArgs{"documents": e.Documents})
	case knowledge.VersionsForgotten:
		versions := pgx.NamedArgs{"versions": e.Versions}
		for _, sql := range versionsForgotten {
			queue(sql, versions)
		}
	default:
		applyVersion(queue, e)
	}
	return nil
}

const sourceAdded = `
	insert into source (source_id, tenant, kind, name, url, domains, language, max_pages, max_depth, every_seconds, added_by, added_at, dictionary, script)
	values (@source, @tenant, @kind, @name, @url, @domains, @language, @pages, @depth, @every, @by, @at, @dictionary, @script)
	on conflict (source_id) do nothing`

// A source whose events were put aside until now has no row yet.
const sourceRemoved = `
	insert into source (source_id, tenant, kind, name, url, domains, language, max_pages, max_depth, every_seconds, added_by, added_at, removed_at, dictionary, script)
	values (@source, @tenant, '', '', '', '{}', '', 0, 0, 0, '', @at, @at, '', '')
	on conflict (source_id) do update set name = '', url = '', domains = '{}', removed_at = excluded.removed_at`

func added(queue queueFunc, e knowledge.SourceAdded) {
	domains := e.Domains
	if domains == nil {
		domains = []string{}
	}
	queue(sourceAdded, pgx.NamedArgs{
		"kind": string(e.Kind), "name": e.Name, "url": e.URL, "domains": domains, "language": e.Language,
		"pages": e.MaxPages, "depth": e.MaxDepth, "every": e.EverySeconds, "by": e.By, "at": e.At,
		"dictionary": Dictionary(e.Language), "script": scriptOfDictionary(Dictionary(e.Language)),
	})
}

const (
	crawlStarted = `
	insert into crawl (source_id, tenant, generation, started_at)
	values (@source, @tenant, @generation, @at)
	on conflict (source_id) do update set
		generation = excluded.generation, started_at = excluded.started_at, found = 0, dropped = 0, visits = '{}',
		limited = false, failed = '', finished_at = null`
	pagesFound = `
	update crawl set found = found + @found, dropped = dropped + @dropped where source_id = @source and generation = @generation`
	pageVisited = `
	update crawl set visits = jsonb_set(visits, array[@outcome::text], to_jsonb(coalesce((visits ->> @outcome::text)::int, 0) + 1))
	where source_id = @source and generation = @generation`
	pageChecked = `
	update document set checked_at = @at where document_id = @document and source_id = @source`
	crawlFinished = `
	update crawl set limited = @limited, failed = @failed, finished_at = @at where source_id = @source and generation = @generation`
)

func crawled(queue queueFunc, event knowledge.Event) {
	switch e := event.(type) {
	case knowledge.CrawlStarted:
		queue(crawlStarted, pgx.NamedArgs{"generation": e.Generation, "at": e.At})
	case knowledge.PagesFound:
		queue(pagesFound, pgx.NamedArgs{"generation": e.Generation, "found": len(e.Pages), "dropped": e.Dropped})
	case knowledge.PageVisited:
		queue(pageVisited, pgx.NamedArgs{"generation": e.Generation, "outcome": string(e.Outcome)})
		if e.Outcome == knowledge.Unchanged || e.Outcome == knowledge.Received {
			queue(pageChecked, pgx.NamedArgs{"document": e.Document, "at": e.At})
		}
	case knowledge.CrawlFinished:
		queue(crawlFinished, pgx.NamedArgs{"generation": e.Generation, "limited": e.Limited, "failed": e.Failed, "at": e.At})
	}
}

const (
	// A page of the agent has its address with its text; what is known of it stays.
	documentReceived = `
	insert into document (document_id, tenant, source_id, path, state, version_id, number, media, bytes, size, generation,
		phase, task_id, turn, added_by, received_at, checked_at)
	values (@document, @tenant, @source, @path, 'received', @version, @number, @media, @bytes, @size, @generation,
		@phase, @task, @turn, @by, @at, @at)
	on conflict (document_id) do update set
		path = case when excluded.path = '' then document.path else excluded.path end,
		state = 'received', version_id = excluded.version_id, number = excluded.number, code = '', reason = '',
		page = 0, of_pages = 0, attempts = 0, media = excluded.media, bytes = excluded.bytes, size = excluded.size,
		generation = excluded.generation, phase = excluded.phase, task_id = excluded.task_id, turn = excluded.turn,
		added_by = excluded.added_by, received_at = excluded.received_at, checked_at = excluded.checked_at,
		reading_at = null, ended_at = null`
	versionReceived = `
	insert into document_version (version_id, tenant, source_id, document_id, number, state, path, phase, received_at)
	values (@version, @tenant, @source, @document, @number, 'received', @path, @phase, @at)
	on conflict (version_id) do nothing`
	readingStarted = `
	update document set state = 'reading', attempts = @attempt, page = 0, of_pages = 0, reading_at = @at where version_id = @version and source_id = @source`
	readingProgressed = `
	update document set page = @page, of_pages = @of where version_id = @version and source_id = @source`
	documentRefused = `
	update document set state = 'refused', type = @type, code = @code, reason = @reason, reader = @reader, ended_at = @at where version_id = @version and source_id = @source`
	versionRefused = `
	with text as (delete from staged where version_id = @version)
	update document_version set state = 'refused' where version_id = @version and source_id = @source`
	// What is received after the version that ends keeps its state.
	documentEmpty = `
	update document set live_version = null, title = '', chunks = 0,
		state = case when version_id = @version then 'empty' else state end,
		type = @type, reason = case when version_id = @version then @reason else reason end,
		pages = @pages, image_pages = @images, reader = case when version_id = @version then @reader else reader end,
		ended_at = case when version_id = @version then @at else ended_at end
	where document_id = @document and source_id = @source`
	versionEmpty = `
	update document_version set state = 'empty', type = @type where version_id = @version and source_id = @source`
)

func applyVersion(queue queueFunc, event knowledge.Event) {
	switch e := event.(type) {
	case knowledge.DocumentReceived:
		received(queue, e)
	case knowledge.ReadingStarted:
		queue(readingStarted, pgx.NamedArgs{"version": e.Version, "attempt": e.Attempt, "at": e.At})
	case knowledge.ReadingProgressed:
		queue(readingProgressed, pgx.NamedArgs{"version": e.Version, "page": e.Page, "of": e.Of})
	case knowledge.DocumentRefused:
		queue(documentRefused, pgx.NamedArgs{"version": e.Version, "type": string(e.Type), "code": e.Code, "reason": e.Reason, "reader": e.Reader, "at": e.At})
		queue(versionRefused, pgx.NamedArgs{"version": e.Version})
	case knowledge.DocumentEmpty:
		takenAway(queue, ofDocuments, pgx.NamedArgs{"documents": []string{e.Document}})
		more := pgx.NamedArgs{
			"document": e.Document, "version": e.Version, "type": string(e.Type), "reason": e.Reason,
			"pages": e.Pages, "images": e.ImagePages, "reader": e.Reader, "at": e.At,
			"attempt": 0, // attempts count from 1: nothing of any is kept
		}
		for _, sql := range []string{documentEmpty, versionEmpty, olderReplaced, olderStaged} {
			queue(sql, more)
		}
	case knowledge.DocumentIndexed:
		documentIndexed(queue, e)
	}
}

func received(queue queueFunc, e knowledge.DocumentReceived) {
	path := unlessErased(e.Path)
	args := pgx.NamedArgs{
		"document": e.Document, "version": e.Version, "number": e.Number, "path": path, "media": e.Media, "bytes": e.Bytes,
		"size": e.Size, "generation": e.Generation, "phase": string(e.Phase), "task": e.Task, "turn": e.Turn, "by": e.By, "at": e.At,
	}
	queue(documentReceived, args)
	queue(versionReceived, args)
}

func unlessErased(text string) string {
	if text == domain.Erased {
		return ""
	}
	return text
}

// applyText keeps a version's text until the version is indexed. Text of a version that is not
// waited for any more is left out, and so is text whose key is gone.
func applyText(b *projections.Batch, event knowledge.TextEvent, tenant string) error {
	switch e := event.(type) {
	case knowledge.TextAdded:
		stage(b, e, tenant)
	case knowledge.VectorsAdded:
		if len(e.Vectors) == 0 {
			return nil
		}
		vectors, err := cutVectors(e)
		if err != nil {
			return err
		}
		b.Queue(vectorsAdded, pgx.NamedArgs{
			"version": e.Version, "attempt": e.Attempt, "part": e.Part, "model": e.Model, "dimensions": e.Dimensions,
			"tenant": tenant, "source": e.Source, "document": e.Document, "vectors": vectors,
		})
	}
	return nil
}

const vectorsAdded = `
	insert into chunk_vector (version_id, attempt, part, nth, model, dimensions, tenant, source_id, document_id, vector)
	select @version::uuid, @attempt::int, @part::int, nth - 1, @model, @dimensions::int, @tenant, @source::uuid, @document::uuid, vector
	from unnest(@vectors::bytea[]) with ordinality as v (vector, nth)
	where exists (select from document_version where version_id = @version and source_id = @source and tenant = @tenant and state in ('received', 'live'))
	on conflict do nothing`

func cutVectors(e knowledge.VectorsAdded) ([][]byte, error) {
	const float = 4 // bytes
	size := e.Dimensions * float
	if size <= 0 || len(e.Vectors)%size != 0 {
		return nil, domain.Errorf(domain.Invalid, domain.CodeValidation, "%d bytes are no vectors of %d numbers", len(e.Vectors), e.Dimensions)
	}
	out := make([][]byte, 0, len(e.Vectors)/size)
	for at := 0; at < len(e.Vectors); at += size {
		out = append(out, e.Vectors[at:at+size])
	}
	return out, nil
}

// A title, an address and a trigger that come with the text are those of the version; the
// document shows the address at once, the title once it is indexed.
const textNamed = `
	with named as (
		update document_version set title = @title, trigger = @trigger, path = case when path = '' then @path else path end
		where version_id = @version and tenant = @tenant
	)
	update document set path = @path where version_id = @version and tenant = @tenant and path = ''`

const textStaged = `
	insert into staged (version_id, attempt, ord, tenant, source_id, document_id, part, nth, page, from_at, to_at, headings, text, script, config, words, places, length)
	select @version::uuid, @attempt::int, ord, @tenant, @source::uuid, @document::uuid, @part::int, nth - 1, page, from_at, to_at, headings::jsonb, text, script, config, words, places, length
	from unnest(@ords::int[], @pages::int[], @froms::int[], @tos::int[], @headings::text[], @texts::text[], @scripts::text[], @configs::text[],
		@words::text[], @places::text[], @lengths::int[])
		with ordinality as c (ord, page, from_at, to_at, headings, text, script, config, words, places, length, nth)
	where exists (select from document_version where version_id = @version and source_id = @source and tenant = @tenant and state = 'received')
	on conflict do nothing`

func stage(b *projections.Batch, e knowledge.TextAdded, tenant string) {
	if len(e.Chunks) == 0 {
		return
	}
	path, title, trigger := unlessErased(e.Path), unlessErased(e.Title), unlessErased(e.Trigger)
	b.Queue(textNamed, pgx.NamedArgs{"version": e.Version, "tenant": tenant, "path": path, "title": title, "trigger": trigger})
	b.Queue(textStaged, stagedArgs(e, tenant))
}

func stagedArgs(e knowledge.TextAdded, tenant string) pgx.NamedArgs {
	n := len(e.Chunks)
	var (
		ords, pages, froms, tos, lengths  = make([]int, n), make([]int, n), make([]int, n), make([]int, n), make([]int, n)
		headings, texts, scripts, configs = make([]string, n), make([]string, n), make([]string, n), make([]string, n)
		words, places                     = make([]string, n), make([]string, n)
	)
	for i, c := range e.Chunks {
		ords[i], pages[i], froms[i], tos[i] = c.Ord, c.Page, c.From, c.To
		headings[i], texts[i] = headingsJSON(c.Path), c.Text
		scripts[i], configs[i], _ = guess(c.Text)
		ix := indexOf(c.Path, nameOf(e.Path), c.Text)
		words[i], places[i], lengths[i] = joinWords(ix.words), joinWords(ix.places), ix.length
	}
	return pgx.NamedArgs{
		"version": e.Version, "attempt": e.Attempt, "tenant": tenant, "source": e.Source, "document": e.Document, "part": e.Part,
		"ords": ords, "pages": pages, "froms": froms, "tos": tos, "headings": headings, "texts": texts,
		"scripts": scripts, "configs": configs, "words": words, "places": places, "lengths": lengths,
	}
}

func headingsJSON(path []string) string {
	clean := make([]string, len(path))
	for i, h := range path {
		clean[i] = projections.Text(h)
	}
	b, err := json.Marshal(clean)
	if err != nil { // strings can always be encoded
		panic(err)
	}
	return string(b)
}

// instant is a time for a column, null if there is none.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
