package storetest

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

func testBytes(t *testing.T, s suite) {
	store := s.Open(t)
	for name, data := range map[string]string{
		"spaces and order":    `{ "b" : 1,   "a":2, "b": 3 }`,
		"a number as written": `{"x":1.0, "y":1e400, "z":-0, "big":123456789012345678901234567890}`,
		"escapes":             `"\u00e4\/\ud83d\ude00 \u0000 \ud800"`,
		"plain unicode":       "{\"ä\":\"\u2028日本語😀\"}",
		"bytes not UTF-8":     "\"\xff\xfe\"",
		"a lone scalar":       `null`,
		"white space around":  "\n\t [ ] \r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := event("test.happened.v1")
			e.Data, e.Meta = json.RawMessage(data), json.RawMessage(data)
			stream := "bytes-" + uuid.NewString()
			mustAppend(t, store, stream, eventstore.NoStream, e)
			got := mustRead(t, store, stream, eventstore.ReadOptions{}).Events[0]
			if string(got.Data) != data || string(got.Meta) != data {
				t.Errorf("%q came back as %q and %q", data, got.Data, got.Meta)
			}
			mustAppend(t, store, stream, eventstore.NoStream, e) // still the same to the store
		})
	}
	t.Run("no metadata", func(t *testing.T) {
		t.Parallel()
		e := event("test.happened.v1")
		e.Meta = nil
		mustAppend(t, store, "bytes-none", eventstore.NoStream, e)
		if got := mustRead(t, store, "bytes-none", eventstore.ReadOptions{}).Events[0].Meta; len(got) != 0 {
			t.Errorf("metadata is %q", got)
		}
	})
}

func testReadStream(t *testing.T, s suite) {
	store, in := s.Open(t), events(10)
	mustAppend(t, store, "noise-1", eventstore.NoStream, events(5)...)
	r := mustAppend(t, store, "task-1", eventstore.NoStream, in...)
	mustAppend(t, store, "noise-1", 4, events(5)...)

	for name, c := range map[string]struct {
		o           eventstore.ReadOptions
		first, last int // of in; first > last reads backwards; -1 for none
		more        bool
	}{
		"everything":                   {eventstore.ReadOptions{}, 0, 9, false},
		"a page":                       {eventstore.ReadOptions{Limit: 4}, 0, 3, true},
		"a page in the middle":         {eventstore.ReadOptions{From: 4, Limit: 3}, 4, 6, true},
		"the last page":                {eventstore.ReadOptions{From: 7, Limit: 3}, 7, 9, false},
		"more than there is":           {eventstore.ReadOptions{From: 8, Limit: 5}, 8, 9, false},
		"from beyond the end":          {eventstore.ReadOptions{From: 10}, -1, -1, false},
		"from far beyond the end":      {eventstore.ReadOptions{From: 1 << 62, Limit: 1}, -1, -1, false},
		"backwards":                    {eventstore.ReadOptions{From: eventstore.End, Direction: eventstore.Backwards}, 9, 0, false},
		"the last event":               {eventstore.ReadOptions{From: eventstore.End, Limit: 1, Direction: eventstore.Backwards}, 9, 9, true},
		"backwards from the middle":    {eventstore.ReadOptions{From: 5, Limit: 3, Direction: eventstore.Backwards}, 5, 3, true},
		"backwards to the beginning":   {eventstore.ReadOptions{From: 2, Limit: 3, Direction: eventstore.Backwards}, 2, 0, false},
		"backwards from 0":             {eventstore.ReadOptions{Direction: eventstore.Backwards}, 0, 0, false},
		"backwards from beyond an end": {eventstore.ReadOptions{From: 99, Limit: 2, Direction: eventstore.Backwards}, 9, 8, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := mustRead(t, store, "task-1", c.o)
			wantIDs(t, got.Events, span(in, c.first, c.last)...)
			if got.More != c.more || got.Head != 9 || got.Position != r.Position {
				t.Errorf("more %v, head %d, position %d; want %v, 9, %d", got.More, got.Head, got.Position, c.more, r.Position)
			}
		})
	}
	t.Run("a stream that is not there is empty", func(t *testing.T) {
		t.Parallel()
		for _, d := range []eventstore.Direction{eventstore.Forwards, eventstore.Backwards} {
			got := mustRead(t, store, "task-2", eventstore.ReadOptions{Direction: d})
			if len(got.Events) != 0 || got.Head != eventstore.NoRevision || got.Position != 0 || got.More {
				t.Errorf("slice is %+v", got)
			}
		}
	})
	for name, o := range map[string]eventstore.ReadOptions{
		"a negative from is refused":         {From: -1},
		"from below the end is refused":      {From: -2, Direction: eventstore.Backwards},
		"a negative limit is refused":        {Limit: -1},
		"a limit beyond a page is refused":   {Limit: eventstore.MaxPage + 1},
		"a direction of no sense is refused": {Direction: 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := store.ReadStream(t.Context(), "task-1", o)
			wantInvalid(t, err)
		})
	}
	t.Run("a bad name is refused", func(t *testing.T) {
		t.Parallel()
		_, err := store.ReadStream(t.Context(), "$all", eventstore.ReadOptions{})
		wantInvalid(t, err)
	})
}

func span(in []eventstore.Proposed, first, last int) (out []eventstore.Proposed) {
	if first < 0 {
		return nil
	}
	for i := first; ; {
		out = append(out, in[i])
		switch {
		case i == last:
			return out
		case first < last:
			i++
		default:
			i--
		}
	}
}
