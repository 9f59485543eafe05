package knowledge

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Limits of a source.
const (
	MaxPages        = 10_000
	DefaultMaxPages = 100
	MaxDepth        = 20
	DefaultMaxDepth = 2
	// MaxDocuments bounds the documents of a source.
	MaxDocuments = 10_000
	// MaxSources bounds the sources of a tenant.
	MaxSources = 1000
	// MaxBytes bounds a document.
	MaxBytes = 20 << 20
	// MaxPath bounds a name or address, in bytes.
	MaxPath = 2000
	// MaxDeaths is after how many attempts of which nobody heard any more a version is given
	// up: whoever read it may have died of it.
	MaxDeaths = 4
	// MaxAttempts is how often reading a version is begun at all.
	MaxAttempts = 50
	// KeepOld is how long the text of a version is kept that another took the place of, or
	// that was withdrawn.
	KeepOld = 30 * 24 * time.Hour
	// MinEvery is the shortest time between two crawls of a source.
	MinEvery = time.Hour
	// MaxTries is how often a page is visited that meets trouble, and MaxFailing after how
	// many such visits in a row the crawl is over: the site does not answer any more.
	MaxTries   = 3
	MaxFailing = 25
	// roomFactor is how many addresses are remembered for each page a source may have: most
	// of what a site links to may be dead.
	roomFactor = 10
	// maxFrontier bounds the addresses of a crawl, in bytes, and maxFound those of one event.
	maxFrontier = 32 << 20
	maxFound    = 128 << 10
	// maxWithdrawn bounds the documents of one event.
	maxWithdrawn = 5000
)

// ReaderVersion is raised when documents would be read or split differently. All are then
// read anew, each beside the version that is found until the new one takes its place.
const ReaderVersion = 1

// DefaultName is that of a source without a name and an address.
const DefaultName = "Files"

// Codes of versions and visits that are decided here.
const (
	// CodeTooManyAttempts is a version that was given up.
	CodeTooManyAttempts = "too_many_attempts"
	// CodeBytesLost is a version whose bytes are not kept any more.
	CodeBytesLost = "bytes_lost"
	// CodeRemoved is a page that somebody deleted, CodeFull one there is no room for.
	CodeRemoved = "removed"
	CodeFull    = "full"
	// CodeTooLarge is what cannot be kept, CodeDamaged what was not kept as it should be,
	// CodeNoSitemap a site that lists no pages.
	CodeTooLarge  = "too_large"
	CodeDamaged   = "damaged"
	CodeNoSitemap = "no_sitemap"
)

// Command is a command to a source.
type Command interface{ isKnowledgeCommand() }

// Add adds a source, and begins its first crawl.
type Add struct{ SourceAdded }

// Recrawl begins the next generation unless one is running.
type Recrawl struct{ At time.Time }

// Visit says what came of visiting the first page of the frontier.
type Visit struct {
	Generation         int
	URL                string
	Outcome            Outcome
	Code, Reason       string
	ETag, LastModified string
	// Bytes, Size and Media are those of a page that was received.
	Bytes string
	Size  int
	Media string
	// Found are addresses, normalized; Same says that they stand for the page itself, as
	// the target of a redirect does.
	Found []string
	Same  bool
	// Dropped counts further addresses that are not among Found.
	Dropped int
	At      time.Time
}

// FinishCrawl ends the running generation. Failed is why nothing could be visited.
type FinishCrawl struct {
	Generation int
	Failed     string
	At         time.Time
}

// Receive takes a document in. The bytes it has already lead to no event, unless they
// could not be read.
type Receive struct {
	// Key stands for the path in the document's id, so that the path need not be in the
	// stream: "" is the path itself.
	Key   string
	Path  string
	Bytes string
	Size  int
	Media string
	// Phase, Page, Task and Turn: see DocumentReceived.
	Phase Phase
	Page  string
	Task  string
	Turn  int
	By    string
	At    time.Time
}

// Begin begins to read a version. After MaxDeaths it is refused. Trouble says that whoever
// asks knows why the attempt before came to nothing.
type Begin struct {
	Version string
	Trouble bool
	At      time.Time
}

// Progress tells how far reading has come.
type Progress struct {
	Version  string
	Page, Of int
}

// End brings a version to its end. It is one of DocumentIndexed, DocumentEmpty and
// DocumentRefused. If the version is not waited for any more it leads to no event.
type End struct{ Event Event }

// Reread reads documents anew that an older reader has read.
type Reread struct {
	Documents []string
	At        time.Time
}

// RemoveDocument deletes a document.
type RemoveDocument struct {
	Document, By string
	At           time.Time
}

// RemoveTask deletes what was seen in a task.
type RemoveTask struct {
	Task, By string
	At       time.Time
}

