package knowledge

import (
	"crypto/md5"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/knowledge"
)

// Conditions that choose chunks and what belongs to them. All their tables have the columns.
const (
	ofDocuments = `tenant = @tenant and source_id = @source and document_id = any (@documents::uuid[])`
	ofSource    = `tenant = @tenant and source_id = @source`
)

// A word that begins so is none, but says whose the chunk is.
const mark = "@"

// The words by which an index of all tenants' words is read for one, and for
// some of its sources.
const (
	ofTenantMark = `'` + mark + `t' || md5(tenant)`
	ofSourceMark = `'` + mark + `s' || source_id`
)

func tenantMark(tenant string) string {
	return mark + "t" + fmt.Sprintf("%x", md5.Sum([]byte(tenant)))
}

func sourceMark(source string) string { return mark + "s" + strings.ToLower(source) }

// countedOf counts words of chunks.
func countedOf(chunks string) string {
	return `(select w.tenant, lexeme, count(*)::int as n from chunk_words w, unnest(words) where ` + chunks + ` and left(lexeme, 1) <> '` + mark + `' group by 1, 2)`
}

// takenAway queues that nothing of some chunks is found any more, and that what they
// superseded is found again.
func takenAway(queue queueFunc, chunks string, args pgx.NamedArgs) {
	for _, sql := range takenAwaySQL(chunks) {
		queue(sql, args)
	}
}

func takenAwaySQL(chunks string) []string {
	counted := countedOf(strings.ReplaceAll(chunks, "tenant = @tenant", "w.tenant = @tenant"))
	return []string{
		`update chunk_words set superseded = superseded - n
		from (select version_id, ord, count(*)::int as n from superseded where ` + chunks + ` group by 1, 2) s
		where chunk_words.version_id = s.version_id and chunk_words.ord = s.ord`,
		`delete from superseded where ` + chunks,
		`delete from superseded where version_id in (select version_id from chunk_words where ` + chunks + `)`,
		`delete from term using ` + counted + ` gone where term.tenant = gone.tenant and term.lexeme = gone.lexeme and df <= n`,
		`update term set df = df - n from ` + counted + ` gone where term.tenant = gone.tenant and term.lexeme = gone.lexeme`,
		`update corpus set chunks = corpus.chunks - gone.chunks, length = corpus.length - gone.length
		from (select tenant, config, count(*) as chunks, sum(length) as length from chunk_words where ` + chunks + ` group by 1, 2) gone
		where corpus.tenant = gone.tenant and corpus.config = gone.config`,
		`delete from corpus where tenant = @tenant and chunks <= 0`,
		`delete from chunk where ` + chunks,
		`delete from chunk_words where ` + chunks,
	}
}

// forget queues that nothing is left of a source but its row.
func forget(queue queueFunc, chunks string, args pgx.NamedArgs) {
	takenAway(queue, chunks, args)
	for _, table := range []string{"staged", "chunk_vector", "document_version", "document", "crawl"} {
		queue(`delete from `+table+` where `+chunks, args)
	}
}

// documentsGone: the address of a page that the agent saw was with its text.
const documentsGone = `
	with versions as (update document_version set state = 'old', title = '', trigger = '' where ` + ofDocuments + `),
		text as (delete from staged where ` + ofDocuments + `), vectors as (delete from chunk_vector where ` + ofDocuments + `)
	update document set state = @state, live_version = null, title = '', chunks = 0, code = '', reason = '', ended_at = @at,
		path = case when task_id = '' then path else '' end
	where ` + ofDocuments

// A document that is gone is listed until its last version is forgotten.
var versionsForgotten = []string{
	`delete from staged where source_id = @source and version_id = any (@versions::uuid[])`,
	`delete from chunk_vector where source_id = @source and version_id = any (@versions::uuid[])`,
	`with gone as (delete from document_version where source_id = @source and version_id = any (@versions::uuid[]) returning document_id, version_id)
	delete from document where document_id in (select document_id from gone) and state in ('removed', 'withdrawn')
		and not exists (select from document_version v where v.document_id = document.document_id and v.version_id <> all (@versions::uuid[]))`,
}

// The language of a chunk is the declared one, where it is written in that one's script;
// else what it looks like. The dictionary of a language this server has none for is Simple.
const readable = `
	select s.*, coalesce((select oid from pg_ts_dict where dictname = stems || '_stem' and pg_ts_dict_is_visible(oid)), 'simple'::regdictionary) as stemmer
	from (
		select staged.*, case
			when @config::text <> '' then case when @script::text in (staged.script, '') then @config::text else staged.config end
			when source.dictionary <> '' and source.script in (staged.script, '') then source.dictionary
			else staged.config end as stems
		from staged join source using (source_id)
		where version_id = @version::uuid and attempt = @attempt and staged.tenant = @tenant and source_id = @source
		offset 0
	) s
	offset 0`

// stemsOf are the stems of a word, none of one that says nothing.
const stemsOf = `case
	when strpos(word, '` + bareOf + `') > 0 and ts_lexize(stemmer::regdictionary, split_part(word, '` + bareOf + `', 2)) = '{}' then '{}'
	else coalesce(ts_lexize(stemmer::regdictionary, split_part(word, '` + bareOf + `', 1)), array[split_part(word, '` + bareOf + `', 1)]) end`

