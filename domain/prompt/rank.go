package prompt

import (
	"math"
	"slices"

	"github.com/stepledger/stepledger/domain/page"
)

// Limits of relevance (the specification's numbers where it has some).
const (
	// minRelevance is where an element counts as being about the task.
	minRelevance = 0.1
	// maxChunk splits containers that hold the whole page.
	maxChunk = 24
)

// Weights, in the same measure as relevance (1: everything the task says).
const (
	forChunk   = 0.3 // what an element gets of its chunk's relevance
	forQuote   = 1.0 // the task quotes its name
	forState   = 0.5 // focused or marked invalid: the user is in the middle of it
	forField   = 0.2
	forControl = 0.1
)

// ranked is an element with what speaks for it.
type ranked struct {
	page.Element
	chunk int
	// about: the task is about it. weight orders elements, the greater the
	// sooner.
	about  bool
	weight float64
}

// rank scores elements against a task: by the words of their own and by those
// of the container they are in, so that of two hundred "Add to cart" the one
// beside the product named in the task comes first.
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
		own := worth.of(hits[i].own) * (0.4 + 0.6*hits[i].cover)
		if hits[i].quoted {
			own += forQuote * (0.5 + worth.of(hits[i].own))
		}
		relevance := own + forChunk*worth.of(chunks[e.chunk])
		// A run of elements that share no container is near them only by chance.
		e.about = own >= minRelevance || e.Group != "" && relevance >= minRelevance
		anyAbout = anyAbout || e.about
		// Sums of the same in another order differ in their last digits.
		e.weight = math.Round(1e6 * (relevance + standing(e.Element)))
	}
	return list, anyAbout
}

// chunk numbers the runs of elements of one container: the row, form or region
// they share, in pieces of at most maxChunk.
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
	return h
}

// add notes the task's words among others, each once.
func (q query) add(to []int, ws []string) []int {
	for _, w := range ws[:min(len(ws), maxWords)] {
		if n, ok := q.terms[w]; ok && !slices.Contains(to, n) {
			to = append(to, n)
		}
	}
	return to
}

// worth says what each word of the task is worth: the rarer on the page, the
// more. Words the page does not have count for nothing.
type worth []float64

func newWorth(terms int, hits []hit) worth {
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
	}
	w, total := make(worth, terms), 0.0
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

func (w worth) of(terms []int) (sum float64) {
	for _, t := range terms {
		sum += w[t]
	}
	return sum
}

// chunkHits are the words of each chunk.
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

// standing is what speaks for an element whatever the task: what the user is in
// the middle of, then what can be filled in or pressed. Links are the bulk of
// large pages and the first to go.
func standing(e page.Element) float64 {
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
	return n
}
