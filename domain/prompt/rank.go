package prompt

import (
	"math"
	"slices"

	"github.com/stepledger/stepledger/domain/page"
)

// Limits of relevance (the specification's numbers where it has some).
const (
	// minRelevance is the relevance from which the task is about an element.
	minRelevance = 0.1
	// maxChunk splits containers that hold the whole page.
	maxChunk = 24
)

// Weights, in the same measure as relevance (1: everything the task says).
const (
	forChunk   = 0.3 // what an element gets of its chunk's relevance
	forRow     = 0.6 // and of its row's
	forQuote   = 1.0 // the task quotes its name
	forState   = 0.5 // focused or marked invalid: the user is in the middle of it
	forField   = 0.2
	forControl = 0.1
)

// ranked is an element with its weight.
type ranked struct {
	page.Element
	chunk int
	// about: the task is about it. Elements are shown in the order of their weight.
	about  bool
	weight float64
}

// rank scores elements by the task's words in their own texts and in their
// container's, so that of two hundred "Add to cart" the one beside the product named
// in the task comes first.
func rank(elements []page.Element, q query) (list []ranked, anyAbout bool) {
	list = make([]ranked, len(elements))
	hits := make([]hit, len(elements))
	for i, e := range elements {
		list[i].Element = e
		hits[i] = q.hit(e)
	}
	chunk(list)
	worth := newWorth(len(q.terms), hits)
	chunks := chunkHits(list, hits)
	for i := range list {
		e := &list[i]
		own := worth.of(hits[i].own)*(0.4+0.6*hits[i].cover) + forRow*worth.of(hits[i].row)
		if hits[i].quoted {
			own += forQuote * (0.5 + worth.of(hits[i].own))
		}
		relevance := own + forChunk*worth.of(chunks[e.chunk])
		// Elements that share no container are neighbours only by chance.
		e.about = own >= minRelevance || e.Group != "" && relevance >= minRelevance
		anyAbout = anyAbout || e.about
		// Sums of the same numbers in another order differ in their last digits.
		e.weight = math.Round(1e6 * (relevance + baseWeight(e.Element)))
	}
	return list, anyAbout
}

// chunk numbers runs of elements of one container (row, form or region), in pieces of
// at most maxChunk.
func chunk(list []ranked) {
	size := 0
	for i := 1; i < len(list); i++ {
		last, e := list[i-1], &list[i]
		e.chunk = last.chunk
		if size++; size == maxChunk || last.Group != e.Group || last.Frame != e.Frame {
			e.chunk, size = last.chunk+1, 0
		}
	}
}

// hit is which words of the task an element has.
type hit struct {
	own    []int   // in its name, placeholder, value and options
	around []int   // in the name of its container
	row    []int   // in its row and in what it is called besides its name
	cover  float64 // how much of its name they are
	quoted bool
}

func (q query) hit(e page.Element) hit {
	var h hit
	name := words(nameOf(e))
	h.own = q.add(h.own, name)
	if n := min(len(name), maxWords); n > 0 {
		h.cover = min(1, float64(len(h.own))/float64(n))
	}
	h.quoted = q.quotes(name)
	h.own = q.add(h.own, words(e.Placeholder))
	h.own = q.add(h.own, words(e.Anchor))
	if !e.State.Secret {
		h.own = q.add(h.own, words(e.Value))
	}
	for _, o := range e.Options {
		h.own = q.add(h.own, words(optionText(o)))
	}
	h.around = q.add(nil, words(e.Group))
	for _, s := range [...]string{e.Row, e.Caption, e.Hint} {
		if s != "" {
			h.row = q.add(h.row, words(s))
		}
	}
	h.row = slices.DeleteFunc(h.row, func(t int) bool { return slices.Contains(h.own, t) })
	return h
}

// add adds the task's words among ws to to, each once.
func (q query) add(to []int, ws []string) []int {
	for _, w := range ws[:min(len(ws), maxWords)] {
		if n, ok := q.terms[w]; ok && !slices.Contains(to, n) {
			to = append(to, n)
		}
	}
	return to
}

// termWeights are the weights of the task's words: the rarer on the page, the larger.
// Words that are not on the page have none.
type termWeights []float64

func newWorth(terms int, hits []hit) termWeights {
	seen := make([]int, terms)
	for _, h := range hits {
		for _, t := range h.own {
			seen[t]++
		}
		for _, t := range h.around {
			if !slices.Contains(h.own, t) {
				seen[t]++
			}
		}
		for _, t := range h.row {
			if !slices.Contains(h.around, t) {
				seen[t]++
			}
		}
	}
	w, total := make(termWeights, terms), 0.0
	for t, n := range seen {
		if n > 0 {
			w[t] = math.Log(1 + float64(len(hits))/float64(n))
			total += w[t]
		}
	}
	for t := range w {
		w[t] /= max(total, 1e-9)
	}
	return w
}

func (w termWeights) of(terms []int) (sum float64) {
	for _, t := range terms {
		sum += w[t]
	}
	return sum
}

// chunkHits returns the words of each chunk.
func chunkHits(list []ranked, hits []hit) [][]int {
	var out [][]int
	has := map[int]bool{}
	for i, e := range list {
		if e.chunk == len(out) {
			out = append(out, nil)
			clear(has)
		}
		for _, terms := range [][]int{hits[i].own, hits[i].around} {
			for _, t := range terms {
				if !has[t] {
					has[t] = true
					out[e.chunk] = append(out[e.chunk], t)
				}
			}
		}
	}
	return out
}

// baseWeight is an element's weight whatever the task: what the user is working on,
// then what can be filled in or pressed. Links are most of a large page and the first
// to be left out.
func baseWeight(e page.Element) float64 {
	n := 0.0
	if e.State.Focused || e.State.Invalid {
		n += forState
	}
	switch shortRole(e.Role) {
	case "inp", "sel", "chk", "radio", "switch", "slider":
		n += forField
	case "btn", "tab", "menu", "opt":
		n += forControl
	}
	if name := nameOf(e); (e.NameGuessed || isSign(name)) && !e.IsField() && n == forControl {
		n /= 2 // the star in each row comes after the rows
	}
	return n
}
