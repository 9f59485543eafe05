package knowledge_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/analysis/lang/ar"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/es"
	"github.com/blevesearch/bleve/v2/analysis/lang/hi"
	"github.com/blevesearch/bleve/v2/analysis/lang/ro"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
	"github.com/blevesearch/bleve/v2/analysis/lang/tr"

	"github.com/stepledger/stepledger/domain/knowledge"
	read "github.com/stepledger/stepledger/projections/knowledge"
	"github.com/stepledger/stepledger/projections/projtest"
)

// passage is something to be found.
type passage struct{ title, text string }

// question is what to find it by: the numbers of the passages that answer it.
type question struct {
	text   string
	answer map[int]bool
}

// engine returns the numbers of the passages it finds, best first.
type engine func(question string, limit int) []int

// ours puts passages into the read model by events, as documents of a hundred.
func ours(b *testing.B, e *projtest.Env, language string, passages []passage) engine {
	b.Helper()
	l := source(e)
	number := map[string]int{}
	for part := range slices.Chunk(passages, 100) {
		path := strconv.Itoa(len(number))
		version := l.receive(path)
		added := knowledge.TextAdded{Source: l.source, Document: l.document(path), Version: version}
		for ord, p := range part {
			c := knowledge.Chunk{Ord: ord, Text: p.text}
			if p.title != "" {
				c.Path = []string{p.title}
			}
			added.Chunks = append(added.Chunks, c)
			number[knowledge.ChunkRef{Version: version, Ord: ord}.ChunkID()] = len(number)
		}
		l.text(version, added)
		l.indexed(path, len(part), func(e *knowledge.DocumentIndexed) { e.Language = language })
	}
	e.CatchUp(all...)
	q := queries(e)
	return func(question string, limit int) (out []int) {
		hits, err := q.Search(projtest.For(b.Context(), e.Tenant), read.Query{Tenant: e.Tenant, Text: question, Limit: limit})
		if err != nil {
			b.Fatal(err)
		}
		for _, h := range hits {
			out = append(out, number[h.Chunk])
		}
		return out
	}
}

// reference puts them into an index in memory that is ranked by BM25 too.
func reference(b *testing.B, analyzer string, passages []passage) engine {
	b.Helper()
	m := bleve.NewIndexMapping()
	m.ScoringModel, m.DefaultAnalyzer = "bm25", analyzer
	ix, err := bleve.NewMemOnly(m)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ix.Close() })
	batch := ix.NewBatch()
	for i, p := range passages {
		if err := batch.Index(strconv.Itoa(i), map[string]string{"text": strings.TrimSpace(p.title + "\n" + p.text)}); err != nil {
			b.Fatal(err)
		}
	}
	if err := ix.Batch(batch); err != nil {
		b.Fatal(err)
	}
	return func(question string, limit int) (out []int) {
		match := bleve.NewMatchQuery(question)
		match.SetField("text")
		found, err := ix.Search(bleve.NewSearchRequestOptions(match, limit, 0, false))
		if err != nil {
			b.Fatal(err)
		}
		for _, h := range found.Hits {
			n, err := strconv.Atoi(h.ID)
			if err != nil {
				b.Fatal(err)
			}
			out = append(out, n)
		}
		return out
	}
}

// ndcg is the normalized discounted cumulative gain of the first ten, averaged.
func ndcg(find engine, questions []question) float64 {
	const cut = 10
	sum := 0.0
	for _, q := range questions {
		gain, ideal := 0.0, 0.0
		for i, n := range find(q.text, cut) {
			if q.answer[n] {
				gain += 1 / math.Log2(float64(i+2))
			}
		}
		for i := range min(len(q.answer), cut) {
			ideal += 1 / math.Log2(float64(i+2))
		}
		sum += gain / ideal
	}
	return sum / float64(len(questions))
}

// recall is the share of questions with an answer among the first five.
func recall(find engine, questions []question) float64 {
	const cut = 5
	n := 0
	for _, q := range questions {
		if slices.ContainsFunc(find(q.text, cut), func(i int) bool { return q.answer[i] }) {
			n++
		}
	}
	return float64(n) / float64(len(questions))
}

func sets(b *testing.B, name string) string {
	b.Helper()
	dir := os.Getenv("KNOWLEDGE_SETS")
	if dir == "" {
		b.Skip("KNOWLEDGE_SETS is not set: no sets to measure with")
	}
	return filepath.Join(dir, name)
}

// BenchmarkKnowledgeAbstracts ranks abstracts for questions by experts, and compares with
// another BM25 in the same run.
//
//	BAR knowledge.cranfield_ndcg10_vs_bleve ours=.. ref=.. ratio=.. unit=nDCG@10
func BenchmarkKnowledgeAbstracts(b *testing.B) {
	passages, questions := abstracts(b, sets(b, "cranfield"))
	for b.Loop() {
		o := ndcg(ours(b, projtest.New(b), "en", passages), questions)
		r := ndcg(reference(b, en.AnalyzerName, passages), questions)
		fmt.Printf("BAR knowledge.cranfield_ndcg10_vs_bleve ours=%.4f ref=%.4f ratio=%.3f unit=nDCG@10\n", o, r, o/r)
	}
}

