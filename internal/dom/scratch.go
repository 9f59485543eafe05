package dom

import (
	"sync"

	"golang.org/x/net/html"
)

// maxScratch is how many ids a document may have for its memory to be used
// again: maps do not shrink, and clearing them costs what they once held.
const maxScratch = 10_000

// documents are the lists and maps of pages read before. What is collected of a
// page only to be made into elements would be a fifth of all a reading
// allocates.
var documents = sync.Pool{New: func() any {
	return &document{
		byID: map[string]*html.Node{}, labels: map[string][]*html.Node{}, taken: map[string]bool{}, concealed: map[*html.Node]bool{},
	}
}}

func newDocument() *document { return documents.Get().(*document) }

// release gives the memory of the document back, with nothing of the page left
// in it. It must not be used any more.
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
