package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/internal/dom"
)

// corpusCmd reports what a model is shown of real pages. It is for who works on
// reading pages (make corpus), not for operators.
func (p program) corpusCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "corpus FOLDER",
		Short:  "Report what a model is shown of a folder of HTML pages",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := filepath.Glob(filepath.Join(args[0], "*.html"))
			if err != nil || len(files) == 0 {
				return errors.Join(err, fmt.Errorf("there is no .html file in %s", args[0]))
			}
			var pages []corpusPage
			for _, f := range files {
				pages = append(pages, measureFile(f))
			}
			return p.reportCorpus(pages)
		},
	}
}

// corpusPage is what was measured of one page. Token counts are estimates
// (prompt.Tokens) throughout.
type corpusPage struct {
	name            string
	bytes, elements int
	raw, tree       int // tokens of the HTML, and of its whole interactive tree as JSON
	// prompt is the median over the queries of what stands for the page in a
	// prompt. Most is the largest, with the legend, which stands in the prompt
	// once and is the same for every page.
	prompt, most int
	// queries quote the names of elements; found are those whose own element,
	// not only one of the same name, was in the prompt.
	queries, found int
	err            error
}

// reduction is the share of the HTML's tokens that the prompt saves.
func (c corpusPage) reduction() float64 { return 1 - float64(c.prompt)/float64(max(c.raw, 1)) }

func measureFile(file string) corpusPage {
	body, err := os.ReadFile(file)
	if err != nil {
		return corpusPage{name: filepath.Base(file), err: err}
	}
	return measure(filepath.Base(file), string(body))
}

// corpusQueries is how many elements of a page are asked for.
const corpusQueries = 200

func measure(name, html string) corpusPage {
	m := corpusPage{name: name, bytes: len(html), raw: prompt.Tokens(html)}
	html = strings.ToValidUTF8(html, "\ufffd")
	read, err := dom.Reader{}.Read(page.Capture{URL: "https://corpus.test/", Mode: page.ModeFull, DOM: html})
	if err != nil {
		m.err = err
		return m
	}
	number(read.Elements)
	m.elements, m.tree = len(read.Elements), prompt.Tokens(treeJSON(read))
	asked := drawn(name, read.Elements)
	m.queries = len(asked)
	if len(asked) == 0 {
		asked = append(asked, page.Element{Name: read.Title})
	}
	var sizes []int
	for _, e := range asked {
		r := prompt.Page(read, prompt.View{Task: fmt.Sprintf("Click %q", e.Name), Tokens: prompt.MaxTokens})
		sizes = append(sizes, prompt.Tokens(r.Text))
		if e.ID != "" && slices.Contains(r.Shown, e.ID) {
			m.found++
		}
	}
	slices.Sort(sizes)
	m.prompt, m.most = sizes[len(sizes)/2], sizes[len(sizes)-1]+prompt.Tokens(prompt.Legend)
	return m
}

// number gives ids to elements that have none, as the client's tagger does
// before it sends a page.
func number(elements []page.Element) {
	for i := range elements {
		if elements[i].ID == "" {
			elements[i].ID = "n" + strconv.Itoa(i)
		}
	}
}

// drawn are the elements to ask for: visible ones with a name, the same ones
// every time.
func drawn(name string, elements []page.Element) []page.Element {
	var out []page.Element
	for _, e := range elements {
		if e.Name != "" && !e.State.Hidden {
			out = append(out, e)
		}
	}
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(name))
	r := rand.New(rand.NewPCG(seed.Sum64(), 1)) //nolint:gosec // a draw to repeat, not a secret
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(len(out), corpusQueries)]
}

// treeJSON is the whole interactive tree in the specification's minified keys.
// HTML alone has no coordinates, so a client's tree is larger still.
func treeJSON(p page.Page) string {
	type node struct {
		I string `json:"i"`
		R string `json:"r"`
		N string `json:"n,omitempty"`
		V string `json:"v,omitempty"`
		S string `json:"s,omitempty"`
	}
	var tree []node
	for _, e := range p.Elements {
		if !e.State.Hidden {
			s := ""
			if e.State.Disabled {
				s = "disabled"
			}
			tree = append(tree, node{e.ID, e.Role, e.Name, e.Value, s})
		}
	}
	b, _ := json.Marshal(tree) // strings: it cannot fail
	return string(b)
}

func (p program) reportCorpus(pages []corpusPage) error {
	slices.SortFunc(pages, func(a, b corpusPage) int { return cmp.Compare(a.bytes, b.bytes) })
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "page\tbytes\telements\tHTML tokens\ttree tokens\tprompt tokens\tat most\treduction\tfound\t")
	for _, c := range pages {
		if c.err != nil {
			continue
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t%d/%d\t\n",
			c.name, c.bytes, c.elements, c.raw, c.tree, c.prompt, c.most, 100*c.reduction(), c.found, c.queries)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return summarise(pages).print(p.out)
}
