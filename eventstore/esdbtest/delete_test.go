package esdbtest_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

func mustDelete(t *testing.T, c *esdb.Client, stream string, expected esdb.ExpectedRevision) *esdb.DeleteResult {
	t.Helper()
	r, err := c.DeleteStream(t.Context(), stream, esdb.DeleteStreamOptions{ExpectedRevision: expected})
	if err != nil {
		t.Fatalf("delete %s: %v", stream, err)
	}
	return r
}

func mustTombstone(t *testing.T, c *esdb.Client, stream string, expected esdb.ExpectedRevision) {
	t.Helper()
	if _, err := c.TombstoneStream(t.Context(), stream, esdb.TombstoneStreamOptions{ExpectedRevision: expected}); err != nil {
		t.Fatalf("tombstone %s: %v", stream, err)
	}
}

// metadataOf is what the metadata stream of a stream has last.
func metadataOf(t *testing.T, c *esdb.Client, stream string) map[string]any {
	t.Helper()
	got, err := readStream(t, c, "$$"+stream, esdb.ReadStreamOptions{From: esdb.End{}, Direction: esdb.Backwards}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(got[0].Data, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s, c := start(t)

	t.Run("a deleted stream is not found and goes on where it was", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "back", esdb.NoStream{}, events("a", "b"))
		mustDelete(t, c, "back", esdb.Revision(1))
		for _, direction := range []esdb.Direction{esdb.Forwards, esdb.Backwards} {
			_, err := readStream(t, c, "back", esdb.ReadStreamOptions{Direction: direction}, 1)
			if codeOf(t, err) != esdb.ErrorCodeResourceNotFound {
				t.Error(err)
			}
		}
		if r := mustAppend(t, c, "back", esdb.NoStream{}, events("c")); r.NextExpectedVersion != 2 {
			t.Errorf("revision %d", r.NextExpectedVersion)
		}
		got, err := readStream(t, c, "back", esdb.ReadStreamOptions{}, everything)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"c"}, typesOf(got)); d != "" {
			t.Error(d)
		}
	})
	t.Run("its last revision is accepted too", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "revision", esdb.NoStream{}, events("a"))
		mustDelete(t, c, "revision", esdb.Any{})
		mustAppend(t, c, "revision", esdb.Revision(0), events("b"))
	})
	t.Run("it does not exist for an append that wants it to", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "exists", esdb.NoStream{}, events("a"))
		mustDelete(t, c, "exists", esdb.Any{})
		_, err := c.AppendToStream(t.Context(), "exists", esdb.AppendToStreamOptions{ExpectedRevision: esdb.StreamExists{}}, events("b")...)
		if codeOf(t, err) != esdb.ErrorCodeStreamDeleted {
			t.Error(err)
		}
	})
	t.Run("the delete replaces the metadata, the next append moves their $tb", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "meta", esdb.NoStream{}, events("a", "b"))
		setMetadata(t, c, "meta", withCustom("kept", "no"))
		mustDelete(t, c, "meta", esdb.Any{})
		if d := cmp.Diff(map[string]any{"$tb": float64(math.MaxInt64)}, metadataOf(t, c, "meta")); d != "" {
			t.Error(d)
		}
		mustAppend(t, c, "meta", esdb.Any{}, events("c"))
		if d := cmp.Diff(map[string]any{"$tb": 2.0}, metadataOf(t, c, "meta")); d != "" {
			t.Error(d)
		}
	})
	t.Run("new metadata bring it back, empty", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "by metadata", esdb.NoStream{}, events("a", "b"))
		mustDelete(t, c, "by metadata", esdb.Any{})
		setMetadata(t, c, "by metadata", withCustom("kept", "yes"))
		if d := cmp.Diff(map[string]any{"kept": "yes", "$tb": 2.0}, metadataOf(t, c, "by metadata")); d != "" {
			t.Error(d)
		}
		if got, err := readStream(t, c, "by metadata", esdb.ReadStreamOptions{}, everything); err != nil || len(got) != 0 {
			t.Error(got, err)
		}
	})
	t.Run("its events stay in $all", func(t *testing.T) {
		t.Parallel()
		r := mustAppend(t, c, "in all", esdb.NoStream{}, events("a"))
		mustDelete(t, c, "in all", esdb.Any{})
		got, err := readAll(t, c, esdb.ReadAllOptions{From: esdb.Position{Commit: r.CommitPosition, Prepare: r.PreparePosition}}, 1)
		if err != nil || got[0].StreamID != "in all" {
			t.Error(got, err)
		}
	})
	t.Run("a wrong revision is a failed precondition with its trailers", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "wrong", esdb.NoStream{}, events("a", "b"))
		want := map[string]string{"exception": "wrong-expected-version", "stream-name": "wrong", "expected-version": "7", "actual-version": "1"}
		var trailers metadata.MD
		_, err := dialRaw(t, s).Delete(t.Context(), &streams.DeleteReq{Options: &streams.DeleteReq_Options{
			StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte("wrong")},
			ExpectedStreamRevision: &streams.DeleteReq_Options_Revision{Revision: 7},
		}}, grpc.Trailer(&trailers))
		failedWith(t, err, trailers, want)
		_, err = dialRaw(t, s).Tombstone(t.Context(), &streams.TombstoneReq{Options: &streams.TombstoneReq_Options{
			StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte("wrong")},
			ExpectedStreamRevision: &streams.TombstoneReq_Options_Revision{Revision: 7},
		}}, grpc.Trailer(&trailers))
		failedWith(t, err, trailers, want)
	})
	t.Run("a stream that never was cannot be deleted", func(t *testing.T) {
		t.Parallel()
		var trailers metadata.MD
		_, err := dialRaw(t, s).Delete(t.Context(), &streams.DeleteReq{Options: &streams.DeleteReq_Options{
			StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte("never")},
			ExpectedStreamRevision: &streams.DeleteReq_Options_Any{Any: &shared.Empty{}},
		}}, grpc.Trailer(&trailers))
		failedWith(t, err, trailers, map[string]string{"exception": "wrong-expected-version", "expected-version": "-2", "actual-version": "-1"})
	})
}