// Remove deletes the source.
type Remove struct {
	By string
	At time.Time
}

// Forget notes that keys and bytes of old versions are gone.
type Forget struct {
	Versions []string
	At       time.Time
}

// ForgetSource notes that those of a removed source are gone.
type ForgetSource struct{ At time.Time }

func (Add) isKnowledgeCommand()            {}
func (Recrawl) isKnowledgeCommand()        {}
func (Visit) isKnowledgeCommand()          {}
func (FinishCrawl) isKnowledgeCommand()    {}
func (Receive) isKnowledgeCommand()        {}
func (Begin) isKnowledgeCommand()          {}
func (Progress) isKnowledgeCommand()       {}
func (End) isKnowledgeCommand()            {}
func (Reread) isKnowledgeCommand()         {}
func (RemoveDocument) isKnowledgeCommand() {}
func (RemoveTask) isKnowledgeCommand()     {}
func (Remove) isKnowledgeCommand()         {}
func (Forget) isKnowledgeCommand()         {}
func (ForgetSource) isKnowledgeCommand()   {}

// NotFound is the error for a source or document that does not exist for the caller.
func NotFound(field string) error {
	return domain.Errorf(domain.NotFound, domain.CodeNotFound, "there is no such %s", field).At(field)
}

// Decide returns the events of a command. A source that was removed is NotFound, but for
// what is still to be forgotten of it.
func Decide(c Command, s State) ([]Event, error) {
	if add, ok := c.(Add); ok {
		return s.add(add.SourceAdded)
	}
	if c, ok := c.(ForgetSource); ok {
		if !s.Removed || s.Forgotten {
			return nil, nil
		}
		return []Event{SourceForgotten(c)}, nil
	}
	if !s.Exists || s.Removed {
		return nil, NotFound("source")
	}
	return s.decide(c)
}

func (s State) decide(c Command) ([]Event, error) {
	switch c := c.(type) {
	case Recrawl:
		return s.recrawl(c.At)
	case Visit:
		return s.visit(c), nil
	case FinishCrawl:
		return s.finish(c), nil
	case Receive:
		return s.receive(c)
	case Begin:
		return s.begin(c), nil
	case Progress:
		return s.progress(c), nil
	case End:
		return s.end(c.Event), nil
	case Reread:
		return s.reread(c), nil
	case RemoveDocument:
		return s.remove(c)
	case RemoveTask:
		return s.removeTask(c), nil
	case Remove:
		return []Event{SourceRemoved(c)}, nil
	case Forget:
		return s.forget(c), nil
	}
	return nil, nil
}

func (s State) add(e SourceAdded) ([]Event, error) {
	if s.Exists {
		if s.Removed || s.Tenant != e.Tenant {
			return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "there was another source with this id").At("source")
		}
		return nil, nil
	}
	e, err := e.checked()
	if err != nil {
		return nil, err
	}
	events := []Event{e}
	if e.Kind.Crawled() {
		events = append(events, crawl(e, 1, e.At)...)
	}
	return events, nil
}

// checked fills in what was left out and refuses what cannot be.
func (e SourceAdded) checked() (SourceAdded, error) {
	invalid := func(field, format string, args ...any) error {
		return domain.Errorf(domain.Invalid, domain.CodeValidation, format, args...).At(field)
	}
	switch {
	case !slices.Contains(Kinds, e.Kind):
		return e, invalid("strategy", "a source is one of %v", Kinds)
	case e.Kind != Upload && e.URL == "":
		return e, invalid("url", "a source of this kind has an address")
	case len(e.URL) > MaxPath:
		return e, invalid("url", "an address has at most %d bytes", MaxPath)
	case e.MaxPages < 0 || e.MaxPages > MaxPages:
		return e, invalid("maxPages", "a crawl has at most %d pages", MaxPages)
	case e.MaxDepth < 0 || e.MaxDepth > MaxDepth:
		return e, invalid("maxDepth", "a crawl goes at most %d links deep", MaxDepth)
	case e.EverySeconds != 0 && e.EverySeconds < int64(MinEvery.Seconds()):
		return e, invalid("every", "a source is crawled once an hour at most")
	case e.EverySeconds != 0 && !e.Kind.Crawled():
		return e, invalid("every", "only sites are crawled again")
	}
	e.Name = strings.TrimSpace(e.Name)
	if e.Name == "" {
		e.Name = e.URL
	}
	if e.Name == "" {
		e.Name = DefaultName
	}
	switch {
	case e.Kind == Single:
		e.MaxPages, e.MaxDepth = 1, 0
	case e.Kind.Crawled() && e.MaxPages == 0:
		e.MaxPages = DefaultMaxPages
	}
	return e, nil
}

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

