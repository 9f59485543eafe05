package main

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
	"github.com/stepledger/stepledger/eventstore/feed"
	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/consumer"
)

// archivedLog is a log whose streams can be moved to an archive.
type archivedLog interface {
	Archive(ctx context.Context, streams []string) (postgres.ArchiveReport, error)
	ArchiveStats(ctx context.Context) (postgres.ArchiveStats, error)
	VerifyArchive(ctx context.Context, after int64) iter.Seq2[postgres.Segment, error]
	SweepArchive(ctx context.Context) (removed int, bytes int64, err error)
	Scavenge(ctx context.Context, limit int) (int64, error)
}

// archiving is the archive of the log. Its zero value is a system without one.
type archiving struct {
	place archive.Place // nil without one
	// log is nil where the log keeps an archive of its own.
	log archivedLog
	archiveMetrics
}

// on reports whether there is an archive.
func (a archiving) on() bool { return a.place != nil }

// Archive implements commands.StreamArchive.
func (a archiving) Archive(ctx context.Context, streams []string) (commands.Archived, error) {
	r, err := a.log.Archive(ctx, streams)
	moved := commands.Archived{Streams: int64(r.Streams), Events: int64(r.Events), Bytes: r.Bytes}
	a.streams.Add(float64(moved.Streams))
	a.events.Add(float64(moved.Events))
	a.bytes.Add(float64(moved.Bytes))
	return moved, err
}

// archiveEvery is how often ended tasks are looked for. What ends in a day goes together, so
// most looks find nothing.
const archiveEvery = 10 * time.Minute

