package archive

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/eventstore"
)

func drawEvents(t *rapid.T) (events []eventstore.Recorded) {
	positions := rapid.SliceOfNDistinct(rapid.Int64Range(1, 1<<40), 1, 300, rapid.ID).Draw(t, "positions")
	payload := rapid.SliceOfN(rapid.Byte(), 0, 60)
	for i, position := range positions {
		e := eventstore.Recorded{
			ID: uuid.NewString(), Stream: fmt.Sprintf("task-%d", i/20), Type: fmt.Sprintf("test.happened%d.v1", i%3),
			Revision: int64(i % 20), Position: position,
			RecordedAt: time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "recorded")).UTC(),
			Data:       payload.Draw(t, "data"),
		}
		if meta := payload.Draw(t, "meta"); len(meta) > 0 {
			e.Meta = meta
		}
		if rapid.IntRange(0, 50).Draw(t, "large") == 0 {
			e.Data = bytes.Repeat([]byte("large "), 60_000)
		}
		events = append(events, e)
	}
	return events
}

func write(t interface{ Fatal(...any) }, events []eventstore.Recorded) (*Segment, []byte) {
	w := NewWriter("a-log.2.word")
	for _, e := range events {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	content, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(content)
	if err != nil {
		t.Fatal(err)
	}
	return s, content
}

// Whatever is written comes back, from every row on and in the order of positions.
func TestSegment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawEvents(t)
		s, _ := write(t, in)
		if s.Log() != "a-log.2.word" || s.Rows() != int64(len(in)) {
			t.Fatalf("the segment is of %s and has %d rows, want %d", s.Log(), s.Rows(), len(in))
		}
		from := rapid.IntRange(0, len(in)).Draw(t, "from")
		n := rapid.IntRange(0, len(in)-from).Draw(t, "n")
		var got []eventstore.Recorded
		err := s.Read(int64(from), int64(n), func(e eventstore.Recorded) bool { got = append(got, e); return true })
		same(t, in[from:from+n], got, err)
		got = nil
		if n > 1 {
			err = s.Read(int64(from), int64(n), func(e eventstore.Recorded) bool { got = append(got, e); return len(got) < n/2 })
			same(t, in[from:from+max(n/2, 1)], got, err)
		}

		after := rapid.SampledFrom(in).Draw(t, "after").Position
		limit := rapid.IntRange(1, len(in)+1).Draw(t, "limit")
		var want []eventstore.Recorded
		for _, e := range in {
			if e.Position > after {
				want = append(want, e)
			}
		}
		slices.SortFunc(want, func(a, b eventstore.Recorded) int { return int(a.Position - b.Position) })
		got, last, err := s.After(after, limit)
		same(t, want[:min(limit, len(want))], got, err)
		if last != (len(want) <= limit) {
			t.Fatalf("last is %v with %d events and a limit of %d", last, len(want), limit)
		}
	})
}

func same(t *rapid.T, want, got []eventstore.Recorded, err error) {
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != len(got) {
		t.Fatalf("%d events, want %d", len(got), len(want))
	}
	for i := range want {
		w, g := want[i], got[i]
		if !bytes.Equal(w.Data, g.Data) || !bytes.Equal(w.Meta, g.Meta) || (w.Meta == nil) != (g.Meta == nil) {
			t.Fatalf("event %d has other data", i)
		}
		w.Data, w.Meta, g.Data, g.Meta = nil, nil, nil, nil
		if diff := cmp.Diff(w, g); diff != "" {
			t.Fatalf("event %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestSegment_outsideOfIt(t *testing.T) {
	t.Parallel()
	s, content := write(t, []eventstore.Recorded{{ID: uuid.NewString(), Stream: "task-1", Type: "t", Position: 1}})
	for _, c := range [][2]int64{{-1, 1}, {0, 2}, {1, 1}, {2, 0}, {0, -1}} {
		if err := s.Read(c[0], c[1], func(eventstore.Recorded) bool { return true }); err == nil {
			t.Errorf("rows %v were read", c)
		}
	}
	for name, content := range map[string][]byte{"nothing": nil, "half": content[:len(content)/2], "text": []byte("no parquet at all, but long enough")} {
		if _, err := Parse(content); err == nil {
			t.Errorf("%s is taken for a segment", name)
		}
	}
	if err := NewWriter("log").Write(eventstore.Recorded{ID: "no id"}); err == nil {
		t.Error("an event without an id was written")
	}
}

// A later version may write what this one cannot read.
func TestParse_aLaterFormat(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "0", "", "x"} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, parquet.KeyValueMetadata(formatKey, version))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(b.Bytes()); err == nil {
			t.Errorf("format %q is read", version)
		}
	}
}

// A segment is as large as may be held in memory, and its rows are in groups that are read one at a time.
func TestWriter_isBounded(t *testing.T) {
	t.Parallel()
	w := NewWriter("log")
	n := 0
	for ; w.HasRoom(); n++ {
		err := w.Write(eventstore.Recorded{ID: uuid.NewString(), Stream: "task-1", Type: "t", Revision: int64(n), Position: int64(n + 1), Data: bytes.Repeat([]byte{byte(n)}, 10_000)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if size := n * 10_000; size < MaxBytes-20_000 || size > MaxBytes+20_000 {
		t.Errorf("a segment took %d bytes", size)
	}
	content, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if groups := len(f.RowGroups()); groups < 16 || groups > 18 {
		t.Errorf("it has %d row groups", groups)
	}
	small := NewWriter("log")
	for n = 0; small.HasRoom(); n++ {
		if err := small.Write(eventstore.Recorded{ID: uuid.NewString(), Stream: "s", Type: "t", Position: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if n != MaxEvents {
		t.Errorf("a segment took %d events", n)
	}
}
