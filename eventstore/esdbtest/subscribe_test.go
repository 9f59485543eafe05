package esdbtest_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// heard names what a subscription brings: the type of an event, "caught up", a
// checkpoint with its position, a drop with its code.
func heard(t *testing.T, sub *esdb.Subscription) string {
	t.Helper()
	switch e := next(t, sub); {
	case e.EventAppeared != nil:
		return e.EventAppeared.Event.EventType
	case e.CaughtUp != nil:
		return "caught up"
	case e.CheckPointReached != nil:
		return fmt.Sprintf("checkpoint %d", e.CheckPointReached.Commit)
	case e.SubscriptionDropped != nil:
		return "dropped: " + status.Code(e.SubscriptionDropped.Error).String()
	default:
		return fmt.Sprintf("%+v", e)
	}
}

// want reads a subscription and compares.
func want(t *testing.T, sub *esdb.Subscription, list ...string) {
	t.Helper()
	for i, w := range list {
		if got := heard(t, sub); got != w {
			t.Fatalf("message %d is %q, want %q", i, got, w)
		}
	}
}

func subscribe(t *testing.T, c *esdb.Client, stream string, from esdb.StreamPosition) *esdb.Subscription {
	t.Helper()
	sub, err := c.SubscribeToStream(t.Context(), stream, esdb.SubscribeToStreamOptions{From: from})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Close() })
	return sub
}

func subscribeAll(t *testing.T, c *esdb.Client, o esdb.SubscribeToAllOptions) *esdb.Subscription {
	t.Helper()
	sub, err := c.SubscribeToAll(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Close() })
	return sub
}

func TestSubscribeToStream(t *testing.T) {
	t.Parallel()
	_, c := start(t)

	t.Run("catches up, says so and goes on", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "from start", esdb.NoStream{}, events("0", "1"))
		sub := subscribe(t, c, "from start", esdb.Start{})
		want(t, sub, "0", "1", "caught up")
		mustAppend(t, c, "another", esdb.NoStream{}, events("x"))
		mustAppend(t, c, "from start", esdb.Revision(1), events("2", "3"))
		want(t, sub, "2", "3")
	})
	t.Run("begins after a revision", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "after", esdb.NoStream{}, events("0", "1", "2"))
		want(t, subscribe(t, c, "after", esdb.Revision(0)), "1", "2", "caught up")
		want(t, subscribe(t, c, "after", esdb.Revision(2)), "caught up")
	})
	t.Run("begins at the end", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "at end", esdb.NoStream{}, events("0"))
		sub := subscribe(t, c, "at end", esdb.End{})
		want(t, sub, "caught up")
		mustAppend(t, c, "at end", esdb.Revision(0), events("1"))
		want(t, sub, "1")
	})
	t.Run("a stream need not be there yet", func(t *testing.T) {
		t.Parallel()
		sub := subscribe(t, c, "later", esdb.Start{})
		want(t, sub, "caught up")
		mustAppend(t, c, "later", esdb.NoStream{}, events("0"))
		want(t, sub, "0")
	})
	t.Run("what a client has from beyond the end is not sent", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "beyond", esdb.NoStream{}, events("0"))
		sub := subscribe(t, c, "beyond", esdb.Revision(1))
		want(t, sub, "caught up")
		mustAppend(t, c, "beyond", esdb.Revision(0), events("1", "2"))
		want(t, sub, "2")
	})
	t.Run("hidden events are left out", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "hidden events", esdb.NoStream{}, events("0", "1", "2"))
		rawMetadata(t, c, "hidden events", `{"$tb":2}`, esdb.ContentTypeJson)
		want(t, subscribe(t, c, "hidden events", esdb.Start{}), "2", "caught up")
	})
	t.Run("a deleted stream is quiet until it is back", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "deleted", esdb.NoStream{}, events("0", "1"))
		mustDelete(t, c, "deleted", esdb.Any{})
		sub := subscribe(t, c, "deleted", esdb.Start{})
		want(t, sub, "caught up")
		mustAppend(t, c, "deleted", esdb.Any{}, events("2"))
		want(t, sub, "2")
	})
	t.Run("a tombstone is the last event", func(t *testing.T) {
		t.Parallel()
		mustAppend(t, c, "ends", esdb.NoStream{}, events("0"))
		sub := subscribe(t, c, "ends", esdb.Start{})
		want(t, sub, "0", "caught up")
		mustTombstone(t, c, "ends", esdb.Any{})
		want(t, sub, "$streamDeleted", "dropped: FailedPrecondition")
		want(t, subscribe(t, c, "ends", esdb.Start{}), "dropped: FailedPrecondition")
	})
	t.Run("a client that does not read holds up nobody", func(t *testing.T) {
		t.Parallel()
		sub := subscribe(t, c, "slow", esdb.Start{})
		want(t, sub, "caught up")
		// More than the connection holds of what was sent and not read.
		large := events("large")
		large[0].Data = make([]byte, 500<<10)
		const count = 20
		for range count {
			large[0].EventID = events("id")[0].EventID
			mustAppend(t, c, "slow", esdb.Any{}, large)
		}
		for range count {
			want(t, sub, "large")
		}
	})
}

