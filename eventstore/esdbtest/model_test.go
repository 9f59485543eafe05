package esdbtest_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// model is what the streams should hold, by the rules alone: a list of ids a
// stream, from the first event ever.
type model struct {
	client  *esdb.Client
	streams map[string]*modelStream
	log     []string             // "stream@revision" in the order of the appends
	first   map[uuid.UUID]string // the stream an id was first appended to
}

type modelStream struct {
	ids     []uuid.UUID
	placed  map[int]uint64 // positions, by revision
	from    int            // events below are hidden
	keep    int            // the last that are shown, 0 for all
	isGone  bool
	isEnded bool
	hasMeta bool
}

var modelNames = []string{"a-1", "a-2", "b-1"}

func (m *model) stream(t *rapid.T) (string, *modelStream) {
	name := rapid.SampledFrom(modelNames).Draw(t, "stream")
	return name, m.streams[name]
}

// expect draws an expectation, the right one more often than others.
func (s *modelStream) expect(t *rapid.T) esdb.ExpectedRevision {
	last := len(s.ids) - 1
	switch rapid.SampledFrom([]string{"right", "right", "any", "none", "exists", "revision"}).Draw(t, "expected") {
	case "any":
		return esdb.Any{}
	case "none":
		return esdb.NoStream{}
	case "exists":
		return esdb.StreamExists{}
	case "revision":
		return esdb.Revision(uint64(rapid.IntRange(0, last+2).Draw(t, "revision")))
	}
	if last < 0 {
		return esdb.NoStream{}
	}
	return esdb.Revision(uint64(last))
}

// verdict is what an append should come to: a code, or the revision of its last
// event and whether that is an old one.
func (m *model) verdict(name string, expected esdb.ExpectedRevision, ids []uuid.UUID) (code esdb.ErrorCode, last int, isRepeat bool) {
	s := m.streams[name]
	const ok, wrong, deleted = esdb.ErrorCode(-1), esdb.ErrorCodeWrongExpectedVersion, esdb.ErrorCodeStreamDeleted
	if s.isEnded {
		return deleted, 0, false
	}
	pinned := len(s.ids)
	switch e := expected.(type) {
	case esdb.StreamExists:
		if s.isGone {
			return deleted, 0, false
		}
		if len(s.ids) == 0 && !s.hasMeta {
			return wrong, 0, false
		}
		return m.anywhere(name, ids)
	case esdb.Any:
		return m.anywhere(name, ids)
	case esdb.NoStream:
		pinned = 0
	case esdb.StreamRevision:
		pinned = int(e.Value) + 1
	}
	switch {
	case pinned == len(s.ids):
		return ok, len(s.ids) + len(ids) - 1, false
	case pinned > len(s.ids):
		return wrong, 0, false
	case pinned+len(ids) <= len(s.ids) && slices.Equal(s.ids[pinned:pinned+len(ids)], ids):
		return ok, pinned + len(ids) - 1, true
	case pinned == 0 && s.isGone && s.ids[0] != ids[0]:
		return ok, len(s.ids) + len(ids) - 1, false
	default:
		return wrong, 0, false
	}
}

func (m *model) anywhere(name string, ids []uuid.UUID) (code esdb.ErrorCode, last int, isRepeat bool) {
	s := m.streams[name]
	known := func(id uuid.UUID) bool { return m.first[id] == name }
	switch {
	case !known(ids[0]):
		return -1, len(s.ids) + len(ids) - 1, false
	case slices.ContainsFunc(ids, func(id uuid.UUID) bool { return !known(id) }):
		return esdb.ErrorCodeWrongExpectedVersion, 0, false
	default:
		return -1, slices.Index(s.ids, ids[len(ids)-1]), true
	}
}

// draw gives ids for an append: new ones, or some that were used before.
func (m *model) draw(t *rapid.T, s *modelStream) []uuid.UUID {
	ids := make([]uuid.UUID, rapid.IntRange(1, 3).Draw(t, "events"))
	for i := range ids {
		ids[i] = uuid.New()
	}
	from := s
	if rapid.IntRange(0, 9).Draw(t, "elsewhere") == 0 {
		_, from = m.stream(t)
	}
	if len(from.ids) == 0 || rapid.Bool().Draw(t, "new") {
		return ids
	}
	i := rapid.IntRange(0, len(from.ids)-1).Draw(t, "known")
	n := copy(ids, from.ids[i:])
	if rapid.Bool().Draw(t, "only known") {
		return ids[:n]
	}
	return ids
}

func (m *model) append(t *rapid.T) {
	name, s := m.stream(t)
	expected, ids := s.expect(t), m.draw(t, s)
	list := make([]esdb.EventData, len(ids))
	for i, id := range ids {
		list[i] = esdb.EventData{EventID: id, EventType: "t", Data: []byte(`{}`), ContentType: esdb.ContentTypeJson}
	}
	code, last, isRepeat := m.verdict(name, expected, ids)
	r, err := m.client.AppendToStream(context.Background(), name, esdb.AppendToStreamOptions{ExpectedRevision: expected}, list...)
	if got := codeOrNone(err); got != code {
		t.Fatalf("append to %s expecting %v: code %d, want %d: %v", name, expected, got, code, err)
	}
	if err != nil {
		return
	}
	if int(r.NextExpectedVersion) != last {
		t.Fatalf("append to %s expecting %v: revision %d, want %d", name, expected, r.NextExpectedVersion, last)
	}
	if isRepeat {
		want, known := s.placed[last]
		if s.isGone || last < s.oldest() {
			want, known = 0, true // the position of what is hidden is not told
		}
		if known && r.CommitPosition != want {
			t.Fatalf("repeat in %s: at %d, want %d", name, r.CommitPosition, want)
		}
		return
	}
	if s.isGone {
		s.isGone, s.from = false, len(s.ids)
	}
	for _, id := range ids {
		if _, known := m.first[id]; !known {
			m.first[id] = name
		}
		m.log = append(m.log, at(name, len(s.ids)))
		s.ids = append(s.ids, id)
	}
	s.placed[last] = r.CommitPosition
}

