package knowledge

import (
	"maps"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// crawl are the events of a new generation.
func crawl(e SourceAdded, generation int, at time.Time) []Event {
	return []Event{CrawlStarted{generation, at}, PagesFound{Generation: generation, Pages: []string{e.URL}}}
}

func (s State) recrawl(at time.Time) ([]Event, error) {
	if !s.Kind.Crawled() {
		return nil, domain.Errorf(domain.Invalid, domain.CodeValidation, "the documents of this source are not fetched").At("source")
	}
	if s.Crawl != nil && s.Crawl.Running {
		return nil, nil
	}
	generation := 1
	if s.Crawl != nil {
		generation = s.Crawl.Generation + 1
	}
	return crawl(s.SourceAdded, generation, at), nil
}

func (s State) visit(c Visit) []Event {
	k := s.Crawl
	if k == nil || !k.Running || k.Generation != c.Generation || len(k.Frontier) == 0 || k.Frontier[0].URL != c.URL {
		return nil // done before
	}
	id := DocumentID(s.Source, c.URL)
	visited := PageVisited{
		Generation: c.Generation, Document: id, Outcome: c.Outcome, Code: c.Code, Reason: c.Reason,
		ETag: c.ETag, LastModified: c.LastModified, At: c.At,
	}
	if c.Outcome == Failed && k.Frontier[0].Tries+1 < MaxTries {
		visited.Outcome = Postponed
	}
	var received []Event
	if c.Outcome == Received {
		if visited.Code = s.unwanted(id); visited.Code != "" {
			visited.Outcome = LeftOut
		} else if received = s.version(id, DocumentReceived{Path: c.URL, Bytes: c.Bytes, Size: c.Size, Media: c.Media, Generation: c.Generation, At: c.At}, false); received == nil {
			visited.Outcome = Unchanged
		}
	}
	depth := k.Frontier[0].Depth
	if !c.Same {
		depth++
	}
	return slices.Concat(received, []Event{visited}, s.fresh(c.Found, depth, c.Dropped))
}

// unwanted is why a page that was fetched is not kept, "" if it is.
func (s State) unwanted(id string) string {
	switch d := s.Documents[id]; {
	case d != nil && d.Status == Removed && d.Barred:
		return CodeRemoved
	case (d == nil || !d.there()) && s.count() >= MaxDocuments:
		return CodeFull
	}
	return ""
}

// there reports whether a document was neither removed nor withdrawn.
func (d *Document) there() bool { return d.Status != Removed && d.Status != Withdrawn }

// count is how many documents are there.
func (s State) count() (n int) {
	for _, d := range s.Documents {
		if d.there() {
			n++
		}
	}
	return n
}

// fresh are the addresses the crawl does not know yet, as far as there is room for them, in
// events of a bounded size. Dropped are those there was no room for before.
func (s State) fresh(pages []string, depth, dropped int) []Event {
	k := s.Crawl
	if depth > s.deepest() {
		return nil
	}
	var out []Event
	found := PagesFound{Generation: k.Generation, Depth: depth, Dropped: dropped}
	added, room, size := map[string]bool{}, k.room, 0
	for _, p := range pages {
		id := DocumentID(s.Source, p)
		if k.known[id] || added[id] {
			continue
		}
		if len(k.known)+len(added) >= s.MaxPages*roomFactor || room < len(p) {
			found.Dropped++
			continue
		}
		added[id], room = true, room-len(p)
		if size += len(p); size > maxFound && len(found.Pages) > 0 {
			out = append(out, found)
			found, size = PagesFound{Generation: k.Generation, Depth: depth}, len(p)
		}
		found.Pages = append(found.Pages, p)
	}
	if len(found.Pages) > 0 || found.Dropped > 0 {
		out = append(out, found)
	}
	return out
}

// deepest is how far from the first page a page of the crawl may be. The pages of a
// sitemap are one from it, and a page that moved is where it was.
func (s State) deepest() int {
	switch s.Kind {
	case Sitemap:
		return 1
	case Spider:
		return s.MaxDepth
	}
	return 0
}

// Full reports that the running crawl has visited as many pages as it may.
func (s State) Full() bool {
	return s.Crawl != nil && s.Crawl.Visits[Received]+s.Crawl.Visits[Unchanged] >= s.MaxPages
}

func (s State) finish(c FinishCrawl) []Event {
	k := s.Crawl
	if k == nil || !k.Running || k.Generation != c.Generation {
		return nil
	}
	limited := k.Dropped > 0 || len(k.Frontier) > 0
	// What was not seen is no more only if everything could have been seen.
	partial := limited || c.Failed != "" || k.missed || k.Visits[Received]+k.Visits[Unchanged]+k.Visits[Gone] == 0
	var events []Event
	for lost := range slices.Chunk(s.lost(partial), maxWithdrawn) {
		events = append(events, DocumentsWithdrawn{c.Generation, lost, c.At})
	}
	return append(events, CrawlFinished{c.Generation, limited, c.Failed, maps.Clone(k.Visits), c.At})
}

// lost are the documents the generation says are no more: those it was told of and, unless
// it saw only a part, those it did not see.
func (s State) lost(partial bool) []string {
	told := map[string]bool{}
	for _, id := range s.Crawl.lost {
		told[id] = true
	}
	var out []string
	for id, d := range s.Documents {
		unseen := d.SeenIn < s.Crawl.Generation && d.Newest.Generation < s.Crawl.Generation
		if d.there() && (told[id] || unseen && !partial) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}