func TestSubscribeToAll(t *testing.T) {
	t.Parallel()

	t.Run("begins after a position", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		r := mustAppend(t, c, "a", esdb.NoStream{}, events("0"))
		mustAppend(t, c, "b", esdb.NoStream{}, events("1"))
		sub := subscribeAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Position{Commit: r.CommitPosition, Prepare: r.PreparePosition}})
		want(t, sub, "1", "caught up")
		mustAppend(t, c, "a", esdb.Any{}, events("2"))
		want(t, sub, "2")
	})
	t.Run("has all events from the start", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		mustAppend(t, c, "a", esdb.NoStream{}, events("0"))
		want(t, subscribeAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Start{}}), "$metadata", "$metadata", "$metadata", "0", "caught up")
	})
	t.Run("begins at the end", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		mustAppend(t, c, "a", esdb.NoStream{}, events("0"))
		sub := subscribeAll(t, c, esdb.SubscribeToAllOptions{From: esdb.End{}})
		want(t, sub, "caught up")
		mustAppend(t, c, "a", esdb.Any{}, events("1"))
		want(t, sub, "1")
	})
	for _, test := range []struct {
		name   string
		filter esdb.SubscriptionFilter
		want   []string
	}{
		{"by prefixes of the stream", esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"task-", "user-"}}, []string{"t.opened", "u.named"}},
		{"by an expression for the stream", esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Regex: `^(task|bill)-\d+$`}, []string{"t.opened", "b.sent"}},
		{"by prefixes of the type", esdb.SubscriptionFilter{Type: esdb.EventFilterType, Prefixes: []string{"u.", "b."}}, []string{"u.named", "b.sent"}},
		{"by an expression for the type", esdb.SubscriptionFilter{Type: esdb.EventFilterType, Regex: `ed$`}, []string{"t.opened", "u.named"}},
		{"without the system's own", *esdb.ExcludeSystemEventsFilter(), []string{"t.opened", "u.named", "b.sent"}},
	} {
		t.Run("filters "+test.name, func(t *testing.T) {
			t.Parallel()
			_, c := start(t)
			write := func() {
				mustAppend(t, c, "task-1", esdb.Any{}, events("t.opened"))
				mustAppend(t, c, "user-1", esdb.Any{}, events("u.named"))
				mustAppend(t, c, "bill-1", esdb.Any{}, events("b.sent"))
			}
			write()
			sub := subscribeAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Start{}, Filter: &test.filter})
			want(t, sub, test.want...)
			if got := heard(t, sub); got[:10] != "checkpoint" {
				t.Fatal(got)
			}
			want(t, sub, "caught up")
			write()
			want(t, sub, test.want...)
		})
	}
}

// checkpoint is what heard says of one.
func checkpoint(position uint64) string { return fmt.Sprintf("checkpoint %d", position) }

