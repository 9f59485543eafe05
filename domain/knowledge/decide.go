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