func (s State) receive(c Receive) ([]Event, error) {
	if s.Kind.Crawled() {
		return nil, domain.Errorf(domain.Invalid, domain.CodeValidation, "the documents of this source are fetched; files go to another").At("source")
	}
	key := c.Key
	if key == "" {
		key = c.Path
	}
	id := DocumentID(s.Source, key)
	switch code := s.unwanted(id); {
	case code == CodeRemoved && s.Kind == Seen:
		return nil, nil
	case code == CodeFull:
		return nil, domain.Errorf(domain.Conflict, domain.CodeConflict, "a source has at most %d documents; add another", MaxDocuments).At("source")
	}
	return s.version(id, DocumentReceived{
		Path: c.Path, Bytes: c.Bytes, Size: c.Size, Media: c.Media, Phase: c.Phase, Page: c.Page, Task: c.Task, Turn: c.Turn, By: c.By, At: c.At,
	}, true), nil
}

// version is the next version of a document, none if its bytes are those it has. Again
// says that bytes which could not be read are tried again.
func (s State) version(id string, e DocumentReceived, again bool) []Event {
	e.Document, e.Number = id, 1
	if d := s.Documents[id]; d != nil {
		again = again || d.Code == CodeTooManyAttempts || d.Code == CodeBytesLost
		if d.there() && (d.Status != Refused || !again) && d.Newest.Bytes == e.Bytes {
			return nil
		}
		e.Number = d.Number + 1
	}
	e.Version = VersionID(id, e.Number)
	return []Event{e}
}

// pending is the document a waiting version belongs to.
func (s State) pending(version string) *Document { return s.reading(s.of[version], version) }

func (s State) begin(c Begin) []Event {
	d := s.pending(c.Version)
	if d == nil {
		return nil
	}
	deaths := d.Deaths
	if d.Status == Reading && !c.Trouble {
		deaths++
	}
	if deaths >= MaxDeaths || d.Attempt >= MaxAttempts {
		return []Event{DocumentRefused{Document: d.ID, Version: c.Version, Code: CodeTooManyAttempts, Reason: "reading it was begun again and again, and never came to an end", Reader: ReaderVersion, At: c.At}}
	}
	return []Event{ReadingStarted{d.ID, c.Version, d.Attempt + 1, deaths, c.At}}
}

func (s State) progress(c Progress) []Event {
	d := s.pending(c.Version)
	if d == nil {
		return nil
	}
	return []Event{ReadingProgressed{d.ID, c.Version, c.Page, c.Of}}
}

func (s State) end(e Event) []Event {
	version := ""
	switch e := e.(type) {
	case DocumentIndexed:
		version = e.Version
	case DocumentEmpty:
		version = e.Version
	case DocumentRefused:
		version = e.Version
	}
	if s.pending(version) == nil {
		return nil
	}
	return []Event{e}
}

func (s State) reread(c Reread) []Event {
	var out []Event
	for _, id := range c.Documents {
		d := s.Documents[id]
		if d == nil || !d.stale() {
			continue
		}
		e := d.Newest
		e.Number, e.At = d.Number+1, c.At
		e.Version = VersionID(id, e.Number)
		out = append(out, e)
	}
	return out
}

func (s State) remove(c RemoveDocument) ([]Event, error) {
	d := s.Documents[c.Document]
	if d == nil {
		return nil, NotFound("document")
	}
	if d.Status == Removed {
		return nil, nil
	}
	return []Event{DocumentRemoved{Document: c.Document, By: c.By, At: c.At}}, nil
}

func (s State) removeTask(c RemoveTask) []Event {
	var out []Event
	for _, id := range s.seenIn(c.Task) {
		out = append(out, DocumentRemoved{id, c.By, c.At, c.Task})
	}
	return out
}

// seenIn are the documents with a version that was seen in a task, or was once.
func (s State) seenIn(task string) []string {
	found := map[string]bool{}
	for id, d := range s.Documents {
		if d.Newest.Task == task || d.Current.Task == task {
			found[id] = true
		}
	}
	for _, o := range s.old {
		if o.task == task {
			found[o.document] = true
		}
	}
	maps.DeleteFunc(found, func(id string, _ bool) bool { return s.Documents[id].Status == Removed })
	return slices.Sorted(maps.Keys(found))
}

func (s State) forget(c Forget) []Event {
	known := map[string]bool{}
	for _, o := range s.old {
		known[o.version] = true
	}
	versions := slices.DeleteFunc(slices.Clone(c.Versions), func(v string) bool { return !known[v] })
	if len(versions) == 0 {
		return nil
	}
	return []Event{VersionsForgotten{versions, c.At}}
}
