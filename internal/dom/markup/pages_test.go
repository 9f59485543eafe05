package markup

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/internal/dom/domtest"
)

// pages are the documents of the reader's tests, and those of its benchmarks.
func pages(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/*.html")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d pages: %v", len(files), err)
	}
	var list []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(b))
	}
	for _, shape := range domtest.Shapes {
		list = append(list, shape.Page(30_000))
	}
	return list
}

// What a browser writes out takes the short way.
func TestParse_pages(t *testing.T) {
	t.Parallel()
	for _, src := range pages(t) {
		compare(t, src)
		root, err := html.Parse(strings.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := html.Render(&b, root); err != nil {
			t.Fatal(err)
		}
		if !compare(t, b.String()) && !strings.Contains(src, "<template") {
			t.Errorf("not certain of %.300q", b.String())
		}
	}
}

func TestParse_html5lib(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net").Output()
	if err != nil {
		t.Fatal(err)
	}
	all, certain := 0, 0
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(out)), "html", "testdata"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".dat" {
			return err
		}
		b, err := os.ReadFile(path)
		for part := range strings.SplitSeq("\n"+string(b), "\n#data\n") {
			if src, _, ok := strings.Cut("\n"+part, "\n#errors"); ok {
				all++
				if compare(t, strings.TrimPrefix(src, "\n")) {
					certain++
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("certain of %d of %d documents", certain, all); all < 1_782 || 5*certain < all {
		t.Errorf("certain of %d of %d documents", certain, all)
	}
}

// pieces are what goes wrong in pages, and what is rare in them.
var pieces = []string{
	"<p>", "</p>", "<li>", "</li>", "<ul>", "</ul>", "<ol>", "<dl><dt>a<dd>b</dl>", "<dt>", "<dd>", "<div>", "</div>", "<span class=a>", "</span>",
	"<table>", "</table>", "<tr>", "</tr>", "<td>", "<th>", "</td>", "<tbody>", "</tbody>", "<thead>", "<caption>", "</caption>", "<col>", "<colgroup>",
	"<select>", "</select>", "<option>", "<optgroup>", "</option>", "<input>", "<input type=hidden>", "<hr>", "<br>", "</br>", "<button>", "</button>",
	"<form>", "</form>", "<textarea>\n", "</textarea>", "<title>a</title>", "<script>a<b</script>", "<script><!--<script></script>", "<style>a</style>",
	"<noscript><p></noscript>", "<iframe></iframe>", "<xmp><a></xmp>", "<plaintext>", "<!--a-->", "<!-->", "<!--a--!>", "<!a>", "<?a>", "</>", "</ a>",
	"<a href=b>", "</a>", "<b>", "</b>", "<i>", "</i>", "<em class=a id=b>", "</em>", "<nobr>", "<font color=a>", "</font>", "<object>", "</object>",
	"<svg>", "</svg>", "<svg/>", "<path d=a/>", "<title>", "<desc>", "<foreignObject>", "</foreignobject>", "<lineargradient xlink:href=a gradientunits=b>",
	"<math>", "<mi>", "</math>", "<![CDATA[a]]>", "<ruby>", "<rb>", "<rt>", "<rp>", "<rtc>", "</ruby>", "<h1>", "</h2>", "<pre>\n\n", "</pre>", "<image>",
	"<html lang=a>", "</html>", "<head>", "</head>", "<body class=a>", "</body>", "<template>", "</template>", "<frameset>", "<frame>", "<x-a b>", "</x-a>",
	" ", "\n", "\t", "\r\n", "\r", "\f", "\x00", "a", "é", "\xff", "&amp;", "&amp", "&lt", "&copy=", "&notit;", "&#13;", "&#x80;", "&#0;", "&", "&a;", "&semi;",
	"<", ">", "\"", "'", "=", "/", "<A B=C b=d 'e' f=\"&amp;&copy=1&lt\" g='\r\n'>", "<i a b c d e f g h i j k l m n o p q r s t u v w a b>", "<!doctype html>",
	`<!doctype html public "-//w3c//dtd html 4.01 transitional//en">`, "<meta><link>", "<img src=a>", "<param>", "<label>", "</label>", "</h1>", "</form",
}

// Pages with mistakes in them: whatever is made of them, it is what html.Parse makes.
func TestParse_mutations(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	sources := pages(t)
	for i, s := range sources {
		sources[i] = s[:min(len(s), 6_000)]
	}
	sources = append(sources, "", "<table><tr><td>a</table>", "<p><b>a</b>", "<svg><g></g></svg>", "<select><option>a</select>", "<ul><li>a<li>b</ul>")
	certain := 0
	const rounds = 6_000
	for range rounds {
		src := sources[random.IntN(len(sources))]
		for range 1 + random.IntN(6) {
			src = mutated(random, src)
		}
		if compare(t, src) {
			certain++
		}
		if t.Failed() {
			return
		}
	}
	if t.Logf("certain of %d of %d", certain, rounds); 5*certain < rounds {
		t.Errorf("certain of only %d of %d", certain, rounds)
	}
}

// mutated is a page with one thing more, less, twice or elsewhere.
func mutated(random *rand.Rand, src string) string {
	at := random.IntN(len(src) + 1)
	if i := strings.IndexAny(src[at:], "<>"); i >= 0 && random.IntN(4) > 0 { // mostly around tags
		at += i + random.IntN(2)
	}
	rest := src[at:]
	end := random.IntN(min(len(rest), 80) + 1)
	switch random.IntN(6) {
	case 0:
		return src[:at] + rest[end:]
	case 1:
		return src[:at] + rest[:end] + rest
	case 2:
		return src[:at] + strings.ToUpper(rest[:end]) + rest[end:]
	case 3:
		return src[:at]
	}
	var b strings.Builder
	b.WriteString(src[:at])
	for range 1 + random.IntN(3) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return b.String() + rest
}

// Trees one after the other, and at the same time, use the same memory: nothing of one
// is in another, and nothing of a page is kept.
func TestParse_reusesMemory(t *testing.T) {
	t.Parallel()
	sources := pages(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				for _, src := range sources {
					compare(t, src)
				}
			}
		})
	}
	all.Wait()

	tree, ok := Parse("<p a=b c=d>x<p>y")
	if !ok {
		t.Fatal("not certain of a simple page")
	}
	nodes, attrs := tree.nodes[0], tree.attrs[0]
	tree.Release()
	for i := range nodes {
		if n := &nodes[i]; n.Data != "" || n.Attr != nil || n.FirstChild != nil || n.Parent != nil {
			t.Errorf("node %d still is %+v", i, *n)
		}
	}
	for _, a := range attrs {
		if a != (html.Attribute{}) {
			t.Errorf("an attribute still is %+v", a)
		}
	}
}

// What is refused costs little, and what is accepted costs no more than its length:
// counted in allocations, of pages made to be slow.
func TestParse_costIsLinear(t *testing.T) {
	for name, part := range map[string]string{
		"stray end tags": "a</x>", "comments": "<!--a-->", "attributes": " a=1 b=2", "formatting": "<b><p>", "entities": "&amp;&x", "carriage returns": "\r\n",
		"scripts": "<script></script>", "bangs": "<!--a", "cells": "<table><tr><td>", "less-than": "<",
	} {
		cost := func(n int) float64 {
			src := strings.Repeat(part, n)
			if name == "attributes" {
				src = "<p" + src + ">"
			}
			return testing.AllocsPerRun(3, func() {
				if tree, ok := Parse(src); ok {
					tree.Release()
				}
			})
		}
		if few, many := cost(1_000), cost(8_000); many > 16*few+2_000 {
			t.Errorf("%s: %.0f allocations for a thousand, %.0f for eight", name, few, many)
		}
	}
}