// archiveEnded archives what has ended until ctx ends, in one process at a time.
func (s *system) archiveEnded(ctx context.Context) {
	if !s.archived.on() {
		return
	}
	tick := time.NewTicker(archiveEvery)
	defer tick.Stop()
	for {
		more, err := s.archiveLed(ctx, time.Now())
		if err != nil && ctx.Err() == nil {
			s.log.Error("what has ended could not be archived; it is tried again", "error", err, "in", archiveEvery)
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// archiveLed archives if this process has that duty, for a limited time; more says that it
// was not enough.
func (s *system) archiveLed(ctx context.Context, now time.Time) (more bool, err error) {
	leads, err := s.alive.Leads(ctx, "archive")
	if err != nil || !leads {
		return false, err
	}
	limited, cancel := context.WithTimeout(ctx, jobWithin)
	defer cancel()
	done, err := s.archiveBefore(limited, archivedBefore(now, s.cfg.Archive.AfterDays))
	more = ctx.Err() == nil && limited.Err() != nil
	switch {
	case errors.Is(err, errTakenOver):
		return false, nil
	case more && done.Streams == 0:
		more, err = false, errSlowArchive
		s.archived.failed.Inc()
	case more:
		err = nil
	case err != nil:
		s.archived.failed.Inc()
	default:
		s.archived.last.WithLabelValues().SetToCurrentTime()
	}
	if done.Streams > 0 {
		s.log.Info("ended tasks were archived", "streams", done.Streams, "events", done.Events, "bytes", done.Bytes, "more", more)
	}
	return more, err
}

// errSlowArchive: a run had its time and moved nothing.
var errSlowArchive = errors.New("a run moved nothing in the time it has")

// errNotFinished: a version that knows no archive gives the revisions of archived events
// again, and takes a task for one that began with its last event.
var errNotFinished = domain.Errorf(domain.Invalid, domain.CodeValidation,
	"nothing is archived while a process of the version before may run or come back: stepledger migrate --finish says that none will, to processes that start after it")

// archiveBefore archives what ended before a time.
func (s *system) archiveBefore(ctx context.Context, before time.Time) (commands.Archived, error) {
	if !s.content.Finished() {
		return commands.Archived{}, errNotFinished
	}
	return commands.ArchiveEnded{
		Log: s.events, Feed: s.events, Place: s.archived, Cursor: s.archiveCursor(), Passed: s.followedTo,
	}.Run(ctx, before)
}

// followedTo is the position that all read models and consumers have come to.
func (s *system) followedTo(ctx context.Context) (int64, error) {
	to, err := s.events.Head(ctx)
	if err != nil {
		return 0, err
	}
	models, err := s.runner.Health(ctx)
	if err != nil {
		return 0, err
	}
	for _, m := range models {
		to = min(to, m.Position)
	}
	consumers, err := s.feed.Status(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range consumers {
		to = min(to, c.Position)
	}
	return to, nil
}

// archiveCursor is kept beside the checkpoints of the consumers, whose rules it has: it
// follows the log into a new epoch, and of two who move it only the last to begin can.
type archiveCursor struct {
	keeper consumer.Store
	log    eventstore.Feed
	as     feed.Consumer
	term   int64
}

func (s *system) archiveCursor() *archiveCursor {
	return &archiveCursor{keeper: consumer.Store{DB: s.db}, log: s.events}
}

// Names of the cursor's row.
const (
	archiveConsumer = "archive"
	archiveTopic    = "ended"
)

// errTakenOver: another process goes on with what this one was at.
var errTakenOver = errors.New("another process archives")

// At implements commands.ArchiveCursor.
func (c *archiveCursor) At(ctx context.Context) (int64, error) {
	id, err := c.log.ID(ctx)
	if err != nil {
		return 0, err
	}
	stood, err := c.keeper.At(ctx, archiveConsumer)
	if err != nil {
		return 0, err
	}
	past, err := c.log.Past(ctx, stood.Log)
	if err != nil {
		return 0, err
	}
	c.as = feed.Consumer{Name: archiveConsumer, Topic: archiveTopic, Log: id, Was: stood.Log, Past: past}
	claimed, err := c.keeper.Claim(ctx, c.as)
	c.term = claimed.Term
	return claimed.Position, err
}

// Move implements commands.ArchiveCursor.
func (c *archiveCursor) Move(ctx context.Context, position int64) error {
	err := c.keeper.Save(ctx, c.as, c.term, position)
	if lost := new(feed.LostError); errors.As(err, &lost) {
		return errTakenOver
	}
	return err
}

// archiveMetrics are what this process moved to the archive, and how it went.
type archiveMetrics struct {
	streams, events, bytes, failed prometheus.Counter
	// last has no labels: it is not there before there was a run.
	last        *prometheus.GaugeVec
	failedCalls *prometheus.CounterVec
}

func newArchiveMetrics(r prometheus.Registerer) archiveMetrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "stepledger_archive_" + name, Help: help})
	}
	m := archiveMetrics{
		streams:     counter("streams_total", "Streams of which events were moved to the archive by this process."),
		events:      counter("events_total", "Events that were moved to the archive by this process."),
		bytes:       counter("bytes_total", "Bytes of the segments that this process has written to the archive."),
		failed:      counter("errors_total", "Runs of the archive that failed; the next goes on."),
		last:        prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "stepledger_archive_last_run_timestamp_seconds", Help: "When all that had ended long enough ago was last found archived, or was; one process at a time looks."}, nil),
		failedCalls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stepledger_archive_place_errors_total", Help: "Calls to the place of the archive that failed, tries included: reads of what was archived among them."}, []string{"op"}),
	}
	for _, op := range []string{"read", "write"} {
		m.failedCalls.WithLabelValues(op)
	}
	r.MustRegister(m.streams, m.events, m.bytes, m.failed, m.last, m.failedCalls)
	return m
}

// countedPlace counts what fails.
type countedPlace struct {
	archive.Place
	failed *prometheus.CounterVec
}

func (p countedPlace) note(ctx context.Context, op string, err error) {
	if err != nil && ctx.Err() == nil {
		p.failed.WithLabelValues(op).Inc()
	}
}

// Put implements archive.Place.
func (p countedPlace) Put(ctx context.Context, name string, content []byte) error {
	err := p.Place.Put(ctx, name, content)
	p.note(ctx, "write", err)
	return err
}

// Get implements archive.Place.
func (p countedPlace) Get(ctx context.Context, name string) ([]byte, error) {
	content, err := p.Place.Get(ctx, name)
	p.note(ctx, "read", err)
	return content, err
}