var wordsIndexed = `
	insert into chunk_words (version_id, ord, tenant, source_id, document_id, config, length, words)
	select version_id, ord, tenant, source_id, document_id, stems, length,
		array_to_tsvector(array[` + ofTenantMark + `, ` + ofSourceMark + `]) || coalesce((
			select string_agg('''' || lexeme || ''':' || place, ' ')::tsvector
			from unnest(string_to_array(words, ' '), string_to_array(places, ' ')) as w (word, place),
				unnest(` + stemsOf + `) as lexeme
		), '')
	from (` + readable + `) r
	on conflict do nothing`

const (
	chunksIndexed = `
	insert into chunk (version_id, ord, tenant, source_id, document_id, part, nth, page, from_at, to_at, headings, text)
	select version_id, ord, tenant, source_id, document_id, part, nth, page, from_at, to_at, headings, text
	from staged where version_id = @version and attempt = @attempt and tenant = @tenant and source_id = @source
	on conflict do nothing`
	lengthsCounted = `
	insert into corpus (tenant, config, chunks, length)
	select tenant, config, count(*), sum(length) from chunk_words where version_id = @version and tenant = @tenant group by 1, 2
	on conflict (tenant, config) do update set chunks = corpus.chunks + excluded.chunks, length = corpus.length + excluded.length`
	chunksSuperseded = `
	insert into superseded (tenant, source_id, document_id, by_version, version_id, ord)
	select distinct w.tenant, w.source_id, @document::uuid, @version::uuid, w.version_id, w.ord
	from unnest(@versions::uuid[], @ords::int[]) as old (version_id, ord) join chunk_words w using (version_id, ord)
	where w.tenant = @tenant and w.source_id = @source and w.version_id <> @version::uuid
	on conflict do nothing`
	supersededCounted = `
	update chunk_words w set superseded = superseded + 1
	from superseded s
	where s.by_version = @version and s.version_id = w.version_id and s.ord = w.ord`
	olderReplaced = `
	update document_version set state = 'old', title = '', trigger = ''
	where document_id = @document and source_id = @source and state <> 'old'
		and number < (select number from document_version where version_id = @version)`
	olderStaged = `
	with vectors as (
		delete from chunk_vector where document_id = @document and source_id = @source
			and (version_id = @version and attempt <> @attempt or version_id in (select version_id from document_version where document_id = @document and state = 'old'))
	)
	delete from staged where document_id = @document and source_id = @source
		and (version_id = @version or version_id in (select version_id from document_version where document_id = @document and state = 'old'))`
	versionLive = `
	update document_version set state = 'live', type = @type, language = @language, indexed_at = @at where version_id = @version and source_id = @source`
	documentLive = `
	update document set live_version = @version::uuid, title = coalesce((select title from document_version where version_id = @version), ''),
		state = case when version_id = @version then 'indexed' else state end,
		type = @type, language = @language, pages = @pages, image_pages = @images, chunks = @chunks,
		reader = case when version_id = @version then @reader else reader end,
		ended_at = case when version_id = @version then @at else ended_at end
	where document_id = @document and source_id = @source`
)

var termsCounted = `
	insert into term (tenant, lexeme, df)
	select tenant, lexeme, n from ` + countedOf(`w.tenant = @tenant and version_id = @version`) + ` t
	order by 1, 2
	on conflict (tenant, lexeme) do update set df = term.df + excluded.df`

// documentIndexed switches a document to a version, the statistics with it.
func documentIndexed(queue queueFunc, e knowledge.DocumentIndexed) {
	takenAway(queue, ofDocuments, pgx.NamedArgs{"documents": []string{e.Document}})
	config := Dictionary(e.Language)
	args := pgx.NamedArgs{
		"document": e.Document, "version": e.Version, "config": config, "script": scriptOfDictionary(config),
		"type": string(e.Type), "language": e.Language, "pages": e.Pages, "images": e.ImagePages, "chunks": e.Chunks, "at": instant(e.At),
		"attempt": e.Attempt, "reader": e.Reader,
	}
	for _, sql := range []string{chunksIndexed, wordsIndexed, termsCounted, lengthsCounted} {
		queue(sql, args)
	}
	if n := len(e.Supersedes); n > 0 {
		versions, ords := make([]string, n), make([]int, n)
		for i, ref := range e.Supersedes {
			versions[i], ords[i] = ref.Version, ref.Ord
		}
		queue(chunksSuperseded, pgx.NamedArgs{"document": e.Document, "version": e.Version, "versions": versions, "ords": ords})
		queue(supersededCounted, args)
	}
	for _, sql := range []string{versionLive, olderReplaced, documentLive, olderStaged} {
		queue(sql, args)
	}
}

// nameOf is what of a document's path is worth finding it by: of an address its path, of a
// file its name.
func nameOf(name string) string {
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		name = strings.Trim(u.Path, "/")
	}
	if len(name) > maxName {
		name = path.Base(name)
	}
	return name[:min(len(name), maxName)]
}

const maxName = 200

func joinWords(words []string) string { return strings.Join(words, " ") }
