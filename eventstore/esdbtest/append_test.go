package esdbtest_test

import (
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// wrong tries an append that must be refused for its expectation.
func wrong(t *testing.T, c *esdb.Client, stream string, expected esdb.ExpectedRevision, list []esdb.EventData) {
	t.Helper()
	r, err := c.AppendToStream(t.Context(), stream, esdb.AppendToStreamOptions{ExpectedRevision: expected}, list...)
	if err == nil {
		t.Fatalf("append to %s was taken: %+v", stream, r)
	}
	if code := codeOf(t, err); code != esdb.ErrorCodeWrongExpectedVersion {
		t.Fatalf("append to %s: code %d, %v", stream, code, err)
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	_, c := start(t)

	t.Run("revisions count from 0 and positions rise by more than 1", func(t *testing.T) {
		t.Parallel()
		first := mustAppend(t, c, "counted", esdb.NoStream{}, events("a", "b"))
		second := mustAppend(t, c, "counted", esdb.Revision(1), events("c"))
		if first.NextExpectedVersion != 1 || second.NextExpectedVersion != 2 {
			t.Errorf("revisions %d and %d", first.NextExpectedVersion, second.NextExpectedVersion)
		}
		if first.CommitPosition != first.PreparePosition {
			t.Errorf("commit %d, prepare %d", first.CommitPosition, first.PreparePosition)
		}
		got, err := readStream(t, c, "counted", esdb.ReadStreamOptions{}, everything)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range got[1:] {
			if e.Position.Commit < got[i].Position.Commit+20 {
				t.Errorf("position %d follows %d", e.Position.Commit, got[i].Position.Commit)
			}
		}
		if at := got[2].Position.Commit; at != second.CommitPosition {
			t.Errorf("answered %d, stands at %d", second.CommitPosition, at)
		}
	})
	t.Run("what is expected is compared with the last revision", func(t *testing.T) {
		t.Parallel()
		wrong(t, c, "expected", esdb.Revision(0), events("a"))
		wrong(t, c, "expected", esdb.StreamExists{}, events("a"))
		mustAppend(t, c, "expected", esdb.NoStream{}, events("a"))
		wrong(t, c, "expected", esdb.NoStream{}, events("b"))
		wrong(t, c, "expected", esdb.Revision(1), events("b"))
		mustAppend(t, c, "expected", esdb.Revision(0), events("b"))
		wrong(t, c, "expected", esdb.Revision(0), events("c"))
		mustAppend(t, c, "expected", esdb.StreamExists{}, events("c"))
		if r := mustAppend(t, c, "expected", esdb.Any{}, events("d")); r.NextExpectedVersion != 3 {
			t.Errorf("revision %d", r.NextExpectedVersion)
		}
	})
	t.Run("data, metadata, type and id come back as they were", func(t *testing.T) {
		t.Parallel()
		sent := events("typed")
		sent[0].Data, sent[0].ContentType = []byte{0, 1, 255}, esdb.ContentTypeBinary
		mustAppend(t, c, "bytes", esdb.NoStream{}, sent)
		got, err := readStream(t, c, "bytes", esdb.ReadStreamOptions{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		e := got[0]
		if e.EventID != sent[0].EventID || e.EventType != "typed" || e.StreamID != "bytes" || e.ContentType != "application/octet-stream" {
			t.Errorf("%+v", e)
		}
		if d := cmp.Diff([][]byte{sent[0].Data, sent[0].Metadata}, [][]byte{e.Data, e.UserMetadata}); d != "" {
			t.Error(d)
		}
	})
	t.Run("a stream that got nothing is none", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "nothing", esdb.NoStream{}, nil)
		if _, err := readStream(t, c, "nothing", esdb.ReadStreamOptions{}, 1); codeOf(t, err) != esdb.ErrorCodeResourceNotFound {
			t.Error(err)
		}
		mustAppend(t, c, "nothing", esdb.NoStream{}, events("a"))
	})
}

func TestAppend_repeated(t *testing.T) {
	t.Parallel()
	_, c := start(t)
	// appended gives a stream of two events, and what was said of them.
	appended := func(t *testing.T, stream string, expected esdb.ExpectedRevision) ([]esdb.EventData, *esdb.WriteResult) {
		t.Helper()
		list := events("a", "b")
		return list, mustAppend(t, c, stream, expected, list)
	}
	// same wants the answer of the first time, and as many events as before.
	same := func(t *testing.T, stream string, expected esdb.ExpectedRevision, list []esdb.EventData, first *esdb.WriteResult, events int) {
		t.Helper()
		if d := cmp.Diff(first, mustAppend(t, c, stream, expected, list)); d != "" {
			t.Errorf("second answer: %s", d)
		}
		if got, err := readStream(t, c, stream, esdb.ReadStreamOptions{}, everything); err != nil || len(got) != events {
			t.Errorf("%d events, %v", len(got), err)
		}
	}

	t.Run("by revision and ids it has the first answer, whatever came since", func(t *testing.T) {
		t.Parallel()
		list, first := appended(t, "by-revision", esdb.NoStream{})
		same(t, "by-revision", esdb.NoStream{}, list, first, 2)
		mustAppend(t, c, "by-revision", esdb.Revision(1), events("c"))
		same(t, "by-revision", esdb.NoStream{}, list, first, 3)
	})
	t.Run("with any it is known by the ids alone", func(t *testing.T) {
		t.Parallel()
		list, first := appended(t, "by-ids", esdb.Any{})
		mustAppend(t, c, "by-ids", esdb.Any{}, events("c"))
		same(t, "by-ids", esdb.Any{}, list, first, 3)
		same(t, "by-ids", esdb.StreamExists{}, list, first, 3)
	})
	t.Run("of which a part is known is wrong", func(t *testing.T) {
		t.Parallel()
		list, _ := appended(t, "partly", esdb.NoStream{})
		longer := append(list, events("c")...)
		wrong(t, c, "partly", esdb.NoStream{}, longer)
		wrong(t, c, "partly", esdb.Any{}, longer)
	})
	t.Run("that begins with something new is new with any", func(t *testing.T) {
		t.Parallel()
		list, _ := appended(t, "new-first", esdb.NoStream{})
		if r := mustAppend(t, c, "new-first", esdb.Any{}, append(events("c"), list...)); r.NextExpectedVersion != 4 {
			t.Errorf("revision %d", r.NextExpectedVersion)
		}
	})
	t.Run("at the right revision it is appended again", func(t *testing.T) {
		t.Parallel()
		list, _ := appended(t, "again", esdb.NoStream{})
		if r := mustAppend(t, c, "again", esdb.Revision(1), list); r.NextExpectedVersion != 3 {
			t.Errorf("revision %d", r.NextExpectedVersion)
		}
	})
	t.Run("in another stream it is not known", func(t *testing.T) {
		t.Parallel()
		list, first := appended(t, "here", esdb.Any{})
		mustAppend(t, c, "there", esdb.Any{}, list)
		if r := mustAppend(t, c, "there", esdb.Any{}, list); r.NextExpectedVersion != 3 {
			t.Errorf("revision %d", r.NextExpectedVersion)
		}
		same(t, "here", esdb.Any{}, list, first, 2)
	})
	t.Run("is not told where its events are once they are hidden", func(t *testing.T) {
		t.Parallel()
		list, _ := appended(t, "hidden", esdb.NoStream{})
		var m esdb.StreamMetadata
		m.SetTruncateBefore(2)
		setMetadata(t, c, "hidden", m)
		r := mustAppend(t, c, "hidden", esdb.NoStream{}, list)
		if r.CommitPosition != 0 || r.NextExpectedVersion != 1 {
			t.Errorf("%+v", r)
		}
	})
}

func TestAppend_limits(t *testing.T) {
	t.Parallel()
	s := esdbtest.Start(t, esdbtest.Options{MaxAppendBytes: 1000, MaxEventBytes: 600})
	c := connect(t, s)
	sized := func(bytes int) []esdb.EventData {
		list := events("t")
		// Data, metadata and twice the type count.
		list[0].Data, list[0].Metadata = []byte(strings.Repeat("x", bytes-2)), nil
		return list
	}
	raw := dialRaw(t, s)
	refused := func(t *testing.T, list []esdb.EventData, want map[string]string) {
		t.Helper()
		trailers, err := raw.append(t, "large", list)
		if status.Code(err) != codes.InvalidArgument {
			t.Fatalf("%v", err)
		}
		for key, value := range want {
			if got := trailers.Get(key); len(got) != 1 || got[0] != value {
				t.Errorf("%s: %v, want %q", key, got, value)
			}
		}
	}

	t.Run("an event of the limit is taken", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "fits", esdb.NoStream{}, sized(600))
	})
	t.Run("a larger event is refused by name", func(t *testing.T) {
		t.Parallel()
		list := sized(601)
		refused(t, list, map[string]string{
			"exception": "maximum-append-event-size-exceeded", "maximum-append-event-size": "600",
			"proposed-append-event-size": "601", "event-id": list[0].EventID.String(),
		})
	})
	t.Run("events that are too much together are refused", func(t *testing.T) {
		t.Parallel()
		refused(t, append(sized(600), sized(401)...), map[string]string{
			"exception": "maximum-append-size-exceeded", "maximum-append-size": "1000",
		})
	})
	t.Run("nothing of a refused append is there", func(t *testing.T) {
		t.Parallel()
		list := append(sized(500), sized(501)...)
		if _, err := c.AppendToStream(t.Context(), "refused", esdb.AppendToStreamOptions{}, list...); err == nil {
			t.Fatal("taken")
		}
		if _, err := readStream(t, c, "refused", esdb.ReadStreamOptions{}, 1); codeOf(t, err) != esdb.ErrorCodeResourceNotFound {
			t.Error(err)
		}
	})
	t.Run("an event without a type or content type is refused", func(t *testing.T) {
		t.Parallel()
		for _, missing := range []string{"type", "content-type"} {
			m := proposedMessage(sized(10)[0])
			delete(m.Metadata, missing)
			trailers, err := raw.appendMessages(t, "untyped", m)
			if status.Code(err) != codes.InvalidArgument || !cmp.Equal(trailers.Get("exception"), []string{"missing-required-metadata-property"}) {
				t.Errorf("without %s: %v %v", missing, err, trailers)
			}
		}
	})
	t.Run("no option makes a record larger than a record can be", func(t *testing.T) {
		t.Parallel()
		s := esdbtest.Start(t, esdbtest.Options{MaxAppendBytes: 64 << 20, MaxEventBytes: 64 << 20})
		if _, err := dialRaw(t, s).append(t, "huge", sized(esdbtest.MaxRecordBytes+1)); status.Code(err) != codes.ResourceExhausted {
			t.Error(err)
		}
	})
	t.Run("a node takes 1 MiB when nothing else is said", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		mustAppend(t, c, "mib", esdb.NoStream{}, sized(1<<20))
		if _, err := c.AppendToStream(t.Context(), "mib", esdb.AppendToStreamOptions{}, sized(1<<20+1)...); err == nil {
			t.Error("taken")
		}
	})
}

func TestAppend_wrongRevisionSaysWhatIsThere(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	raw := dialRaw(t, s)
	mustAppend(t, c, "there", esdb.NoStream{}, events("a", "b"))

	w := raw.wrong(t, "there", 7)
	if w.GetCurrentRevision() != 1 || w.GetExpectedRevision() != 7 || w.GetCurrentRevision_20_6_0() != 1 || w.GetExpectedRevision_20_6_0() != 7 {
		t.Errorf("%v", w)
	}
	w = raw.wrong(t, "not there", 7)
	if w.GetCurrentNoStream() == nil || w.GetNoStream_20_6_0() == nil {
		t.Errorf("%v", w)
	}
}
