package dom

import (
	"sync"

	"golang.org/x/net/html"
)

// maxScratch bounds the ids of a document whose memory is reused: maps do not shrink,
// and clearing them takes time for their largest size.
const maxScratch = 10_000

// documents are lists and maps to reuse. They would be a fifth of a reading's
// allocations.
var documents = sync.Pool{New: func() any {
	return &document{
		byID: map[string]*html.Node{}, labels: map[string][]*html.Node{}, taken: map[string]bool{}, concealed: map[*html.Node]bool{},
	}
}}

func newDocument() *document { return documents.Get().(*document) }

// release makes the document's memory reusable, with nothing of the page left in it.
// The document must not be used afterwards.
func (d *document) release() {
	if len(d.byID)+len(d.labels)+len(d.taken)+len(d.concealed) > maxScratch {
		return
	}
	clear(d.found)
	clear(d.headings)
	clear(d.text)
	clear(d.byID)
	clear(d.labels)
	clear(d.taken)
	clear(d.concealed)
	*d = document{
		found: d.found[:0], headings: d.headings[:0], text: d.text[:0], byID: d.byID, labels: d.labels, taken: d.taken,
		concealed: d.concealed,
	}
	documents.Put(d)
}
