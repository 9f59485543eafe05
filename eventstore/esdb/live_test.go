package esdb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// silence is a subscription that the server has forgotten.
func silence() *subscription {
	return &subscription{messages: make(chan message), stop: func() {}}
}

func silentStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), esdbtest.Start(t, esdbtest.Options{}).URL(), Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func one() []eventstore.Proposed {
	return []eventstore.Proposed{{ID: uuid.NewString(), Type: "test.happened.v1", Data: []byte(`{}`)}}
}

func TestLiveFeed_goesOnWhenTheServerFallsSilent(t *testing.T) {
	t.Parallel()
	s := silentStore(t)
	l := &liveFeed{Store: s, live: live{sub: silence()}}
	defer l.live.end()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := s.Append(ctx, "task-1", eventstore.NoStream, one()); err != nil {
		t.Fatal(err)
	}
	for p, err := range eventstore.Follow(ctx, l, 0, eventstore.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Events) == 1 {
			break
		}
	}
	if l.live.sub != nil {
		t.Error("the silent subscription is kept")
	}
}

func TestLiveStream_goesOnWhenTheServerFallsSilent(t *testing.T) {
	t.Parallel()
	s := silentStore(t)
	l := &liveStream{Store: s, stream: "task-1", live: live{sub: silence()}}
	defer l.live.end()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := s.Append(ctx, "task-1", eventstore.NoStream, one()); err != nil {
		t.Fatal(err)
	}
	for _, err := range eventstore.FollowStream(ctx, l, "task-1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if l.live.sub != nil {
		t.Error("the silent subscription is kept")
	}
}

// A follower that has not got an event yet answers as if there were none.
func TestAppend_seenByNobodyYet(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s, err := Open(t.Context(), node.URL(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	behind := func(*esdbtest.Call) error { return nil }
	for range 3 {
		node.FailNext("Read", behind)
	}
	in := one()
	r, err := s.Append(t.Context(), "task-1", eventstore.NoStream, in)
	if err != nil || r.Revision != 0 || r.Position == 0 {
		t.Errorf("receipt is %+v, %v", r, err)
	}
}

func TestNews(t *testing.T) {
	t.Parallel()
	var n news
	n.reach(10)
	if n.beyond(5) != nil {
		t.Error("what is known to be there has to be waited for")
	}
	// Another node said that there is nothing: asking at once again would spin.
	n.missed(5, 10)
	moved := n.beyond(5)
	if moved == nil {
		t.Fatal("a reader that was told there is nothing is sent back at once")
	}
	n.reach(11)
	select {
	case <-moved:
	default:
		t.Error("news wake nobody")
	}
	n.missed(5, 10) // of a read that began before the news
	if n.beyond(5) != nil {
		t.Error("after news a reader has to wait")
	}
}

func TestCurrentRevision_ofOtherErrors(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, errors.New("expecting '1' but got '2'")} {
		if r, ok := currentRevision(err); ok {
			t.Errorf("%v speaks of revision %d", err, r)
		}
	}
}
