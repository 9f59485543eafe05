package knowledge_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/knowledge"
)

const source = "0b9f6c1e-0000-4000-8000-000000000001"

var (
	at    = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	files = knowledge.SourceAdded{Source: source, Tenant: "acme", By: "jo", Kind: knowledge.Upload, Name: "Handbook", At: at}
	site  = knowledge.SourceAdded{
		Source: source, Tenant: "acme", By: "jo", Kind: knowledge.Spider, Name: "Docs", URL: "https://docs.acme.com/", MaxPages: 3, MaxDepth: 1, EverySeconds: 7200, At: at,
	}
	begun = []knowledge.Event{
		site, knowledge.CrawlStarted{Generation: 1, At: at}, knowledge.PagesFound{Generation: 1, Pages: []string{"https://docs.acme.com/"}},
	}
	handbook = knowledge.DocumentID(source, "handbook.pdf")
	first    = knowledge.VersionID(handbook, 1)
	second   = knowledge.VersionID(handbook, 2)
	received = knowledge.DocumentReceived{Document: handbook, Version: first, Number: 1, Path: "handbook.pdf", Bytes: "b1", Size: 9, By: "jo", At: at}
	reading  = knowledge.ReadingStarted{Document: handbook, Version: first, Attempt: 1, At: at}
	indexed  = knowledge.DocumentIndexed{Document: handbook, Version: first, Type: knowledge.PDF, Attempt: 1, Parts: 1, Chunks: 2, Reader: knowledge.ReaderVersion, At: at}
	again    = knowledge.DocumentReceived{Document: handbook, Version: second, Number: 2, Path: "handbook.pdf", Bytes: "b2", Size: 9, By: "jo", At: at}
	home     = knowledge.DocumentID(source, "https://docs.acme.com/")
	page     = knowledge.DocumentReceived{
		Document: home, Version: knowledge.VersionID(home, 1), Number: 1, Path: "https://docs.acme.com/", Bytes: "h1", Size: 5, Media: "text/html", Generation: 1, At: at,
	}
)

func receive(name, bytes string) knowledge.Receive {
	return knowledge.Receive{Path: name, Bytes: bytes, Size: 9, By: "jo", At: at}
}

func visit(url string, outcome knowledge.Outcome, found ...string) knowledge.Visit {
	v := knowledge.Visit{Generation: 1, URL: url, Outcome: outcome, Found: found, At: at}
	if outcome == knowledge.Received {
		v.Bytes, v.Size, v.Media = "h1", 5, "text/html"
	}
	return v
}

func visited(url string, outcome knowledge.Outcome) knowledge.PageVisited {
	return knowledge.PageVisited{Generation: 1, Document: knowledge.DocumentID(source, url), Outcome: outcome, At: at}
}

func events(of ...any) []knowledge.Event {
	var out []knowledge.Event
	for _, o := range of {
		switch o := o.(type) {
		case []knowledge.Event:
			out = append(out, o...)
		case knowledge.Event:
			out = append(out, o)
		}
	}
	return out
}

