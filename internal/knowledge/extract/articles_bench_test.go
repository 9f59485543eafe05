package extract_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/internal/knowledge/extract"
)

// set returns a folder below the one in KNOWLEDGE_DIR, or ends the benchmark.
func set(b *testing.B, name string) string {
	b.Helper()
	dir := os.Getenv("KNOWLEDGE_DIR")
	if dir == "" {
		b.Skip("KNOWLEDGE_DIR names no folder: see `make knowledge`")
	}
	return filepath.Join(dir, name)
}

func bar(name string, ours, ref float64, unit string) {
	fmt.Printf("BAR knowledge.%s ours=%.3f ref=%.3f ratio=%.3f unit=%s\n", name, ours, ref, ours/ref, unit)
}

// BenchmarkArticles measures how much of the text of articles is found on their pages,
// and how much else: by the words in fours that the truth and ours have, each page
// counting alike. Rules were made looking at the even pages, the odd ones are only counted.
func BenchmarkArticles(b *testing.B) {
	dir := set(b, "articles")
	raw, err := os.ReadFile(filepath.Join(dir, "ground-truth.json"))
	if err != nil {
		b.Fatal(err)
	}
	var truth map[string]struct{ ArticleBody, URL string }
	if err := json.Unmarshal(raw, &truth); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var even, odd shares
		for i, id := range slices.Sorted(maps.Keys(truth)) {
			page := unzip(b, filepath.Join(dir, "html", id+".html.gz"))
			read, err := extract.Read(b.Context(), page, extract.Hint{MediaType: "text/html", BaseURL: truth[id].URL})
			if err != nil {
				fmt.Println("miss", id, err)
			}
			one := compare(truth[id].ArticleBody, plain(read))
			if os.Getenv("KNOWLEDGE_VERBOSE") != "" && i%2 == 0 {
				fmt.Printf("page %s precision=%.3f recall=%.3f %s\n", id, one.precision(), one.recall(), truth[id].URL)
			}
			half := &even
			if i%2 == 1 {
				half = &odd
			}
			*half = append(*half, one)
		}
		all := append(slices.Clone(even), odd...)
		bar("article_f1", all.f1(), 0.95, "f1")
		bar("article_f1_looked_at", even.f1(), 0.95, "f1")
		bar("article_f1_not_looked_at", odd.f1(), 0.95, "f1")
		fmt.Printf("articles: %d pages, precision %.3f, recall %.3f\n", len(all), all.mean(share.precision), all.mean(share.recall))
	}
}

func unzip(b *testing.B, name string) []byte {
	b.Helper()
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	page, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	return page
}

// target is where a link of Markdown goes, which is no text of the article.
var target = regexp.MustCompile(`\[([^\]]*)\]\([^)\s]*\)`)

// plain is the text of a document without marks of Markdown.
func plain(e knowledge.Extracted) string {
	return target.ReplaceAllString(e.Content(), "$1")
}

var word = regexp.MustCompile(`[\pL\pN_\pM]+`)

// share is what one page has: of its fours those in both, in ours alone, in the truth
// alone, all together 1.
type share struct{ both, ours, truth float64 }

func (s share) precision() float64 { return ratio(s.both, s.ours, s.truth) }
func (s share) recall() float64    { return ratio(s.both, s.truth, s.ours) }

func ratio(both, missed, other float64) float64 {
	switch {
	case missed == 0 && other == 0:
		return 1
	case both == 0:
		return 0
	}
	return both / (both + missed)
}

type shares []share

// mean leaves out the pages that a figure says nothing of.
func (all shares) mean(of func(share) float64) float64 {
	sum := 0.0
	for _, s := range all {
		sum += of(s)
	}
	return sum / float64(len(all))
}

func (all shares) f1() float64 {
	p, r := all.mean(share.precision), all.mean(share.recall)
	return 2 * p * r / (p + r)
}

func compare(truth, ours string) share {
	t, o := fours(truth), fours(ours)
	var s share
	for key, n := range t {
		s.both += float64(min(n, o[key]))
		s.truth += float64(max(0, n-o[key]))
	}
	for key, n := range o {
		s.ours += float64(max(0, n-t[key]))
	}
	if sum := s.both + s.ours + s.truth; sum > 0 {
		s.both, s.ours, s.truth = s.both/sum, s.ours/sum, s.truth/sum
	}
	return s
}

// fours counts the words of a text by four.
func fours(text string) map[string]int {
	words := word.FindAllString(text, -1)
	found := map[string]int{}
	for i := range max(1, len(words)-3) {
		if four := words[min(i, len(words)):min(i+4, len(words))]; len(four) > 0 {
			found[strings.Join(four, " ")]++
		}
	}
	return found
}