// abstracts reads cran.all.1400.xml, cran.qry.xml and cranqrel.trec.txt, which counts the
// questions from 1.
func abstracts(b *testing.B, dir string) (passages []passage, questions []question) {
	b.Helper()
	type element struct {
		Number string `xml:"docno"`
		Title  string `xml:"title"`
		Text   string `xml:"text"`
	}
	numbers := map[string]int{}
	for _, d := range elements[element](b, filepath.Join(dir, "cran.all.1400.xml"), "doc") {
		numbers[strings.TrimSpace(d.Number)] = len(passages)
		passages = append(passages, passage{strings.TrimSpace(d.Title), strings.TrimSpace(d.Text)})
	}
	for _, t := range elements[element](b, filepath.Join(dir, "cran.qry.xml"), "top") {
		questions = append(questions, question{strings.TrimSpace(t.Title), map[int]bool{}})
	}
	judged, err := os.ReadFile(filepath.Join(dir, "cranqrel.trec.txt"))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(judged)) {
		f := strings.Fields(line)
		if len(f) < 4 || f[3] == "0" {
			continue
		}
		n, err := strconv.Atoi(f[0])
		if err != nil || n < 1 || n > len(questions) {
			b.Fatalf("%q judges no question of %d", line, len(questions))
		}
		if at, ok := numbers[f[2]]; ok {
			questions[n-1].answer[at] = true
		}
	}
	return passages, slices.DeleteFunc(questions, func(q question) bool { return len(q.answer) == 0 })
}

// elements reads the elements of a name in a file that may have several roots.
func elements[T any](b *testing.B, file, name string) (out []T) {
	b.Helper()
	f, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	d := xml.NewDecoder(f)
	d.Strict = false
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			b.Fatalf("%s: %v", file, err)
		}
		if start, ok := t.(xml.StartElement); ok && start.Name.Local == name {
			var e T
			if err := d.DecodeElement(&e, &start); err != nil {
				b.Fatalf("%s: %v", file, err)
			}
			out = append(out, e)
		}
	}
}

// analyzers are the reference's best for a language; for others it has the standard one.
var analyzers = map[string]string{
	"ar": ar.AnalyzerName, "de": de.AnalyzerName, "en": en.AnalyzerName, "es": es.AnalyzerName, "hi": hi.AnalyzerName,
	"ro": ro.AnalyzerName, "ru": ru.AnalyzerName, "tr": tr.AnalyzerName, "zh": cjk.AnalyzerName,
}

// BenchmarkKnowledgeParagraphs finds the paragraph that answers a question, in each
// language there is, and compares with another BM25 in the same run.
//
//	BAR knowledge.xquad_recall5_vs_bleve_de ours=.. ref=.. ratio=.. unit=recall@5
//	BAR knowledge.xquad_recall5_vs_bleve ours=.. ref=.. ratio=.. unit=recall@5 (the worst of them)
func BenchmarkKnowledgeParagraphs(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(sets(b, "xquad"), "xquad.*.json"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no sets: %v", err)
	}
	for b.Loop() {
		worst := [3]float64{0, 0, math.Inf(1)}
		e := projtest.New(b)
		for _, file := range files {
			language := strings.Split(filepath.Base(file), ".")[1]
			passages, questions := paragraphs(b, file)
			analyzer, ok := analyzers[language]
			if !ok {
				analyzer = standard.Name
			}
			o := recall(ours(b, e.Of(language), language, passages), questions)
			r := recall(reference(b, analyzer, passages), questions)
			fmt.Printf("BAR knowledge.xquad_recall5_vs_bleve_%s ours=%.4f ref=%.4f ratio=%.3f unit=recall@5\n", language, o, r, o/r)
			if o/r < worst[2] {
				worst = [3]float64{o, r, o / r}
			}
		}
		fmt.Printf("BAR knowledge.xquad_recall5_vs_bleve ours=%.4f ref=%.4f ratio=%.3f unit=recall@5\n", worst[0], worst[1], worst[2])
	}
}

func paragraphs(b *testing.B, file string) (passages []passage, questions []question) {
	b.Helper()
	var set struct {
		Data []struct {
			Paragraphs []struct {
				Context string
				QAS     []struct{ Question string }
			}
		}
	}
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &set)
	}
	if err != nil {
		b.Fatalf("%s: %v", file, err)
	}
	at := map[string]int{}
	for _, d := range set.Data {
		for _, p := range d.Paragraphs {
			n, ok := at[p.Context]
			if !ok {
				n = len(passages)
				at[p.Context] = n
				passages = append(passages, passage{text: p.Context})
			}
			for _, q := range p.QAS {
				questions = append(questions, question{q.Question, map[int]bool{n: true}})
			}
		}
	}
	return passages, questions
}