func failedWith(t *testing.T, err error, trailers metadata.MD, want map[string]string) {
	t.Helper()
	if status.Code(err) != codes.FailedPrecondition {
		t.Fatalf("%v", err)
	}
	for key, value := range want {
		if got := trailers.Get(key); len(got) != 1 || got[0] != value {
			t.Errorf("%s: %v, want %q", key, got, value)
		}
	}
}

func TestTombstone(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	mustAppend(t, c, "ended", esdb.NoStream{}, events("a"))
	mustTombstone(t, c, "ended", esdb.Revision(0))

	t.Run("nothing can be done with the stream any more", func(t *testing.T) {
		t.Parallel()
		_, appendErr := c.AppendToStream(t.Context(), "ended", esdb.AppendToStreamOptions{ExpectedRevision: esdb.Any{}}, events("b")...)
		_, readErr := readStream(t, c, "ended", esdb.ReadStreamOptions{}, 1)
		_, backErr := readStream(t, c, "ended", esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.End{}}, 1)
		_, metaErr := c.SetStreamMetadata(t.Context(), "ended", esdb.AppendToStreamOptions{}, withCustom("k", "v"))
		_, deleteErr := c.DeleteStream(t.Context(), "ended", esdb.DeleteStreamOptions{})
		_, tombstoneErr := c.TombstoneStream(t.Context(), "ended", esdb.TombstoneStreamOptions{})
		for what, err := range map[string]error{
			"append": appendErr, "read": readErr, "read backwards": backErr, "metadata": metaErr, "delete": deleteErr, "tombstone": tombstoneErr,
		} {
			if codeOf(t, err) != esdb.ErrorCodeStreamDeleted {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
	t.Run("the refusal names the stream", func(t *testing.T) {
		t.Parallel()
		trailers, err := dialRaw(t, s).append(t, "ended", events("b"))
		failedWith(t, err, trailers, map[string]string{"exception": "stream-deleted", "stream-name": "ended"})
	})
	t.Run("the tombstone is an event of $all", func(t *testing.T) {
		t.Parallel()
		got, err := readAll(t, c, esdb.ReadAllOptions{Direction: esdb.Backwards, From: esdb.End{}}, everything)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range got {
			if e.StreamID == "ended" && e.EventType == "$streamDeleted" {
				if e.EventNumber != math.MaxInt64 {
					t.Errorf("revision %d", e.EventNumber)
				}
				return
			}
		}
		t.Error("there is none")
	})
	t.Run("a stream that never was can be ended", func(t *testing.T) {
		t.Parallel()
		mustTombstone(t, c, "never", esdb.NoStream{})
		_, err := c.AppendToStream(t.Context(), "never", esdb.AppendToStreamOptions{}, events("a")...)
		if codeOf(t, err) != esdb.ErrorCodeStreamDeleted {
			t.Error(err)
		}
	})
}
