package usage

import (
	_ "embed"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

//go:embed tables.sql
var tables string

// pageSize of a catch-up: the sums of calls made side by side are written once a
// page, and a page is some ten megabytes. Twice the size was slower.
const pageSize = eventstore.MaxPage

// Projection is the read model for a Runner. It wants every event of the
// ledgers: one it does not know stops it, because it may be money.
var Projection = projections.Projection{
	Name:    "usage",
	Version: 2,
	Filter:  eventstore.Filter{Categories: []string{"usage"}, Types: usage.Codec.Names()},
	Tables:  tables,
	ReadAll: []string{"billing_reader"},
	Views: []string{
		"call", "call_correction",
		byQuarter, byDay, "call_rollup_model", "call_rollup_task", "call_rollup",
	},
	ReadPage: readPage,
	PageSize: pageSize,
	OnPoison: projections.Stop,
}

// readPage folds a page's events by call. A call that began in an earlier page
// waits for its row: Write has it.
func readPage(events []eventstore.Recorded) (projections.Rows, error) {
	decoded, err := decode(events)
	if err != nil {
		return nil, err
	}
	p := newPage(events)
	for i, e := range decoded {
		if err := p.add(e, &events[i]); err != nil {
			return nil, err
		}
	}
	p.encode()
	return p, nil
}

// decode reads events side by side: it is most of the work of a catch-up. One
// processor it leaves to the page before, which is being written.
func decode(events []eventstore.Recorded) ([]usage.Event, error) {
	const least = 64 // what is worth a goroutine
	out := make([]usage.Event, len(events))
	readers := max(1, runtime.GOMAXPROCS(0)-1)
	each := max(least, (len(events)+readers-1)/readers)
	var g errgroup.Group
	for from := 0; from < len(events); from += each {
		g.Go(func() (err error) {
			some := events[from:min(from+each, len(events))]
			r := newReader(some)
			for i := range some {
				if out[from+i], err = r.read(&some[i]); err != nil {
					return &projections.PoisonError{Event: some[i], Cause: err}
				}
			}
			return nil
		})
	}
	return out, g.Wait()
}

// page is what the events of a page mean.
type page struct {
	// calls that began in it, in order, and by id.
	began []*Call
	known map[string]*Call
	// later are events of calls that began before it.
	later       []laterEvent
	corrections []correction
	sums        rollup
	// adds are the statements that add the sums to all tables but the largest.
	adds *pgx.Batch

	// Rows, encoded. Facts are by month: they go to its partition. They have the
	// size of the page's events, about.
	facts           map[time.Time]*copyData
	size            int
	open, corrected copyData
}

type laterEvent struct {
	call  string
	event usage.Event
	at    *eventstore.Recorded
}

func newPage(events []eventstore.Recorded) *page {
	p := &page{known: make(map[string]*Call, len(events)/2), sums: rollup{}, facts: map[time.Time]*copyData{}}
	for i := range events {
		p.size += len(events[i].Data)
	}
	return p
}

func (p *page) add(event usage.Event, at *eventstore.Recorded) error {
	id := callOf(event)
	c := p.known[id]
	if began := started(event, at); began != nil {
		if c != nil {
			return poison(at, "call %s begins twice", id)
		}
		p.began, p.known[id] = append(p.began, began), began
		return nil
	}
	if c == nil {
		p.later = append(p.later, laterEvent{id, event, at})
		return nil
	}
	return p.evolve(c, event, at)
}

// evolve folds an event into a call, and notes the correction if it is one.
func (p *page) evolve(c *Call, event usage.Event, at *eventstore.Recorded) error {
	if e, ok := event.(usage.UsageCorrected); ok {
		p.corrections = append(p.corrections, correctionOf(*c, e, at))
	}
	return c.evolve(event, at)
}

// encode makes rows of the calls that began in the page: they need nothing from
// the database, so it is done while that is busy.
func (p *page) encode() {
	for _, c := range p.began {
		p.sums.add(c, 1)
		p.put(c)
	}
	p.adds = p.sums.adds()
}

// put adds a call's row to those of the calls with a bill or of those without.
func (p *page) put(c *Call) {
	if c.State == Open {
		p.open.call(c)
		return
	}
	month := monthOf(c.StartedAt)
	if p.facts[month] == nil {
		p.facts[month] = newRows(p.size)
	}
	p.facts[month].call(c)
}

func poison(at *eventstore.Recorded, format string, args ...any) error {
	return &projections.PoisonError{Event: *at, Cause: fmt.Errorf(format, args...)}
}
