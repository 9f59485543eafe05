package esdb_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	client "github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// otherTool is a client as other tools use it.
func otherTool(t testing.TB, url string) *client.Client {
	t.Helper()
	config, err := client.ParseConnectionString(url)
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = client.NoopLogging()
	c, err := client.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// metadataOf is what other tools see of a stream's metadata.
func metadataOf(t testing.TB, c *client.Client, stream string) map[string]any {
	t.Helper()
	read, err := c.ReadStream(bounded(t), "$$"+stream, client.ReadStreamOptions{From: client.End{}, Direction: client.Backwards}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	e, err := read.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(e.OriginalEvent().Data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func setMetadata(t testing.TB, c *client.Client, stream, text string) {
	t.Helper()
	_, err := c.AppendToStream(bounded(t), "$$"+stream, client.AppendToStreamOptions{}, client.EventData{
		EventType: "$metadata", ContentType: client.ContentTypeJson, Data: []byte(text),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRetention_leavesTheRestOfTheMetadata(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s, c := open(t, node.URL(), esdb.Options{}), otherTool(t, node.URL())
	mustAppend(t, s, "task-1", eventstore.NoStream, events(5)...)
	setMetadata(t, c, "task-1", `{"$acl": {"$r": ["ops", "$admins"]}, "$cacheControl": 15, "owner": {"name": "x"}, "$maxAge": 99}`)
	if err := s.SetRetention(t.Context(), "task-1", eventstore.Retention{MaxAge: 90*time.Second + 1, MaxCount: 4, TruncateBefore: 2}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "task-1", 4); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"$acl": map[string]any{"$r": []any{"ops", "$admins"}}, "$cacheControl": 15.0, "owner": map[string]any{"name": "x"},
		"$maxAge": 91.0, "$maxCount": 4.0, "$tb": 5.0,
	}
	got := metadataOf(t, c, "task-1")
	delete(got, "stepledger")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if err := s.SetRetention(t.Context(), "task-1", eventstore.Retention{}); err != nil {
		t.Fatal(err)
	}
	if slice := mustRead(t, s, "task-1"); len(slice.Events) > 0 || slice.Head != 4 || slice.Position == 0 {
		t.Errorf("no retention brought deleted events back: %+v", slice)
	}
}

func TestRetention_whatOtherToolsHaveHidden(t *testing.T) {
	t.Parallel()
	for name, hide := range map[string]func(testing.TB, *client.Client){
		"by their delete": func(t testing.TB, c *client.Client) {
			if _, err := c.DeleteStream(bounded(t), "task-1", client.DeleteStreamOptions{}); err != nil {
				t.Fatal(err)
			}
		},
		"by their limit":        func(t testing.TB, c *client.Client) { setMetadata(t, c, "task-1", `{"$tb": 3}`) },
		"by metadata odd to us": func(t testing.TB, c *client.Client) { setMetadata(t, c, "task-1", `{"$tb": 3, "stepledger": 7}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node := esdbtest.Start(t, esdbtest.Options{})
			s, c := open(t, node.URL(), esdb.Options{}), otherTool(t, node.URL())
			mustAppend(t, s, "task-1", eventstore.NoStream, events(3)...)
			hide(t, c)
			if slice := mustRead(t, s, "task-1"); len(slice.Events) > 0 {
				t.Errorf("%d events are seen", len(slice.Events))
			}
			if err := s.SetRetention(t.Context(), "task-1", eventstore.Retention{MaxCount: 10}); err != nil {
				t.Fatal(err)
			}
			next := events(2)
			mustAppend(t, s, "task-1", 2, next...)
			slice := mustRead(t, s, "task-1")
			if len(slice.Events) != 2 || slice.Events[0].ID != next[0].ID || slice.Head != 4 {
				t.Errorf("slice is %+v", slice)
			}
			wantOnce(t, s, next...)
		})
	}
}

func TestTombstone_byAnotherTool(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s, c := open(t, node.URL(), esdb.Options{}), otherTool(t, node.URL())
	mustAppend(t, s, "task-1", eventstore.NoStream, events(3)...)
	if _, err := c.TombstoneStream(bounded(t), "task-1", client.TombstoneStreamOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Append(t.Context(), "task-1", 2, events(1))
	if _, ok := errors.AsType[*eventstore.DeletedError](err); !ok {
		t.Errorf("error is %v", err)
	}
	if slice := mustRead(t, s, "task-1"); len(slice.Events) > 0 || slice.Head != eventstore.NoRevision {
		t.Errorf("slice is %+v", slice)
	}
	if err := s.Tombstone(t.Context(), "task-1", eventstore.Any); err != nil {
		t.Errorf("tombstone again: %v", err)
	}
}

func TestRetention_acrossStores(t *testing.T) {
	t.Parallel()
	const timeout = 300 * time.Millisecond
	url := esdbtest.Start(t, esdbtest.Options{}).URL()
	one, other := open(t, url, esdb.Options{Timeout: timeout}), open(t, url, esdb.Options{Timeout: timeout})
	in := events(3)
	mustAppend(t, one, "task-1", eventstore.NoStream, in...)
	wantOnce(t, other, in...)
	for before := range int64(4) {
		if err := one.SetRetention(bounded(t), "task-1", eventstore.Retention{TruncateBefore: before}); err != nil {
			t.Fatal(err)
		}
		wantOnce(t, one, in[before:]...)
		eventually(t, "another process sees it too", func() bool {
			p, err := other.ReadAll(bounded(t), 0, 0, eventstore.Filter{})
			return err == nil && len(p.Events) == len(in[before:])
		})
	}
}

// Two who change the metadata of a stream at once both have their way.
func TestRetention_atOnce(t *testing.T) {
	t.Parallel()
	url := esdbtest.Start(t, esdbtest.Options{}).URL()
	one, other := open(t, url, esdb.Options{Timeout: patience}), open(t, url, esdb.Options{Timeout: patience})
	for range 20 {
		stream := "task-" + event().ID
		mustAppend(t, one, stream, eventstore.NoStream, events(3)...)
		deleted := make(chan error, 1)
		go func() { deleted <- other.Delete(context.Background(), stream, 2) }()
		kept := one.SetRetention(bounded(t), stream, eventstore.Retention{MaxCount: 1})
		if err := errors.Join(kept, <-deleted); err != nil {
			t.Fatal(err)
		}
		next := events(2)
		mustAppend(t, one, stream, 2, next...)
		if slice := mustRead(t, one, stream); len(slice.Events) != 1 || slice.Events[0].ID != next[1].ID {
			t.Errorf("slice is %+v", slice)
		}
	}
}

func TestHead_ofWhatRetentionHides(t *testing.T) {
	t.Parallel()
	s := open(t, esdbtest.Start(t, esdbtest.Options{}).URL(), esdb.Options{})
	for name, hide := range map[string]func(stream string) error{
		"before it was hidden": func(string) error { return nil },
		"deleted":              func(stream string) error { return s.Delete(t.Context(), stream, eventstore.Any) },
		"truncated": func(stream string) error {
			return s.SetRetention(t.Context(), stream, eventstore.Retention{TruncateBefore: 100})
		},
		"tombstoned": func(stream string) error { return s.Tombstone(t.Context(), stream, eventstore.Any) },
	} {
		stream := "task-" + event().ID
		r := mustAppend(t, s, stream, eventstore.NoStream, events(4)...)
		if err := hide(stream); err != nil {
			t.Fatal(err)
		}
		for _, o := range []eventstore.ReadOptions{
			{}, {From: 4}, {From: 99}, {From: eventstore.End, Direction: eventstore.Backwards}, {From: 2, Direction: eventstore.Backwards},
		} {
			slice, err := s.ReadStream(t.Context(), stream, o)
			if err != nil || slice.Head != 3 || slice.Position != r.Position {
				t.Errorf("%s, read by %+v: head %d at %d, %v; want 3 at %d", name, o, slice.Head, slice.Position, err, r.Position)
			}
		}
	}
}
