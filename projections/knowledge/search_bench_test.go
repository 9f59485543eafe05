package knowledge_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/knowledge"
	read "github.com/stepledger/stepledger/projections/knowledge"
	"github.com/stepledger/stepledger/projections/projtest"
)

const (
	benchChunks  = 100_000
	benchWords   = 120
	benchRounds  = 300
	benchLookups = 20
	benchDoc     = 500 // chunks
	benchCopies  = 5   // of each chunk
)

// vocabulary makes words that are as frequent as words are: the nth as often as the first
// divided by n. They are like English ones in their letters and endings.
type vocabulary struct {
	rng  *rand.Rand
	zipf *rand.Zipf
	all  []string
}

func newVocabulary(seed uint64) *vocabulary {
	v := &vocabulary{rng: rand.New(rand.NewPCG(seed, 3))}
	const size = 60_000
	v.zipf = rand.NewZipf(v.rng, 1.07, 4, size-1)
	onset := strings.Fields("b c d f g h j k l m n p r s t v w br ch cl cr dr fl gr pl pr sh sl sp st str th tr")
	nucleus := strings.Fields("a e i o u ai ea ee oo ou")
	coda := strings.Fields("b ck d g l m n p r s t x ll nd ng nt rd rt st - -")
	seen := map[string]bool{}
	for len(v.all) < size {
		var b strings.Builder
		for range 1 + v.rng.IntN(3) {
			b.WriteString(onset[v.rng.IntN(len(onset))] + nucleus[v.rng.IntN(len(nucleus))] + strings.Trim(coda[v.rng.IntN(len(coda))], "-"))
		}
		if w := b.String(); !seen[w] && len(w) > 2 {
			seen[w] = true
			v.all = append(v.all, w)
		}
	}
	return v
}

func (v *vocabulary) word() string { return v.all[v.zipf.Uint64()] }

// sentence is a text of so many words, some of them codes.
func (v *vocabulary) sentence(words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = v.word()
		if v.rng.IntN(400) == 0 {
			out[i] = v.code()
		}
	}
	return strings.Join(out, " ")
}

func (v *vocabulary) code() string {
	return fmt.Sprintf("ERR_%s_%d", strings.ToUpper(v.all[v.rng.IntN(2000)]), v.rng.IntN(5000))
}

// misspelt is a word with two letters changed for one another.
func misspelt(word string) string {
	if len(word) < 4 {
		return word
	}
	at := len(word) / 2
	return word[:at-1] + word[at:at+1] + word[at-1:at] + word[at+1:]
}

// mixed are the kinds of questions in turn: a question of eight words, two or three, one
// common one, a code, and one with a mistake.
func (v *vocabulary) mixed(n int) string {
	rare := func() string { return v.all[200+v.rng.IntN(20_000)] }
	switch n % 6 {
	case 0:
		return v.sentence(8) + "?"
	case 1:
		return v.word() + " " + rare()
	case 2:
		return rare() + " " + rare() + " " + v.word()
	case 3:
		return v.all[v.rng.IntN(100)]
	case 4:
		return v.code()
	default:
		return misspelt(rare()) + " " + v.word()
	}
}

