package knowledge

import (
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Status says how a document stands.
type Status string

// The statuses. All but the first two are ends.
const (
	Waiting   Status = "waiting"
	Reading   Status = "reading"
	Indexed   Status = "indexed"
	Empty     Status = "empty"
	Refused   Status = "refused"
	Removed   Status = "removed"
	Withdrawn Status = "withdrawn"
)

// Statuses are all of them.
var Statuses = []Status{Waiting, Reading, Indexed, Empty, Refused, Removed, Withdrawn}

// State is a source. Evolve takes a state over: a source may have ten thousand documents,
// which are not copied for each event.
type State struct {
	SourceAdded
	Exists, Removed, Forgotten bool
	// Documents are by id.
	Documents map[string]*Document
	// Waiting are versions to be read, in the order they came.
	Waiting []string
	// Crawl is the newest, nil before the first.
	Crawl *Crawl
	// old are versions that are not found any more.
	old []oldVersion
	// uses counts the versions that have the same bytes.
	uses map[string]int
	// of says which document a waiting version belongs to.
	of map[string]string
}

// Document is one of the source.
type Document struct {
	ID, Path string
	Status   Status
	// Number and Newest are the version that came last, Current the one that can be
	// found, "" for none.
	Number  int
	Newest  DocumentReceived
	Current DocumentReceived
	// Code is why the newest version was refused. Barred: somebody deleted it.
	Code   string
	Barred bool
	// Attempt counts how often reading the newest version was begun, Deaths how often
	// nobody heard of it any more.
	Attempt, Deaths int
	// Reader is the ReaderVersion the newest version was read with, once it was.
	Reader int
	// ETag and LastModified are the validators of the newest bytes.
	ETag, LastModified string
	// SeenIn is the generation that saw it last.
	SeenIn int
}

// Crawl is a generation.
type Crawl struct {
	Generation int
	Running    bool
	// Frontier are the pages to visit, the next one first.
	Frontier []Found
	// Dropped counts pages there was no room for.
	Dropped int
	Visits  map[Outcome]int
	// Why is what stood against the last page that could not be received.
	Why string
	// Failing counts the visits in a row that met trouble.
	Failing int
	// FinishedAt is when it ended.
	FinishedAt time.Time
	missed     bool            // a page with a document met trouble: where it leads is not known
	room       int             // bytes of addresses it may still remember
	known      map[string]bool // by document id
	lost       []string        // documents that are gone or not for us
}

// Found is a page of the frontier.
type Found struct {
	URL   string
	Depth int
	// Tries counts the visits that met trouble.
	Tries int
}

type oldVersion struct {
	document, version, bytes, task string
	since                          time.Time
	now                            bool // to be forgotten without waiting
}

// Decider is the aggregate.
var Decider = domain.Decider[State, Command, Event]{
	Initial: func() State { return State{} },
	Decide:  Decide,
	Evolve:  Evolve,
}

// Evolve applies an event. The state it is given must not be used afterwards.
func Evolve(s State, e Event) State {
	switch e := e.(type) {
	case SourceAdded:
		s.SourceAdded, s.Exists = e, true
		s.Documents, s.uses, s.of = map[string]*Document{}, map[string]int{}, map[string]string{}
	case SourceRemoved:
		s.Removed, s.Waiting = true, nil
	case SourceForgotten:
		s.Forgotten = true
	case CrawlStarted:
		s.Crawl = &Crawl{Generation: e.Generation, Running: true, Visits: map[Outcome]int{}, known: map[string]bool{}, room: maxFrontier}
	case PagesFound:
		s.found(e)
	case PageVisited:
		s.visited(e)
	case CrawlFinished:
		if s.Crawl != nil {
			s.Crawl.Running, s.Crawl.FinishedAt, s.Crawl.Frontier, s.Crawl.known = false, e.At, nil, nil
		}
	case VersionsForgotten:
		s.forgotten(e.Versions)
	default:
		s.document(e)
	}
	return s
}

// document applies an event of a document.
func (s *State) document(e Event) {
	switch e := e.(type) {
	case DocumentReceived:
		s.received(e)
	case ReadingStarted:
		if d := s.reading(e.Document, e.Version); d != nil {
			d.Attempt, d.Deaths, d.Status = e.Attempt, e.Deaths, Reading
		}
	case DocumentIndexed:
		if d := s.reading(e.Document, e.Version); d != nil {
			s.replace(d, Indexed, e.At)
			d.Reader = e.Reader
		}
	case DocumentEmpty:
		if d := s.reading(e.Document, e.Version); d != nil {
			s.replace(d, Empty, e.At)
			d.Reader = e.Reader
		}
	case DocumentRefused:
		if d := s.reading(e.Document, e.Version); d != nil {
			s.notWaiting(e.Version)
			d.Status, d.Code, d.Reader = Refused, e.Code, e.Reader
			s.retire(d.Newest, e.At, false)
		}
	case DocumentRemoved:
		s.drop(e.Document, Removed, e.At)
		if d := s.Documents[e.Document]; d != nil {
			d.Barred = e.Task == ""
		}
	case DocumentsWithdrawn:
		for _, id := range e.Documents {
			s.drop(id, Withdrawn, e.At)
		}
	}
}

// reading is the document whose newest version is v and has not come to an end.
func (s *State) reading(id, v string) *Document {
	d := s.Documents[id]
	if d == nil || d.Newest.Version != v || d.Status != Waiting && d.Status != Reading {
		return nil
	}
	return d
}

func (s *State) received(e DocumentReceived) {
	d := s.Documents[e.Document]
	if d == nil {
		d = &Document{ID: e.Document}
		s.Documents[e.Document] = d
	}
	if d.Status == Waiting || d.Status == Reading {
		s.notWaiting(d.Newest.Version)
		s.retire(d.Newest, e.At, true)
	}
	d.Path, d.Number, d.Newest, d.Status, d.Attempt, d.Deaths = e.Path, e.Number, e, Waiting, 0, 0
	d.Code, d.Barred = "", false
	s.uses[e.Bytes]++
	s.Waiting, s.of[e.Version] = append(s.Waiting, e.Version), e.Document
}

func (s *State) notWaiting(version string) {
	delete(s.of, version)
	if i := slices.Index(s.Waiting, version); i >= 0 {
		s.Waiting = slices.Delete(s.Waiting, i, i+1)
	}
}

// replace makes the newest version the current one.
func (s *State) replace(d *Document, to Status, at time.Time) {
	s.notWaiting(d.Newest.Version)
	if d.Current.Version != "" {
		s.retire(d.Current, at, false)
	}
	d.Current, d.Status = d.Newest, to
}

// retire notes a version that is of no use any more. At once says that it is forgotten
// without waiting: it was never found, or somebody wants it gone.
func (s *State) retire(v DocumentReceived, at time.Time, atOnce bool) {
	s.old = append(s.old, oldVersion{v.Document, v.Version, v.Bytes, v.Task, at, atOnce})
}

// drop takes a document away. What somebody removed is forgotten at once, older versions
// included.
func (s *State) drop(id string, to Status, at time.Time) {
	d := s.Documents[id]
	if d == nil {
		return
	}
	atOnce := to == Removed
	if d.Current.Version != "" {
		s.retire(d.Current, at, atOnce)
	}
	if (d.Status == Waiting || d.Status == Reading) && d.Newest.Version != d.Current.Version {
		s.notWaiting(d.Newest.Version)
		s.retire(d.Newest, at, true)
	}
	if atOnce {
		for i := range s.old {
			s.old[i].now = s.old[i].now || s.old[i].document == id
		}
	}
	d.Status, d.Current, d.ETag, d.LastModified = to, DocumentReceived{}, "", ""
}

func (s *State) forgotten(versions []string) {
	gone := map[string]bool{}
	for _, v := range versions {
		gone[v] = true
	}
	s.old = slices.DeleteFunc(s.old, func(o oldVersion) bool {
		if !gone[o.version] {
			return false
		}
		if s.uses[o.bytes]--; s.uses[o.bytes] <= 0 {
			delete(s.uses, o.bytes)
		}
		return true
	})
}

func (s *State) found(e PagesFound) {
	if s.Crawl == nil {
		return
	}
	lists := s.Kind == Sitemap && e.Depth == 0 // the address stands for a list, not for its page
	for _, url := range e.Pages {
		if !lists {
			s.Crawl.known[DocumentID(s.Source, url)] = true
		}
		s.Crawl.Frontier = append(s.Crawl.Frontier, Found{URL: url, Depth: e.Depth})
		s.Crawl.room -= len(url)
	}
	s.Crawl.Dropped += e.Dropped
}

func (s *State) visited(e PageVisited) {
	c := s.Crawl
	if c == nil || len(c.Frontier) == 0 {
		return
	}
	at := c.Frontier[0]
	c.Frontier = c.Frontier[1:]
	c.Visits[e.Outcome]++
	c.Failing++
	if e.Reason != "" {
		c.Why = e.Reason
	}
	switch e.Outcome {
	case Postponed:
		at.Tries++
		c.Frontier = append(c.Frontier, at)
		return
	case Failed:
	default:
		c.Failing = 0
	}
	d := s.Documents[e.Document]
	switch {
	case e.Outcome == Gone || e.Outcome == LeftOut || e.Outcome == Redirected:
		c.lost = append(c.lost, e.Document)
	case d != nil:
		d.SeenIn = e.Generation
		c.missed = c.missed || e.Outcome == Failed && d.there()
	}
	if d != nil && (e.Outcome == Received || e.Outcome == Unchanged) {
		d.ETag, d.LastModified = e.ETag, e.LastModified
	}
}