func TestSubscribeToAll_checkpoints(t *testing.T) {
	t.Parallel()
	// filtered subscribes to streams "seen".
	filtered := func(t *testing.T, c *esdb.Client, from esdb.AllPosition, window, interval int) *esdb.Subscription {
		t.Helper()
		return subscribeAll(t, c, esdb.SubscribeToAllOptions{
			From: from, MaxSearchWindow: window, CheckpointInterval: interval,
			Filter: &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"seen"}},
		})
	}
	at := func(r *esdb.WriteResult) esdb.Position {
		return esdb.Position{Commit: r.CommitPosition, Prepare: r.PreparePosition}
	}

	t.Run("come every window times interval of events, let through or not", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		begin := mustAppend(t, c, "seen", esdb.NoStream{}, events("0"))
		sub := filtered(t, c, at(begin), 2, 2)
		want(t, sub, "caught up")
		var last *esdb.WriteResult
		for range 4 {
			last = mustAppend(t, c, "other", esdb.Any{}, events("x"))
		}
		want(t, sub, checkpoint(last.CommitPosition))
		for range 3 {
			mustAppend(t, c, "other", esdb.Any{}, events("x"))
		}
		last = mustAppend(t, c, "seen", esdb.Any{}, events("1"))
		want(t, sub, "1", checkpoint(last.CommitPosition))
	})
	t.Run("advance while catching up over what is left out", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		var placed []uint64
		for range 10 {
			placed = append(placed, mustAppend(t, c, "other", esdb.Any{}, events("x")).CommitPosition)
		}
		// Pages of four events: three of the system and the others from the second
		// on; a checkpoint names the first event of the last page.
		sub := filtered(t, c, esdb.Start{}, 4, 1)
		want(t, sub, checkpoint(0), checkpoint(placed[1]), checkpoint(placed[5]), checkpoint(placed[9]), "caught up")
	})
	t.Run("never name an event that has not been sent", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		// The last page is full to the last event of the log.
		mustAppend(t, c, "other", esdb.Any{}, events("x"))
		sub := filtered(t, c, esdb.Start{}, 4, 1)
		want(t, sub, checkpoint(0), "caught up")
		r := mustAppend(t, c, "seen", esdb.Any{}, events("1"))
		want(t, sub, "1")
		if r.CommitPosition == 0 {
			t.Fatal("the event is at the checkpoint")
		}
	})
	t.Run("count live events from none", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		sub := filtered(t, c, esdb.Start{}, 4, 1) // three events of the system come first
		want(t, sub, checkpoint(0), "caught up")
		var last *esdb.WriteResult
		for range 4 {
			last = mustAppend(t, c, "other", esdb.Any{}, events("x"))
		}
		want(t, sub, checkpoint(last.CommitPosition))
	})
	t.Run("wait for a client that began beyond the end", func(t *testing.T) {
		t.Parallel()
		_, c := start(t)
		// As many bytes of log as four events more take.
		first := mustAppend(t, c, "other", esdb.Any{}, events("x"))
		second := mustAppend(t, c, "other", esdb.Any{}, events("x"))
		beyond := second.CommitPosition + 3*(second.CommitPosition-first.CommitPosition)
		sub := filtered(t, c, esdb.Position{Commit: beyond, Prepare: beyond}, 1, 1)
		want(t, sub, "caught up")
		var last *esdb.WriteResult
		for last == nil || last.CommitPosition < beyond {
			last = mustAppend(t, c, "other", esdb.Any{}, events("x"))
		}
		want(t, sub, checkpoint(last.CommitPosition))
	})
	t.Run("an interval of zero is refused", func(t *testing.T) {
		t.Parallel()
		s, _ := start(t)
		_, err := dialRaw(t, s).read(t, &streams.ReadReq_Options{
			StreamOption: &streams.ReadReq_Options_All{All: &streams.ReadReq_Options_AllOptions{AllOption: &streams.ReadReq_Options_AllOptions_Start{Start: &shared.Empty{}}}},
			CountOption:  &streams.ReadReq_Options_Subscription{Subscription: &streams.ReadReq_Options_SubscriptionOptions{}},
			UuidOption:   &streams.ReadReq_Options_UUIDOption{},
			FilterOption: &streams.ReadReq_Options_Filter{Filter: &streams.ReadReq_Options_FilterOptions{
				Filter: &streams.ReadReq_Options_FilterOptions_EventType{EventType: &streams.ReadReq_Options_FilterOptions_Expression{Prefix: []string{"a"}}},
				Window: &streams.ReadReq_Options_FilterOptions_Max{Max: 32},
			}},
		})
		if status.Code(err) != codes.Unknown {
			t.Error(err)
		}
	})
}

// TestSubscribeToAll_resumed leaves a filtered subscription at random points,
// while the log grows, and goes on from the last position heard of.
func TestSubscribeToAll_resumed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := esdbtest.Start(t, esdbtest.Options{})
		defer s.Stop()
		c := connect(t, s)
		defer c.Close()
		var sent []string
		grow := func() {
			for range rapid.IntRange(0, 25).Draw(rt, "events") {
				stream := rapid.SampledFrom([]string{"seen-1", "seen-2", "other"}).Draw(rt, "stream")
				list := events(strconv.Itoa(len(sent)))
				mustAppend(t, c, stream, esdb.Any{}, list)
				if stream != "other" {
					sent = append(sent, list[0].EventType)
				}
			}
		}
		o := esdb.SubscribeToAllOptions{
			From: esdb.Start{}, Filter: &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"seen-"}},
			MaxSearchWindow: rapid.IntRange(1, 5).Draw(rt, "window"), CheckpointInterval: rapid.IntRange(1, 3).Draw(rt, "interval"),
		}
		var got []string
		for range rapid.IntRange(1, 6).Draw(rt, "subscriptions") {
			grow()
			got = append(got, hearSome(t, c, &o, rapid.IntRange(1, 30).Draw(rt, "messages"))...)
		}
		got = append(got, hearSome(t, c, &o, everything)...)
		if d := cmp.Diff(sent, got); d != "" {
			rt.Fatal(d)
		}
	})
}

// hearSome takes at most a number of messages of a subscription, or all until it
// has caught up, and moves its start to where it was left.
func hearSome(t *testing.T, c *esdb.Client, o *esdb.SubscribeToAllOptions, messages int) (types []string) {
	t.Helper()
	sub, err := c.SubscribeToAll(t.Context(), *o)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	for range messages {
		switch e := next(t, sub); {
		case e.EventAppeared != nil:
			types = append(types, e.EventAppeared.Event.EventType)
			o.From = e.EventAppeared.Event.Position
		case e.CheckPointReached != nil:
			o.From = *e.CheckPointReached
		case e.CaughtUp != nil:
			return types
		default:
			t.Fatalf("%+v", e)
		}
	}
	return types
}