// BenchmarkKnowledgeSearch searches the chunks of one tenant as the API does, behind
// row-level security. The reference is a code that is looked up in the texts of the same
// table by an index of trigrams: a search without ranks.
//
//	BAR knowledge.search_100k_vs_lookup ours=.. ref=.. ratio=.. unit=ms
func BenchmarkKnowledgeSearch(b *testing.B) {
	n := benchChunks
	if s, err := strconv.Atoi(os.Getenv("BENCH_CHUNKS")); err == nil {
		n = s
	}
	e := projtest.New(b)
	v := newVocabulary(7)
	fillLibrary(b, e, v, n)
	q := queries(e)
	ctx := projtest.For(b.Context(), e.Tenant)
	for b.Loop() {
		var ours, ref []float64
		for round := range benchRounds {
			text := v.mixed(round)
			ours = append(ours, millis(b, func() error {
				hits, err := q.Search(ctx, read.Query{Tenant: e.Tenant, Text: text})
				if err == nil && len(hits) == 0 && round%6 < 3 {
					err = fmt.Errorf("%q finds nothing", text)
				}
				return err
			}))
			if round >= benchLookups {
				continue
			}
			code := v.code()
			ref = append(ref, millis(b, func() error {
				_, err := e.Pool.Exec(b.Context(), `select text from read.chunk where $1 <% text limit 10`, code)
				return err
			}))
		}
		for kind, name := range []string{"question", "words2", "words3", "common", "code", "misspelt"} {
			var of []float64
			for i := kind; i < len(ours); i += 6 {
				of = append(of, ours[i])
			}
			fmt.Printf("search of %s: median %.1f ms, p99 %.1f ms\n", name, quantile(of, 0.5), quantile(of, 0.99))
		}
		fmt.Printf("lookup: median %.1f ms, p99 %.1f ms\n", quantile(ref, 0.5), quantile(ref, 0.99))
		o, r := quantile(ours, 0.99), quantile(ref, 0.5)
		fmt.Printf("BAR knowledge.search_100k_vs_lookup ours=%.1f ref=%.1f ratio=%.2f unit=ms\n", o, r, o/r)
	}
}

// fillLibrary puts chunks into the tables by the projection's own statements, a document of
// benchDoc after the other, and copies them, which is faster, until there are enough.
func fillLibrary(b *testing.B, e *projtest.Env, v *vocabulary, n int) {
	b.Helper()
	l := source(e)
	for at := 0; at < n/benchCopies; at += benchDoc {
		path := "doc" + strconv.Itoa(at)
		version := l.receive(path)
		added := knowledge.TextAdded{Source: l.source, Document: l.document(path), Version: version, Path: path, Title: v.sentence(3)}
		for ord := range min(benchDoc, n/benchCopies-at) {
			added.Chunks = append(added.Chunks, knowledge.Chunk{Ord: ord, Path: []string{added.Title, v.sentence(2)}, Text: v.sentence(benchWords)})
		}
		l.text(version, added)
		l.indexed(path, len(added.Chunks), func(e *knowledge.DocumentIndexed) { e.Language = "en" })
		e.CatchUp(all...)
	}
	var schema string
	err := e.Pool.QueryRow(b.Context(), `select 'read_' || projection || '_' || generation from read.checkpoint where live and projection = 'knowledge'`).Scan(&schema)
	if err != nil {
		b.Fatal(err)
	}
	conn, err := e.Pool.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Release()
	copies := fmt.Sprintf("generate_series(2, %d) n", benchCopies)
	for _, sql := range []string{
		`set search_path to ` + schema + `, public`,
		`insert into chunk select md5(version_id::text || n)::uuid, ord, tenant, source_id, document_id, part, nth, page, from_at, to_at, headings, text || ' ' || n
			from chunk, ` + copies,
		`insert into chunk_words select md5(version_id::text || n)::uuid, ord, tenant, source_id, document_id, config, length, superseded, words from chunk_words, ` + copies,
		`insert into document_version select md5(version_id::text || n)::uuid, tenant, source_id, document_id, number, state, path, title, trigger, phase, type, language, received_at, indexed_at
			from document_version, ` + copies,
		fmt.Sprintf(`update term set df = df * %d`, benchCopies),
		fmt.Sprintf(`update corpus set chunks = chunks * %[1]d, length = length * %[1]d`, benchCopies),
		`create index on chunk using gin (text gin_trgm_ops)`,
		"vacuum analyze",
		"reset search_path",
	} {
		if _, err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatalf("%s: %v", sql, err)
		}
	}
	if e.Count(`select count(*) from read.chunk`) != n {
		b.Fatalf("there are not %d chunks", n)
	}
}

func millis(b *testing.B, f func() error) float64 {
	b.Helper()
	begin := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return float64(time.Since(begin).Microseconds()) / 1000
}

func quantile(of []float64, q float64) float64 {
	of = slices.Sorted(slices.Values(of))
	return of[min(int(q*float64(len(of))), len(of)-1)]
}