func TestDecide(t *testing.T) {
	t.Parallel()
	const root, a, b, c, d = "https://docs.acme.com/", "https://docs.acme.com/a", "https://docs.acme.com/b", "https://docs.acme.com/c", "https://docs.acme.com/d"
	for _, tt := range []struct {
		name  string
		given []knowledge.Event
		when  knowledge.Command
		then  []knowledge.Event
		err   domain.Kind
	}{
		{name: "a source is added", when: knowledge.Add{SourceAdded: files}, then: events(files)},
		{name: "adding it again changes nothing", given: events(files), when: knowledge.Add{SourceAdded: files}},
		{name: "its id is nobody else's", given: events(files), when: knowledge.Add{SourceAdded: knowledge.SourceAdded{Source: source, Tenant: "globex", Kind: knowledge.Upload}}, err: domain.Conflict},
		{name: "a site is crawled at once", when: knowledge.Add{SourceAdded: site}, then: begun},
		{name: "a site has an address", when: knowledge.Add{SourceAdded: knowledge.SourceAdded{Source: source, Tenant: "acme", Kind: knowledge.Single}}, err: domain.Invalid},
		{name: "of no kind", when: knowledge.Add{SourceAdded: knowledge.SourceAdded{Source: source, Tenant: "acme", Kind: "video"}}, err: domain.Invalid},
		{name: "too many pages", when: knowledge.Add{SourceAdded: knowledge.SourceAdded{Source: source, Tenant: "acme", Kind: knowledge.Spider, URL: "https://a/", MaxPages: 1e6}}, err: domain.Invalid},
		{name: "files are not crawled again", when: knowledge.Add{SourceAdded: knowledge.SourceAdded{Source: source, Tenant: "acme", Kind: knowledge.Upload, EverySeconds: 86400}}, err: domain.Invalid},
		{name: "nothing is received by what never was", when: receive("handbook.pdf", "b1"), err: domain.NotFound},

		{name: "a file is received", given: events(files), when: receive("handbook.pdf", "b1"), then: events(received)},
		{name: "the same bytes again are the same version", given: events(files, received), when: receive("handbook.pdf", "b1")},
		{name: "other bytes are the next version", given: events(files, received, reading, indexed), when: receive("handbook.pdf", "b2"), then: events(again)},
		{
			name: "bytes that could not be read are tried again when they are handed in again", given: events(files, received, knowledge.DocumentRefused{Document: handbook, Version: first, Code: "damaged", At: at}),
			when: receive("handbook.pdf", "b1"), then: events(knowledge.DocumentReceived{Document: handbook, Version: second, Number: 2, Path: "handbook.pdf", Bytes: "b1", Size: 9, By: "jo", At: at}),
		},
		{name: "a document that was removed comes back as a new version", given: events(files, received, reading, indexed, knowledge.DocumentRemoved{Document: handbook, By: "jo", At: at}), when: receive("handbook.pdf", "b2"), then: events(again)},
		{name: "a site takes no files", given: begun, when: receive("handbook.pdf", "b1"), err: domain.Invalid},

		{name: "reading begins", given: events(files, received), when: knowledge.Begin{Version: first, At: at}, then: events(reading)},
		{name: "whoever reads it may die", given: events(files, received, reading), when: knowledge.Begin{Version: first, At: at}, then: events(knowledge.ReadingStarted{Document: handbook, Version: first, Attempt: 2, Deaths: 1, At: at})},
		{name: "trouble that is known is no death", given: events(files, received, reading), when: knowledge.Begin{Version: first, Trouble: true, At: at}, then: events(knowledge.ReadingStarted{Document: handbook, Version: first, Attempt: 2, At: at})},
		{
			name: "but not for ever", given: events(files, received, knowledge.ReadingStarted{Document: handbook, Version: first, Attempt: 9, Deaths: knowledge.MaxDeaths - 1, At: at}), when: knowledge.Begin{Version: first, At: at},
			then: events(knowledge.DocumentRefused{Document: handbook, Version: first, Code: knowledge.CodeTooManyAttempts, Reason: "reading it was begun again and again, and never came to an end", Reader: knowledge.ReaderVersion, At: at}),
		},
		{name: "it is indexed", given: events(files, received, reading), when: knowledge.End{Event: indexed}, then: events(indexed)},
		{name: "once", given: events(files, received, reading, indexed), when: knowledge.End{Event: indexed}},
		{name: "a version that another took the place of comes to no end of its own", given: events(files, received, reading, again), when: knowledge.End{Event: indexed}},
		{name: "what is not read any more makes no progress", given: events(files, received, reading, indexed), when: knowledge.Progress{Version: first, Page: 1, Of: 2}},

		{
			name: "what an older reader read is read anew, beside what is found", given: events(files, received, reading, knowledge.DocumentIndexed{Document: handbook, Version: first, At: at}),
			when: knowledge.Reread{Documents: []string{handbook}, At: at},
			then: events(knowledge.DocumentReceived{Document: handbook, Version: second, Number: 2, Path: "handbook.pdf", Bytes: "b1", Size: 9, By: "jo", At: at}),
		},
		{name: "once", given: events(files, received, reading, indexed), when: knowledge.Reread{Documents: []string{handbook}, At: at}},
		{name: "a document is removed", given: events(files, received, reading, indexed), when: knowledge.RemoveDocument{Document: handbook, By: "jo", At: at}, then: events(knowledge.DocumentRemoved{Document: handbook, By: "jo", At: at})},
		{name: "one that never was", given: events(files), when: knowledge.RemoveDocument{Document: handbook, By: "jo", At: at}, err: domain.NotFound},
		{name: "a source is removed", given: events(files), when: knowledge.Remove{By: "jo", At: at}, then: events(knowledge.SourceRemoved{By: "jo", At: at})},
		{name: "and then is not there", given: events(files, knowledge.SourceRemoved{By: "jo", At: at}), when: knowledge.Remove{By: "jo", At: at}, err: domain.NotFound},
		{name: "but for being forgotten", given: events(files, knowledge.SourceRemoved{By: "jo", At: at}), when: knowledge.ForgetSource{At: at}, then: events(knowledge.SourceForgotten{At: at})},

		{
			name: "a page is received with where it leads", given: begun, when: visit(root, knowledge.Received, a, b, root),
			then: events(page, visited(root, knowledge.Received), knowledge.PagesFound{Generation: 1, Depth: 1, Pages: []string{a, b}}),
		},
		{name: "a page that is not next was visited before", given: begun, when: visit(a, knowledge.Received)},
		{name: "of another generation", given: begun, when: knowledge.Visit{Generation: 2, URL: root, Outcome: knowledge.Received, At: at}},
		{
			name: "links deeper than the crawl goes lead nowhere", given: events(begun, visited(root, knowledge.Received), page, knowledge.PagesFound{Generation: 1, Depth: 1, Pages: []string{a}}),
			when: visit(a, knowledge.Gone, b), then: events(visited(a, knowledge.Gone)),
		},
		{
			name: "a page that moved is where it was", given: events(begun, visited(root, knowledge.Received), page, knowledge.PagesFound{Generation: 1, Depth: 1, Pages: []string{a}}),
			when: knowledge.Visit{Generation: 1, URL: a, Outcome: knowledge.Redirected, Found: []string{b}, Same: true, At: at},
			then: events(visited(a, knowledge.Redirected), knowledge.PagesFound{Generation: 1, Depth: 1, Pages: []string{b}}),
		},
		{
			name: "a page of trouble is visited again after the others", given: events(begun, visited(root, knowledge.Received), page, knowledge.PagesFound{Generation: 1, Depth: 1, Pages: []string{a, b}}),
			when: visit(a, knowledge.Failed), then: events(visited(a, knowledge.Postponed)),
		},
		{
			name: "and then has failed", given: events(begun, visited(root, knowledge.Postponed), visited(root, knowledge.Postponed)),
			when: visit(root, knowledge.Failed), then: events(visited(root, knowledge.Failed)),
		},
		{
			name: "a finished crawl withdraws what it did not see", given: events(begun, visited(root, knowledge.Received), page, knowledge.CrawlFinished{Generation: 1, At: at}, knowledge.CrawlStarted{Generation: 2, At: at}, knowledge.PagesFound{Generation: 2, Pages: []string{a}}, knowledge.PageVisited{Generation: 2, Document: knowledge.DocumentID(source, a), Outcome: knowledge.Unchanged, At: at}),
			when: knowledge.FinishCrawl{Generation: 2, At: at},
			then: events(knowledge.DocumentsWithdrawn{Generation: 2, Documents: []string{home}, At: at}, knowledge.CrawlFinished{Generation: 2, Visits: map[knowledge.Outcome]int{knowledge.Unchanged: 1}, At: at}),
		},
		{
			name: "one that could not see a page withdraws nothing for not having been seen", given: events(begun, visited(root, knowledge.Received), page, knowledge.DocumentReceived{Document: knowledge.DocumentID(source, b), Version: knowledge.VersionID(knowledge.DocumentID(source, b), 1), Number: 1, Path: b, Bytes: "b", Generation: 1, At: at}, knowledge.CrawlFinished{Generation: 1, At: at}, knowledge.CrawlStarted{Generation: 2, At: at}, knowledge.PagesFound{Generation: 2, Pages: []string{a, b}}, knowledge.PageVisited{Generation: 2, Document: knowledge.DocumentID(source, a), Outcome: knowledge.Unchanged, At: at}, knowledge.PageVisited{Generation: 2, Document: knowledge.DocumentID(source, b), Outcome: knowledge.Failed, At: at}),
			when: knowledge.FinishCrawl{Generation: 2, At: at},
			then: events(knowledge.CrawlFinished{Generation: 2, Visits: map[knowledge.Outcome]int{knowledge.Unchanged: 1, knowledge.Failed: 1}, At: at}),
		},
		{
			name: "but for one that never was there", given: events(begun, visited(root, knowledge.Received), page, knowledge.CrawlFinished{Generation: 1, At: at}, knowledge.CrawlStarted{Generation: 2, At: at}, knowledge.PagesFound{Generation: 2, Pages: []string{a, b}}, knowledge.PageVisited{Generation: 2, Document: knowledge.DocumentID(source, a), Outcome: knowledge.Unchanged, At: at}, knowledge.PageVisited{Generation: 2, Document: knowledge.DocumentID(source, b), Outcome: knowledge.Failed, At: at}),
			when: knowledge.FinishCrawl{Generation: 2, At: at},
			then: events(knowledge.DocumentsWithdrawn{Generation: 2, Documents: []string{home}, At: at}, knowledge.CrawlFinished{Generation: 2, Visits: map[knowledge.Outcome]int{knowledge.Unchanged: 1, knowledge.Failed: 1}, At: at}),
		},
		{
			name: "a page that somebody deleted is not fetched again", given: events(begun, visited(root, knowledge.Received), page, knowledge.CrawlFinished{Generation: 1, At: at}, knowledge.DocumentRemoved{Document: home, By: "jo", At: at}, knowledge.CrawlStarted{Generation: 2, At: at}, knowledge.PagesFound{Generation: 2, Pages: []string{root}}),
			when: knowledge.Visit{Generation: 2, URL: root, Outcome: knowledge.Received, Bytes: "h1", At: at},
			then: events(knowledge.PageVisited{Generation: 2, Document: home, Outcome: knowledge.LeftOut, Code: knowledge.CodeRemoved, At: at}),
		},
		{
			name: "one that saw nothing withdraws nothing", given: events(begun, visited(root, knowledge.Received), page, knowledge.CrawlFinished{Generation: 1, At: at}, knowledge.CrawlStarted{Generation: 2, At: at}),
			when: knowledge.FinishCrawl{Generation: 2, Failed: "no page could be fetched", At: at},
			then: events(knowledge.CrawlFinished{Generation: 2, Failed: "no page could be fetched", Visits: map[knowledge.Outcome]int{}, At: at}),
		},
		{name: "a crawl is begun anew", given: events(begun, knowledge.CrawlFinished{Generation: 1, At: at}), when: knowledge.Recrawl{At: at}, then: events(knowledge.CrawlStarted{Generation: 2, At: at}, knowledge.PagesFound{Generation: 2, Pages: []string{root}})},
		{name: "not while one runs", given: begun, when: knowledge.Recrawl{At: at}},
		{name: "files have no crawl", given: events(files), when: knowledge.Recrawl{At: at}, err: domain.Invalid},
		{
			name: "a page of trouble stays", given: events(begun, visited(root, knowledge.Received), page, knowledge.CrawlFinished{Generation: 1, At: at}, knowledge.CrawlStarted{Generation: 2, At: at}, knowledge.PagesFound{Generation: 2, Pages: []string{root}}, knowledge.PageVisited{Generation: 2, Document: home, Outcome: knowledge.Failed, At: at}),
			when: knowledge.FinishCrawl{Generation: 2, At: at},
			then: events(knowledge.CrawlFinished{Generation: 2, Visits: map[knowledge.Outcome]int{knowledge.Failed: 1}, At: at}),
		},
		{
			name: "one that is gone does not, though there was more than could be seen", given: events(begun, visited(root, knowledge.Received), page, knowledge.CrawlFinished{Generation: 1, At: at}, knowledge.CrawlStarted{Generation: 2, At: at}, knowledge.PagesFound{Generation: 2, Pages: []string{root, c, d}}, knowledge.PageVisited{Generation: 2, Document: home, Outcome: knowledge.Gone, At: at}),
			when: knowledge.FinishCrawl{Generation: 2, At: at},
			then: events(knowledge.DocumentsWithdrawn{Generation: 2, Documents: []string{home}, At: at}, knowledge.CrawlFinished{Generation: 2, Limited: true, Visits: map[knowledge.Outcome]int{knowledge.Gone: 1}, At: at}),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := knowledge.Decide(tt.when, knowledge.Decider.Fold(knowledge.State{}, tt.given...))
			if domain.KindOf(err) != tt.err {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tt.then, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	month := at.Add(knowledge.KeepOld)
	removed := knowledge.DocumentRemoved{Document: handbook, By: "jo", At: at}
	for _, tt := range []struct {
		name  string
		given []knowledge.Event
		now   time.Time
		then  func(knowledge.Work) bool
	}{
		{"nothing for files that were read", events(files, received, reading, indexed), at, knowledge.Work.None},
		{"a file is read", events(files, received), at, func(w knowledge.Work) bool { return w.Read != nil && w.Read.Newest.Version == first }},
		{"what an older reader read is read anew", events(files, received, reading, knowledge.DocumentIndexed{Document: handbook, Version: first, At: at}), at, func(w knowledge.Work) bool { return cmp.Equal(w.Reread, []string{handbook}) }},
		{"a page is visited", begun, at, func(w knowledge.Work) bool { return w.Visit != nil && w.Visit.URL == site.URL }},
		{"a crawl without pages is over", events(site, knowledge.CrawlStarted{Generation: 1, At: at}), at, func(w knowledge.Work) bool { return w.Finish }},
		{"the next crawl is not due", events(begun, visited(site.URL, knowledge.Failed), knowledge.CrawlFinished{Generation: 1, At: at}), at.Add(time.Hour), knowledge.Work.None},
		{"the next crawl is due", events(begun, visited(site.URL, knowledge.Failed), knowledge.CrawlFinished{Generation: 1, At: at}), at.Add(2 * time.Hour), func(w knowledge.Work) bool { return w.Recrawl }},
		{"a version that was replaced is kept a month", events(files, received, reading, indexed, again, knowledge.DocumentIndexed{Document: handbook, Version: second, Reader: knowledge.ReaderVersion, At: at}), month.Add(-time.Second), knowledge.Work.None},
		{"and then forgotten with its bytes", events(files, received, reading, indexed, again, knowledge.DocumentIndexed{Document: handbook, Version: second, Reader: knowledge.ReaderVersion, At: at}), month, func(w knowledge.Work) bool {
			return cmp.Equal(w.Forget, []string{first}) && cmp.Equal(w.Unused, []string{"b1"})
		}},
		{"a document that was removed is forgotten at once, with what it was before", events(files, received, reading, indexed, again, knowledge.DocumentIndexed{Document: handbook, Version: second, Reader: knowledge.ReaderVersion, At: at}, removed), at, func(w knowledge.Work) bool {
			return len(w.Forget) == 2 && cmp.Equal(w.Unused, []string{"b1", "b2"})
		}},
		{"bytes another document has are kept", events(files, received, reading, indexed, knowledge.DocumentReceived{Document: "copy", Version: knowledge.VersionID("copy", 1), Number: 1, Bytes: "b1", At: at}, removed), at, func(w knowledge.Work) bool {
			return len(w.Forget) == 1 && w.Unused == nil
		}},
		{"what was forgotten is forgotten once", events(files, received, reading, indexed, removed, knowledge.VersionsForgotten{Versions: []string{first}, At: at}), at, knowledge.Work.None},
		{"a removed source is forgotten", events(files, received, knowledge.SourceRemoved{By: "jo", At: at}), at, func(w knowledge.Work) bool { return w.ForgetSource }},
		{"once", events(files, received, knowledge.SourceRemoved{By: "jo", At: at}, knowledge.SourceForgotten{At: at}), at, knowledge.Work.None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if w := knowledge.Decider.Fold(knowledge.State{}, tt.given...).Next(tt.now); !tt.then(w) {
				t.Errorf("%+v", w)
			}
		})
	}
}

// However many and long the links of a page are, no event is too large to be read again.
func TestVisit_FoundInPieces(t *testing.T) {
	t.Parallel()
	wide := site
	wide.MaxPages = knowledge.MaxPages
	var links []string
	for i := range 20_000 {
		links = append(links, fmt.Sprintf("https://docs.acme.com/%s?%d", strings.Repeat("a", 1900), i))
	}
	s := knowledge.Decider.Fold(knowledge.State{}, append([]knowledge.Event{wide}, begun[1:]...)...)
	got, err := knowledge.Decide(visit(site.URL, knowledge.Received, links...), s)
	if err != nil {
		t.Fatal(err)
	}
	kept, dropped := 0, 0
	for _, e := range got {
		if e, ok := e.(knowledge.PagesFound); ok {
			kept, dropped = kept+len(e.Pages), dropped+e.Dropped
			if size := len(strings.Join(e.Pages, "")); size > 256<<10 {
				t.Errorf("an event with %d bytes of addresses", size)
			}
		}
	}
	if kept+dropped != len(links) || dropped == 0 {
		t.Errorf("%d kept, %d dropped of %d", kept, dropped, len(links))
	}
}

// The pages of an erased task go, those it only shares an address with as well.
func TestRemoveTask(t *testing.T) {
	t.Parallel()
	seen := knowledge.SourceAdded{Source: source, Tenant: "acme", Kind: knowledge.Seen, URL: "https://app.acme.com/", At: at}
	of := func(task, document string, number int) knowledge.DocumentReceived {
		return knowledge.DocumentReceived{Document: document, Version: knowledge.VersionID(document, number), Number: number, Bytes: task + document, Task: task, At: at}
	}
	s := knowledge.Decider.Fold(knowledge.State{}, events(seen, of("t1", "a", 1), knowledge.DocumentIndexed{Document: "a", Version: knowledge.VersionID("a", 1), At: at},
		of("t2", "a", 2), knowledge.DocumentIndexed{Document: "a", Version: knowledge.VersionID("a", 2), At: at}, of("t2", "b", 1))...)
	got, err := knowledge.Decide(knowledge.RemoveTask{Task: "t1", By: "operator", At: at}, s)
	if want := events(knowledge.DocumentRemoved{Document: "a", By: "operator", Task: "t1", At: at}); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	under := func(heading, text string) knowledge.Chunk {
		return knowledge.Chunk{Path: []string{heading}, Text: text}
	}
	old := map[knowledge.ChunkRef]knowledge.Chunk{
		{Version: "v1", Ord: 0}: under("Order 7", "Status: Pending"),
		{Version: "v1", Ord: 1}: under("Help", "Call us"),
		{Version: "v1", Ord: 2}: under("Order 8", "Status: Pending"),
	}
	fresh, superseded := knowledge.Compare(old, []knowledge.Chunk{under("Help", "Call us"), under("Order 7", "Status: Approved"), under("Menu", "Export as CSV")})
	if len(fresh) != 2 || fresh[0].Text != "Status: Approved" || fresh[1].Text != "Export as CSV" || fresh[1].Ord != 1 {
		t.Errorf("new are %+v", fresh)
	}
	if want := []knowledge.ChunkRef{{Version: "v1", Ord: 0}}; !cmp.Equal(want, superseded) {
		t.Errorf("replaced are %v", superseded)
	}
}

// Files are added, never edited.
func TestEvents_frozenSamplesAreReadForEver(t *testing.T) {
	t.Parallel()
	want := map[string]knowledge.Event{
		knowledge.NameSourceAdded: site, knowledge.NameSourceRemoved: knowledge.SourceRemoved{By: "jo", At: at}, knowledge.NameSourceForgotten: knowledge.SourceForgotten{At: at},
		knowledge.NameCrawlStarted: begun[1], knowledge.NamePagesFound: begun[2],
		knowledge.NamePageVisited:      knowledge.PageVisited{Generation: 1, Document: home, Outcome: knowledge.LeftOut, Code: "robots", Reason: "robots.txt", ETag: `"1"`, LastModified: "Sun, 29 Nov 2026 12:00:00 GMT", At: at},
		knowledge.NameCrawlFinished:    knowledge.CrawlFinished{Generation: 1, Limited: true, Failed: "no page", Visits: map[knowledge.Outcome]int{knowledge.Received: 2}, At: at},
		knowledge.NameDocumentReceived: page, knowledge.NameReadingStarted: reading,
		knowledge.NameReadingProgressed:  knowledge.ReadingProgressed{Document: handbook, Version: first, Page: 3, Of: 9},
		knowledge.NameDocumentIndexed:    knowledge.DocumentIndexed{Document: handbook, Version: first, Type: knowledge.PDF, Language: "en", Pages: 9, ImagePages: 1, Attempt: 1, Parts: 1, Chunks: 2, Supersedes: []knowledge.ChunkRef{{Version: second, Ord: 1}}, At: at},
		knowledge.NameDocumentEmpty:      knowledge.DocumentEmpty{Document: handbook, Version: first, Type: knowledge.PDF, Reason: "no text layer", Pages: 2, ImagePages: 2, At: at},
		knowledge.NameDocumentRefused:    knowledge.DocumentRefused{Document: handbook, Version: first, Type: knowledge.PDF, Code: "encrypted", Reason: "it takes a password", At: at},
		knowledge.NameDocumentRemoved:    knowledge.DocumentRemoved{Document: handbook, By: "jo", At: at},
		knowledge.NameDocumentsWithdrawn: knowledge.DocumentsWithdrawn{Generation: 2, Documents: []string{home}, At: at},
		knowledge.NameVersionsForgotten:  knowledge.VersionsForgotten{Versions: []string{first}, At: at},
	}
	for _, name := range knowledge.Codec.Names() {
		sample(t, knowledge.Codec.Encode, knowledge.Codec.Decode, name, want[name])
	}
	texts := map[string]knowledge.TextEvent{
		knowledge.NameTextAdded:    knowledge.TextAdded{Source: source, Document: handbook, Version: first, Attempt: 1, Part: 1, Path: "handbook.pdf", Title: "Handbook", Trigger: `click("68")`, Chunks: []knowledge.Chunk{{Ord: 64, Path: []string{"Handbook", "Leave"}, Page: 3, From: 10, To: 20, Text: "30 days"}}},
		knowledge.NameVectorsAdded: knowledge.VectorsAdded{Source: source, Document: handbook, Version: first, Attempt: 1, Part: 1, Model: "m", Dimensions: 2, Vectors: knowledge.AppendVector(nil, []float32{1, -0.5})},
	}
	for _, name := range knowledge.TextCodec.Names() {
		sample(t, knowledge.TextCodec.Encode, knowledge.TextCodec.Decode, name, texts[name])
	}
}

// sample compares an event with its file, which is written if there is none yet.
func sample[E any](
	t *testing.T, encode func(E, string, domain.Sealer) (string, json.RawMessage, error), decode func(string, []byte, string, domain.Sealer) (E, error), name string, want E,
) {
	t.Helper()
	key := domaintest.Sealer{}
	file := filepath.Join("testdata", "events", name+".json")
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) && os.Getenv("CI") == "" {
		if _, data, err = encode(want, "id", key); err == nil {
			err = os.WriteFile(file, data, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(name, data, "id", key)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}
