package knowledge_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/projections"
	read "github.com/stepledger/stepledger/projections/knowledge"
	"github.com/stepledger/stepledger/projections/projtest"
)

func (l *library) remove(path string) {
	l.env.T.Helper()
	l.write(knowledge.DocumentRemoved{Document: l.document(path), By: "ann", At: l.tick()})
}

// What is gone is not found once the event is applied, and the statistics do not count it.
func TestProjection_WhatIsGoneIsNotFound(t *testing.T) {
	t.Parallel()
	for name, goes := range map[string]func(l *library){
		"removed": func(l *library) { l.remove("a.txt") },
		"withdrawn": func(l *library) {
			l.write(knowledge.DocumentsWithdrawn{Generation: 1, Documents: []string{l.document("a.txt")}, At: l.tick()})
		},
		"empty": func(l *library) {
			version := l.receive("a.txt")
			l.write(knowledge.DocumentEmpty{Document: l.document("a.txt"), Version: version, Reason: "no text layer", At: l.tick()})
		},
		"another version":    func(l *library) { l.add("a.txt", "Something else") },
		"the source removed": func(l *library) { l.write(knowledge.SourceRemoved{By: "ann", At: l.tick()}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			q := queries(e)
			l := source(e)
			l.add("a.txt", refund, gift)
			if len(find(t, e, q, "refunds")) == 0 {
				t.Fatal("it is not found before")
			}
			goes(l)
			if got := find(t, e, q, "refunds gift card"); len(got) != 0 {
				t.Errorf("found %q", got)
			}
			if n := e.Count(`select count(*) from read.term where lexeme in ('refund', 'gift') or df <= 0`); n != 0 {
				t.Errorf("%d words are counted still", n)
			}
		})
	}
}

func TestProjection_VersionsSwitch(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	l := source(e)
	l.add("a.txt", refund)
	version := l.receive("a.txt")
	l.read("a.txt", gift)
	if got := find(t, e, q, "refunds gift"); !slices.Equal(got, []string{refund}) {
		t.Errorf("while the next version is read: %q", got)
	}
	l.indexed("a.txt", 1)
	if got := find(t, e, q, "refunds gift"); !slices.Equal(got, []string{gift}) {
		t.Errorf("after the switch: %q", got)
	}
	refused := l.receive("a.txt")
	l.write(knowledge.DocumentRefused{Document: l.document("a.txt"), Version: refused, Code: "ENCRYPTED", Reason: "it has a password", At: l.tick()})
	if got := find(t, e, q, "refunds gift"); !slices.Equal(got, []string{gift}) {
		t.Errorf("after a version was refused: %q", got)
	}
	d, err := q.Document(projtest.For(t.Context(), e.Tenant), e.Tenant, l.document("a.txt"))
	if err != nil || d.State != read.Refused || d.Code != "ENCRYPTED" || d.Live != version || d.Version != refused || d.Number != 3 {
		t.Errorf("%+v, %v", d, err)
	}
}

// A reading that died, or that another overtook, leaves text that no version is made of.
func TestProjection_OneReadingCounts(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	l := source(e)
	version := l.receive("a.txt")
	part := func(attempt, ord int, text string, vector ...float32) {
		l.text(version, knowledge.TextAdded{
			Source: l.source, Document: l.document("a.txt"), Version: version, Attempt: attempt, Part: ord, Path: "a.txt",
			Chunks: []knowledge.Chunk{{Ord: ord, Text: text}},
		}, knowledge.VectorsAdded{
			Source: l.source, Document: l.document("a.txt"), Version: version, Attempt: attempt, Part: ord, Model: "m", Dimensions: len(vector),
			Vectors: knowledge.AppendVector(nil, vector),
		})
	}
	part(1, 0, "The first reading saw a giraffe.", 1, 0)
	part(2, 0, "The second reading saw a zebra.", 0, 1)
	part(1, 1, "The first reading went on about a giraffe.", 1, 0)
	l.indexed("a.txt", 1, func(e *knowledge.DocumentIndexed) { e.Attempt = 2 })
	for _, query := range []read.Query{{Text: "giraffe zebra reading"}, {Text: "nothing", Model: "m", Vector: []float32{1, 1}}} {
		if got := findWith(t, e, q, query); !slices.Equal(got, []string{"The second reading saw a zebra."}) {
			t.Errorf("%+v finds %q", query, got)
		}
	}
}