func at(stream string, revision int) string { return stream + "@" + strconv.Itoa(revision) }

func codeOrNone(err error) esdb.ErrorCode {
	if e, ok := errors.AsType[*esdb.Error](err); ok {
		return e.Code()
	}
	return -1
}

func (m *model) remove(t *rapid.T) {
	name, s := m.stream(t)
	_, err := m.client.DeleteStream(context.Background(), name, esdb.DeleteStreamOptions{ExpectedRevision: esdb.Any{}})
	if isThere := !s.isEnded && (len(s.ids) > 0 || s.hasMeta); (err == nil) != isThere {
		t.Fatalf("delete %s: %v", name, err)
	}
	if err == nil {
		s.isGone, s.hasMeta, s.keep = true, true, 0
	}
}

func (m *model) end(t *rapid.T) {
	name, s := m.stream(t)
	if rapid.IntRange(0, 19).Draw(t, "really") > 0 {
		return // or all would soon be over
	}
	_, err := m.client.TombstoneStream(context.Background(), name, esdb.TombstoneStreamOptions{ExpectedRevision: esdb.Any{}})
	if (err == nil) != !s.isEnded {
		t.Fatalf("tombstone %s: %v", name, err)
	}
	s.isEnded = true
}

func (m *model) retain(t *rapid.T) {
	name, s := m.stream(t)
	from, keep := rapid.IntRange(0, len(s.ids)+1).Draw(t, "from"), rapid.IntRange(0, 4).Draw(t, "keep")
	var meta esdb.StreamMetadata
	meta.SetTruncateBefore(uint64(from))
	meta.SetMaxCount(uint64(keep))
	_, err := m.client.SetStreamMetadata(context.Background(), name, esdb.AppendToStreamOptions{ExpectedRevision: esdb.Any{}}, meta)
	if (err == nil) != !s.isEnded {
		t.Fatalf("metadata of %s: %v", name, err)
	}
	if err != nil {
		return
	}
	if s.isGone {
		s.isGone, from = false, len(s.ids)
	}
	s.hasMeta, s.from, s.keep = true, from, keep
}

// oldest is the first revision that is shown.
func (s *modelStream) oldest() int {
	if s.keep > 0 {
		return max(s.from, len(s.ids)-s.keep)
	}
	return s.from
}

// check compares every stream, both ways, and the log.
func (m *model) check(t *rapid.T) {
	for name, s := range m.streams {
		for _, o := range []esdb.ReadStreamOptions{{From: esdb.Start{}}, {From: esdb.End{}, Direction: esdb.Backwards}} {
			r, err := m.client.ReadStream(context.Background(), name, o, everything)
			if err != nil {
				t.Fatal(err)
			}
			got, err := collect(r)
			want := esdb.ErrorCode(-1)
			switch {
			case s.isEnded:
				want = esdb.ErrorCodeStreamDeleted
			case s.isGone || len(s.ids) == 0:
				want = esdb.ErrorCodeResourceNotFound
			}
			if code := codeOrNone(err); code != want {
				t.Fatalf("read %s: code %d, want %d: %v", name, code, want, err)
			}
			if err != nil {
				continue
			}
			if o.Direction == esdb.Backwards {
				slices.Reverse(got)
			}
			ids := []uuid.UUID{}
			for _, e := range got {
				ids = append(ids, e.EventID)
			}
			shown := s.ids[min(s.oldest(), len(s.ids)):]
			if d := cmp.Diff(shown, ids); len(shown)+len(ids) > 0 && d != "" {
				t.Fatalf("%s: %s", name, d)
			}
		}
	}
	r, err := m.client.ReadAll(context.Background(), esdb.ReadAllOptions{From: esdb.Start{}}, everything)
	if err != nil {
		t.Fatal(err)
	}
	all, err := collect(r)
	if err != nil {
		t.Fatal(err)
	}
	var log []string
	for _, e := range all {
		if e.EventType == "t" {
			s := m.streams[e.StreamID]
			if placed, known := s.placed[int(e.EventNumber)]; known && placed != e.Position.Commit {
				t.Fatalf("%s was answered to be at %d and is at %d", at(e.StreamID, int(e.EventNumber)), placed, e.Position.Commit)
			}
			s.placed[int(e.EventNumber)] = e.Position.Commit
			log = append(log, at(e.StreamID, int(e.EventNumber)))
		}
	}
	if d := cmp.Diff(m.log, log); d != "" {
		t.Fatalf("$all: %s", d)
	}
}

// TestServer_model appends, deletes and hides at random and compares with what
// the rules say.
func TestServer_model(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{streams: map[string]*modelStream{}, first: map[uuid.UUID]string{}}
		for _, name := range modelNames {
			m.streams[name] = &modelStream{placed: map[int]uint64{}}
		}
		s := esdbtest.Start(t, esdbtest.Options{})
		defer s.Stop()
		m.client = connect(t, s)
		defer m.client.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"append": m.append, "append once more": m.append, "append again": m.append,
			"delete": m.remove, "tombstone": m.end, "metadata": m.retain, "look": m.check,
		})
		m.check(rt)
	})
}
