package postgres

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
)

// notes is a table of somebody else's in the log's database.
func notes(t *testing.T, url string) (count func() int) {
	t.Helper()
	c := connect(t, url)
	mustExec(t, c, `create table notes (note text primary key)`)
	return func() (n int) {
		t.Helper()
		if err := c.QueryRow(t.Context(), `select count(*) from notes`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
}

var errTaken = errors.New("the note is taken")

func note(text string, done func(int64)) Statement {
	return Statement{SQL: `insert into notes values ($1)`, Args: []any{text}, Order: text, Refused: errTaken, Done: done}
}

func TestAppendAlong_isOneCommit(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url, Options{Timeout: patience})
	count := notes(t, url)
	for _, n := range []string{"known", "unknown"} { // by memory of the stream, and by looking
		stream := "task-" + n
		if n == "known" {
			mustAppend(t, s, stream, eventstore.NoStream, event())
		}
		at, before := headOfStream(t, s, stream), count()
		var rows int64
		in := events(2)
		along := Along{
			Statements: []Statement{note(n, func(r int64) { rows += r })},
			Beside:     []Beside{{Stream: "session-" + n, At: eventstore.NoStream, Events: events(2)}},
		}
		first, err := s.AppendAlong(t.Context(), stream, at, in, along)
		if err != nil || first.Revision != at+2 || rows != 1 || count() != before+1 || headOfStream(t, s, "session-"+n) != 1 {
			t.Fatalf("%s: %+v, %v; %d rows, %d notes", n, first, err, rows, count())
		}
		again, err := s.AppendAlong(t.Context(), stream, at, in, along)
		if err != nil || again != first || rows != 1 || headOfStream(t, s, "session-"+n) != 1 {
			t.Errorf("%s: the repeat gave %+v, %v; %d rows", n, again, err, rows)
		}
	}
}

func headOfStream(t testing.TB, s *Store, stream string) int64 {
	t.Helper()
	slice, err := s.ReadStream(t.Context(), stream, eventstore.ReadOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return slice.Head
}

func TestAppendAlong_refused(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url, Options{Timeout: patience})
	count := notes(t, url)
	for _, stream := range []string{"task-1", "task-2", "session-1"} {
		mustAppend(t, s, stream, eventstore.NoStream, events(2)...)
	}
	if _, err := s.AppendAlong(t.Context(), "task-1", 1, events(1), Along{Statements: []Statement{note("taken", nil)}}); err != nil {
		t.Fatal(err)
	}
	before, head := count(), headOf(t, s)
	for name, c := range map[string]struct {
		stream string
		at     int64
		along  Along
		want   error
	}{
		"by a statement":                      {"task-1", 2, Along{Statements: []Statement{note("new", nil), note("taken", nil)}}, errTaken},
		"by a stream beside it that went on":  {"task-1", 2, Along{Statements: []Statement{note("new", nil)}, Beside: []Beside{{Stream: "session-1", At: 0}}}, &eventstore.WrongRevisionError{Stream: "session-1", Expected: 0, Actual: 1}},
		"by a stream beside it that is there": {"task-3", -1, Along{Beside: []Beside{{Stream: "session-1", At: -1, Events: events(1)}}}, &eventstore.WrongRevisionError{Stream: "session-1", Expected: -1, Actual: 1}},
		"by its own stream":                   {"task-1", 1, Along{Statements: []Statement{note("new", nil)}}, &eventstore.WrongRevisionError{Stream: "task-1", Expected: 1, Actual: 2}},
		"by its own stream, looked at":        {"task-2", 0, Along{Statements: []Statement{note("new", nil)}, Beside: []Beside{{Stream: "session-2", At: -1, Events: events(1)}}}, &eventstore.WrongRevisionError{Stream: "task-2", Expected: 0, Actual: 1}},
	} {
		_, err := s.AppendAlong(t.Context(), c.stream, c.at, events(1), c.along)
		var wrong *eventstore.WrongRevisionError
		if errors.As(c.want, &wrong) {
			var got *eventstore.WrongRevisionError
			if !errors.As(err, &got) || cmp.Diff(wrong, got) != "" {
				t.Errorf("refused %s with %v, want %v", name, err, c.want)
			}
		} else if !errors.Is(err, c.want) {
			t.Errorf("refused %s with %v, want %v", name, err, c.want)
		}
	}
	if count() != before || headOf(t, s) != head || headOfStream(t, s, "session-2") != eventstore.NoRevision {
		t.Errorf("what was refused left %d notes and %d events", count()-before, headOf(t, s)-head)
	}
}

// Of appends that are committed together one that is refused takes no other with it, and
// each has what goes along with it.
func TestAppendAlong_inABatch(t *testing.T) {
	t.Parallel()
	url := database(t)
	s := open(t, url, Options{Timeout: patience})
	count := notes(t, url)
	const callers = 20
	errs := make([]error, callers)
	gather(t, s, url, callers, func() {
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				text := strconv.Itoa(i)
				if i%5 == 4 {
					text = "0" // that of the first
				}
				_, errs[i] = s.AppendAlong(bounded(t), fmt.Sprintf("task-%d", i), eventstore.NoStream, events(1), Along{
					Statements: []Statement{note(text, nil)},
					Beside:     []Beside{{Stream: fmt.Sprintf("session-%d", i/2), At: eventstore.NoStream, Events: events(1)}},
				})
			})
		}
		all.Wait()
	})
	added := 0
	for i, err := range errs {
		var wrong *eventstore.WrongRevisionError
		if err == nil {
			added++
		} else if !errors.Is(err, errTaken) && !errors.As(err, &wrong) {
			t.Errorf("caller %d was told %v", i, err)
		}
		if there := headOfStream(t, s, fmt.Sprintf("task-%d", i)) == 0; there != (err == nil) {
			t.Errorf("caller %d was told %v, and its event is there: %v", i, err, there)
		}
	}
	// One of each pair begins their session; of those with the same note, one has it.
	if added != count() || added < callers/2-3 || added > callers/2 {
		t.Errorf("%d appends and %d notes", added, count())
	}
}