func TestProjection_SupersededCountsAgain(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := queries(e)
	l := source(e)
	before := l.add("before", "The menu is closed", "The footer has an address")
	supersede := func(e *knowledge.DocumentIndexed) {
		e.Supersedes = []knowledge.ChunkRef{{Version: before, Ord: 0}, {Version: before, Ord: 9}}
	}
	for _, path := range []string{"after", "again"} {
		l.receive(path)
		l.read(path, "The menu is open: "+path)
		l.indexed(path, 1, supersede)
	}
	want := func(what string, texts ...string) {
		t.Helper()
		got := find(t, e, q, "menu footer")
		slices.Sort(got)
		if diff := cmp.Diff(texts, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	want("superseded twice", "The footer has an address", "The menu is open: after", "The menu is open: again")
	l.remove("after")
	want("once", "The footer has an address", "The menu is open: again")
	l.add("again", "Nothing of it")
	want("no more", "The footer has an address", "The menu is closed")
}

// history writes a random history of two sources, of two tenants.
func history(e *projtest.Env, seed uint64, n int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	words := []string{"refund", "Rechnung", "gift", "card", "首都", "данные", "ERR_CONN", "naïve", "the"}
	libraries := []*library{source(e), source(e.Of(otherTenant), func(s *knowledge.SourceAdded) { s.Language = "de" })}
	var versions [2][]string
	for range n {
		side := rng.IntN(2)
		l, path := libraries[side], "doc"+strconv.Itoa(rng.IntN(4))
		var texts []string
		for range rng.IntN(5) + 1 {
			var text []string
			for range rng.IntN(12) + 1 {
				text = append(text, words[rng.IntN(len(words))])
			}
			texts = append(texts, strings.Join(text, " "))
		}
		switch die := rng.IntN(10); {
		case die < 5:
			version := l.receive(path)
			l.read(path, texts...)
			l.indexed(path, len(texts), func(e *knowledge.DocumentIndexed) {
				e.Language = []string{"", "en", "fr", "zz"}[rng.IntN(4)]
				for _, old := range versions[side] {
					e.Supersedes = append(e.Supersedes, knowledge.ChunkRef{Version: old, Ord: rng.IntN(3)})
				}
			})
			versions[side] = append(versions[side], version)
		case die == 5:
			l.remove(path)
		case die == 6:
			l.write(knowledge.DocumentsWithdrawn{Generation: 1, Documents: []string{l.document(path), l.document("doc0")}, At: l.tick()})
		case die == 7:
			l.write(knowledge.DocumentEmpty{Document: l.document(path), Version: l.receive(path), Reason: "empty", At: l.tick()})
		case die == 8:
			l.write(knowledge.DocumentRefused{Document: l.document(path), Version: l.receive(path), Code: "X", Reason: "r", At: l.tick()})
		case die == 9:
			l.receive(path)
			l.read(path, texts...)
		}
	}
}

func TestProjection_RebuildGivesTheSame(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	for seed := range uint64(5) {
		history(e, seed, 25)
		e.CatchUp(all...)
	}
	if n := e.Count(`select count(*) from read.parked`); n != 0 {
		t.Fatalf("%d events are parked", n)
	}
	if n := e.Count(`select least((select count(*) from read.chunk), (select count(*) from read.superseded), (select count(*) from read.document where state = 'withdrawn'))`); n == 0 {
		t.Fatal("a table is empty: it proves nothing")
	}
	countsHold(t, e)
	before := e.Dump(read.Projection)
	if err := projections.NewRunner(e.Config(all...)).Rebuild(t.Context(), read.Projection.Name); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, e.Dump(read.Projection)); diff != "" {
		t.Error(diff)
	}
}

// countsHold compares the statistics kept with those counted anew.
func countsHold(t *testing.T, e *projtest.Env) {
	t.Helper()
	for what, sql := range map[string]string{
		"terms": `with counted as (select tenant, lexeme, count(*)::int as df from read.chunk_words, unnest(words) where left(lexeme, 1) <> '@' group by 1, 2)
			select count(*) from counted full join read.term using (tenant, lexeme) where counted.df is distinct from term.df`,
		"lengths": `with counted as (select tenant, config, count(*) as chunks, sum(length) as length from read.chunk_words group by 1, 2)
			select count(*) from counted full join read.corpus using (tenant, config) where (counted.chunks, counted.length) is distinct from (corpus.chunks, corpus.length)`,
		"superseded": `select count(*) from read.chunk_words w where superseded <> (select count(*) from read.superseded s where (s.version_id, s.ord) = (w.version_id, w.ord))`,
		"texts":      `select count(*) from read.chunk full join read.chunk_words w using (version_id, ord) where chunk.tenant is distinct from w.tenant`,
	} {
		if n := e.Count(sql); n != 0 {
			t.Errorf("%d rows of %s are not as they are counted", n, what)
		}
	}
}

// Nothing of a source is left once it is forgotten, in no table, whatever comes late.
func TestProjection_ForgottenSourceLeavesNothing(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.CatchUp(all...)
	empty := e.Dump(read.Projection)
	l := source(e, func(s *knowledge.SourceAdded) { s.Kind = knowledge.Spider })
	l.write(knowledge.CrawlStarted{Generation: 1, At: l.tick()})
	before := l.add("a.txt", refund, gift)
	l.receive("b.txt")
	l.read("b.txt", reset)
	l.indexed("b.txt", 1, func(e *knowledge.DocumentIndexed) { e.Supersedes = []knowledge.ChunkRef{{Version: before}} })
	l.receive("c.txt")
	l.read("c.txt", "half")
	l.text(before, knowledge.VectorsAdded{Source: l.source, Document: l.document("a.txt"), Version: before, Model: "m", Dimensions: 1, Vectors: vectors([]float32{1}, []float32{2})})
	l.write(knowledge.SourceRemoved{By: "ann", At: l.tick()})
	l.read("c.txt", "too late", "for this")
	e.CatchUp(all...)
	work, err := read.Queries{DB: e.Pool}.Pending(t.Context())
	if err != nil || len(work) != 1 || !work[0].Removed || work[0].Source != l.source || work[0].Tenant != e.Tenant {
		t.Errorf("to be done: %+v, %v", work, err)
	}
	l.write(knowledge.SourceForgotten{At: l.tick()})
	l.read("c.txt", "far", "too late")
	e.CatchUp(all...)
	if diff := cmp.Diff(empty, e.Dump(read.Projection)); diff != "" {
		t.Errorf("left: %s", diff)
	}
	if n := e.Count(`select count(*) from read.parked`); n != 0 {
		t.Errorf("%d events are parked", n)
	}
}

// A source some of whose events cannot be read is removed all the same.
func TestProjection_ForgetsWhatIsParked(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	l := source(e)
	e.Keys.Spoil(l.source)
	e.CatchUp(all...)
	if n := e.Count(`select count(*) from read.parked`); n == 0 {
		t.Fatal("nothing is parked")
	}
	l.write(knowledge.SourceRemoved{By: "ann", At: l.tick()})
	e.CatchUp(all...)
	work, err := read.Queries{DB: e.Pool}.Pending(t.Context())
	if n := e.Count(`select count(*) from read.parked`); n != 0 || err != nil || len(work) != 1 || !work[0].Removed {
		t.Errorf("%d are parked, to be done: %+v, %v", n, work, err)
	}
}

func TestProjection_ErasedTextLeavesNoRow(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	l := source(e)
	version := l.add("a.txt", refund)
	kept := l.add("b.txt", gift)
	e.Keys.Drop(version)
	e.CatchUp(all...)
	if n := e.Count(`select count(*) from read.chunk where version_id <> $1`, kept); n != 0 {
		t.Errorf("%d chunks of an erased text", n)
	}
	if n := e.Count(`select count(*) from read.document_version where title = $1 or path = $1`, domain.Erased); n != 0 {
		t.Error("what is erased is shown as a title")
	}
}

func TestProjection_VersionsToForget(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	q := read.Queries{DB: e.Pool}
	l := source(e)
	first := l.add("a.txt", refund)
	second := l.add("a.txt", gift)
	pending := func() int {
		e.CatchUp(all...)
		work, err := q.Pending(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(work) == 0 {
			return 0
		}
		return work[0].ToForget
	}
	if n := pending(); n != 1 {
		t.Errorf("%d versions to forget after another came", n)
	}
	l.write(knowledge.VersionsForgotten{Versions: []string{first}, At: l.tick()})
	if n := pending(); n != 0 {
		t.Errorf("%d versions to forget afterwards", n)
	}
	l.remove("a.txt")
	if n := pending(); n != 1 {
		t.Errorf("%d versions to forget of a removed document", n)
	}
	l.write(knowledge.VersionsForgotten{Versions: []string{second}, At: l.tick()})
	if n := pending(); n != 0 || e.Count(`select count(*) from read.document`) != 0 {
		t.Errorf("%d versions to forget, or a document is left", n)
	}
}

func TestWall_ReadersSeeTheirTenantsRowsOnly(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	reads := e.Behind(all...)
	for _, one := range []*projtest.Env{e, e.Of(otherTenant)} {
		l := source(one)
		l.write(knowledge.CrawlStarted{Generation: 1, At: l.tick()})
		before := l.add("a.txt", refund, gift)
		l.receive("b.txt")
		l.read("b.txt", reset)
		l.indexed("b.txt", 1, func(e *knowledge.DocumentIndexed) { e.Supersedes = []knowledge.ChunkRef{{Version: before}} })
		l.receive("c.txt")
		l.read("c.txt", "half")
		l.text(before, knowledge.VectorsAdded{Source: l.source, Document: l.document("a.txt"), Version: before, Model: "m", Dimensions: 1, Vectors: vectors([]float32{1}, []float32{2})})
	}
	c := e.Config(all...)
	c.DB = e.As(projections.RunnerRole)
	if err := projections.NewRunner(c).CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen := projtest.OwnRows(t, e.Pool, func(tenant, sql string) []string {
		rows, _ := reads.Query(projtest.For(t.Context(), tenant), sql)
		out, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		return out
	}, projtest.Tenant, otherTenant)
	for _, view := range append(slices.Clone(read.Projection.Views), "chunk_text", "term_text") {
		if counts := seen["read."+view]; len(counts) == 0 || slices.Min(counts) == 0 {
			t.Errorf("%s has rows of %v", view, counts)
		}
	}
}
