package knowledge_test

import (
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/projections"
	read "github.com/stepledger/stepledger/projections/knowledge"
	"github.com/stepledger/stepledger/projections/projtest"
)

const otherTenant = "globex"

var day = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

// library writes the history of one source.
type library struct {
	env    *projtest.Env
	source string
	now    time.Time
	// numbers are those of the last versions, by path.
	numbers map[string]int
}

// source adds a source to the log.
func source(e *projtest.Env, more ...func(*knowledge.SourceAdded)) *library {
	l := &library{env: e, source: domain.NewUUID(), now: day, numbers: map[string]int{}}
	added := knowledge.SourceAdded{Source: l.source, Tenant: e.Tenant, By: "operator", Kind: knowledge.Upload, Name: "handbook", At: l.tick()}
	for _, change := range more {
		change(&added)
	}
	l.write(added)
	return l
}

func (l *library) tick() time.Time {
	l.now = l.now.Add(time.Minute)
	return l.now
}

func (l *library) write(events ...knowledge.Event) {
	l.env.T.Helper()
	projtest.Append(l.env, knowledge.Codec, knowledge.SourceStream(l.source), events...)
}

func (l *library) text(version string, events ...knowledge.TextEvent) {
	l.env.T.Helper()
	projtest.Append(l.env, knowledge.TextCodec, knowledge.TextStream(version), events...)
}

func (l *library) document(path string) string { return knowledge.DocumentID(l.source, path) }

func (l *library) version(path string) string {
	return knowledge.VersionID(l.document(path), l.numbers[path])
}

// receive is a new version of a document.
func (l *library) receive(path string, more ...func(*knowledge.DocumentReceived)) string {
	l.env.T.Helper()
	l.numbers[path]++
	e := knowledge.DocumentReceived{
		Document: l.document(path), Version: l.version(path), Number: l.numbers[path], Path: path, Bytes: "sha256:" + path, Size: 100, Media: "text/plain", At: l.tick(),
	}
	for _, change := range more {
		change(&e)
	}
	l.write(e)
	return e.Version
}

// read appends the text of a version, two chunks a part.
func (l *library) read(path string, texts ...string) {
	l.env.T.Helper()
	const size = 2
	for i := 0; i < len(texts); i += size {
		e := knowledge.TextAdded{Source: l.source, Document: l.document(path), Version: l.version(path), Part: i / size, Path: path, Title: "About " + path}
		for n, text := range texts[i:min(i+size, len(texts))] {
			e.Chunks = append(e.Chunks, knowledge.Chunk{Ord: i + n, Path: []string{"About " + path}, Page: i + n + 1, From: 10 * i, To: 10*i + len(text), Text: text})
		}
		l.text(e.Version, e)
	}
}

func (l *library) indexed(path string, chunks int, more ...func(*knowledge.DocumentIndexed)) {
	l.env.T.Helper()
	e := knowledge.DocumentIndexed{
		Document: l.document(path), Version: l.version(path), Type: knowledge.Text, Parts: (chunks + 1) / 2, Chunks: chunks, Reader: knowledge.ReaderVersion, At: l.tick(),
	}
	for _, change := range more {
		change(&e)
	}
	l.write(e)
}

// add is a document from its bytes to its end.
func (l *library) add(path string, texts ...string) string {
	l.env.T.Helper()
	version := l.receive(path)
	l.write(knowledge.ReadingStarted{Document: l.document(path), Version: version, Attempt: 1, At: l.tick()})
	l.read(path, texts...)
	l.indexed(path, len(texts))
	return version
}

var all = []projections.Projection{read.Projection}

// queries reads as the API does, behind row-level security.
func queries(e *projtest.Env) read.Queries {
	e.T.Helper()
	return read.Queries{DB: e.Behind(all...), Now: func() time.Time { return day.AddDate(0, 0, 1) }}
}

// find returns the texts that are found, after all events are applied.
func find(t *testing.T, e *projtest.Env, q read.Queries, text string) []string {
	t.Helper()
	return findWith(t, e, q, read.Query{Text: text})
}

func findWith(t *testing.T, e *projtest.Env, q read.Queries, query read.Query) []string {
	t.Helper()
	e.CatchUp(all...)
	query.Tenant = e.Tenant
	hits, err := q.Search(projtest.For(t.Context(), e.Tenant), query)
	if err != nil {
		t.Fatalf("%+v: %v", query, err)
	}
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.Text
	}
	return out
}

func first(found []string) string {
	if len(found) == 0 {
		return "nothing"
	}
	return found[0]
}
