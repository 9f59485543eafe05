// Package feedtest is the contract of stores for a feed's checkpoints and parked
// events, and one in-memory implementation. It is test code only.
package feedtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/feed"
)

// Keeper stores both.
type Keeper interface {
	feed.Checkpoints
	feed.Parking
}

// Run tests the keepers that open returns, each a new empty one.
func Run(t *testing.T, open func(t testing.TB) Keeper) {
	for name, test := range map[string]func(*testing.T, Keeper){
		"a claim goes on where the last one saved":          testClaim,
		"only the last to claim can save":                   testFence,
		"another log or topic starts over":                  testStartsOver,
		"in another epoch it goes on, or is set back":       testEpoch,
		"of racing claims one can save":                     testRace,
		"what is put aside is listed in order":              testParked,
		"only what is behind another is put behind":         testBehind,
		"a stream is retried in order":                      testRetry,
		"what may be behind waits for a retry":              testBehindWaits,
		"of two retries at once each event is had by one":   testRetriesRace,
		"a reason may be anything an error has ever said":   testReasons,
		"the first of each stream that is put aside":        testFirstParked,
		"consumers and what they put aside are kept apart":  testApart,
		"nothing is known of a consumer that never claimed": testUnknown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

var consumerA = feed.Consumer{Name: "a", Topic: "task", Log: "log-1"}

func mustClaim(t *testing.T, k Keeper, c feed.Consumer) feed.Checkpoint {
	t.Helper()
	at, err := k.Claim(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func mustSave(t *testing.T, k Keeper, c feed.Consumer, term, position int64) {
	t.Helper()
	if err := k.Save(t.Context(), c, term, position); err != nil {
		t.Fatal(err)
	}
}

func wantLost(t *testing.T, err error) {
	t.Helper()
	var lost *feed.LostError
	if !errors.As(err, &lost) || lost.Consumer != "a" {
		t.Errorf("the error is %v, want that consumer a is lost", err)
	}
}

func testClaim(t *testing.T, k Keeper) {
	first := mustClaim(t, k, consumerA)
	if first.Position != 0 {
		t.Fatalf("a new consumer begins at %d", first.Position)
	}
	mustSave(t, k, consumerA, first.Term, 7)
	mustSave(t, k, consumerA, first.Term, 5) // never back
	second := mustClaim(t, k, consumerA)
	if second.Position != 7 || second.Term <= first.Term {
		t.Errorf("the second claim is %+v after %+v", second, first)
	}
	at, err := k.At(t.Context(), "a")
	if err != nil || at.Position != 7 || at.Term != second.Term || time.Since(at.MovedAt) > time.Hour {
		t.Errorf("it stands at %+v, %v", at, err)
	}
}

func testFence(t *testing.T, k Keeper) {
	first := mustClaim(t, k, consumerA)
	second := mustClaim(t, k, consumerA)
	wantLost(t, k.Save(t.Context(), consumerA, first.Term, 3))
	mustSave(t, k, consumerA, second.Term, 2)
	if at, err := k.At(t.Context(), "a"); err != nil || at.Position != 2 {
		t.Errorf("it stands at %+v, %v", at, err)
	}
}

func testStartsOver(t *testing.T, k Keeper) {
	for i, c := range []feed.Consumer{
		consumerA, {Name: "a", Topic: "task", Log: "log-2"}, {Name: "a", Topic: "task,usage", Log: "log-2"},
	} {
		at := mustClaim(t, k, c)
		left, err := k.At(t.Context(), "a")
		if at.Position != 0 || err != nil || left.Parked != 0 {
			t.Errorf("%d: it goes on at %d with %d events put aside, %v", i, at.Position, left.Parked, err)
		}
		mustSave(t, k, c, at.Term, 9)
		mustPark(t, k, "a", event("task-1", 0, 4), "broken")
	}
}

// A log that was put back goes on under another name: what a consumer has of the past
// the two share holds, and what is beyond comes again as something else.
func testEpoch(t *testing.T, k Keeper) {
	second := feed.Consumer{Name: "a", Topic: "task", Log: "log-1.2", Was: "log-1", Past: 9}
	first := mustClaim(t, k, consumerA)
	mustSave(t, k, consumerA, first.Term, 7)
	mustPark(t, k, "a", event("task-1", 0, 4), "broken")
	if at := mustClaim(t, k, second); at.Position != 7 || at.Log != "log-1.2" || at.Term <= first.Term {
		t.Errorf("within the past it goes on at %+v", at)
	}
	wantParked(t, k, "a", "a task-1@0 broken")
	// A process that knows of the new epoch when another has gone over already.
	third := mustClaim(t, k, second)
	if third.Position != 7 {
		t.Errorf("it goes on at %+v", third)
	}
	wantLost(t, k.Save(t.Context(), consumerA, third.Term, 8)) // of the epoch before, by its term or not
	mustSave(t, k, second, third.Term, 12)
	mustPark(t, k, "a", event("task-1", 1, 11), "broken too")
	back := feed.Consumer{Name: "a", Topic: "task", Log: "log-1.3", Was: "log-1.2", Past: 10}
	if at := mustClaim(t, k, back); at.Position != 10 {
		t.Errorf("beyond the past it is set back to %+v", at)
	}
	wantParked(t, k, "a", "a task-1@0 broken")
	// Ahead of the log under the same name.
	back.Was, back.Past = back.Log, 8
	if at := mustClaim(t, k, back); at.Position != 8 {
		t.Errorf("ahead of the log it is set back to %+v", at)
	}
}

func testRace(t *testing.T, k Keeper) {
	const racers = 8
	var wg sync.WaitGroup
	terms := make([]int64, racers)
	for i := range racers {
		wg.Go(func() {
			at, err := k.Claim(t.Context(), consumerA)
			if err != nil {
				t.Error(err)
			}
			terms[i] = at.Term
		})
	}
	wg.Wait()
	saved := 0
	for _, term := range terms {
		if k.Save(t.Context(), consumerA, term, 1) == nil {
			saved++
		}
	}
	if saved != 1 {
		t.Errorf("%d of the terms %v could save", saved, terms)
	}
}

// event is one at a place.
func event(stream string, revision, position int64) eventstore.Recorded {
	return eventstore.Recorded{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", position), Stream: stream, Type: "test.happened.v1",
		Revision: revision, Position: position, RecordedAt: time.Now(), Data: []byte(`{}`), Meta: []byte(`{}`),
	}
}

func mustPark(t *testing.T, k Keeper, name string, e eventstore.Recorded, reason string) {
	t.Helper()
	if err := k.Park(t.Context(), name, e, reason); err != nil {
		t.Fatal(err)
	}
}

func mustParkBehind(t *testing.T, k Keeper, name string, e eventstore.Recorded, want bool) {
	t.Helper()
	put, err := k.ParkBehind(t.Context(), name, e)
	if err != nil || put != want {
		t.Fatalf("event %d is put behind: %v, %v, want %v", e.Position, put, err, want)
	}
}

// wantParked wants what is put aside by position and reason.
func wantParked(t *testing.T, k Keeper, name string, want ...string) {
	t.Helper()
	parked, err := k.Parked(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range parked {
		got = append(got, fmt.Sprintf("%s %s@%d %s", p.Consumer, p.Stream, p.Revision, p.Reason))
		if e := event(p.Stream, p.Revision, p.Position); p.EventID != e.ID || p.Type != e.Type || time.Since(p.ParkedAt) > time.Hour {
			t.Errorf("%+v", p)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("put aside are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func testParked(t *testing.T, k Keeper) {
	mustClaim(t, k, consumerA)
	mustPark(t, k, "a", event("task-2", 3, 12), "second")
	mustPark(t, k, "a", event("task-1", 0, 4), "first")
	mustPark(t, k, "a", event("task-1", 0, 4), "first again")
	wantParked(t, k, "a", "a task-1@0 first again", "a task-2@3 second")
	if at, err := k.At(t.Context(), "a"); err != nil || at.Parked != 2 {
		t.Errorf("%+v, %v", at, err)
	}
}

func testBehind(t *testing.T, k Keeper) {
	mustClaim(t, k, consumerA)
	mustParkBehind(t, k, "a", event("task-1", 0, 1), false)
	mustPark(t, k, "a", event("task-1", 1, 2), "broken")
	mustParkBehind(t, k, "a", event("task-1", 1, 2), true) // delivered again
	mustParkBehind(t, k, "a", event("task-1", 2, 3), true)
	mustParkBehind(t, k, "a", event("task-1", 2, 3), true)
	mustParkBehind(t, k, "a", event("task-2", 0, 4), false)
	wantParked(t, k, "a", "a task-1@1 broken", "a task-1@2 "+feed.BehindAnother)
}

// retryFirst retries a stream's first event and gives what was tried.
func retryFirst(t *testing.T, k Keeper, stream string, failed error) string {
	t.Helper()
	tried := "nothing"
	found, err := k.RetryFirst(t.Context(), "a", stream, func(_ context.Context, p feed.Parked) error {
		tried = fmt.Sprintf("%s@%d", p.Stream, p.Revision)
		return failed
	})
	if err != nil || found != (tried != "nothing") {
		t.Fatalf("found %v, %v; tried %s", found, err, tried)
	}
	return tried
}

func testRetry(t *testing.T, k Keeper) {
	mustClaim(t, k, consumerA)
	mustPark(t, k, "a", event("task-1", 1, 2), "broken")
	mustPark(t, k, "a", event("task-2", 0, 3), "broken too")
	mustParkBehind(t, k, "a", event("task-1", 2, 5), true)
	for _, step := range []struct {
		failed error
		want   string
	}{{errors.New("still broken"), "task-1@1"}, {nil, "task-1@1"}, {nil, "task-1@2"}, {nil, "nothing"}} {
		if got := retryFirst(t, k, "task-1", step.failed); got != step.want {
			t.Fatalf("tried %s, want %s", got, step.want)
		}
		if step.failed != nil {
			wantParked(t, k, "a", "a task-1@1 still broken", "a task-2@0 broken too", "a task-1@2 "+feed.BehindAnother)
		}
	}
	wantParked(t, k, "a", "a task-2@0 broken too")
	mustParkBehind(t, k, "a", event("task-1", 3, 6), false)
}

func testBehindWaits(t *testing.T, k Keeper) {
	mustClaim(t, k, consumerA)
	mustPark(t, k, "a", event("task-1", 1, 2), "broken")
	trying, mended := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		found, err := k.RetryFirst(t.Context(), "a", "task-1", func(context.Context, feed.Parked) error {
			close(trying)
			<-mended
			return nil
		})
		if !found || err != nil {
			t.Errorf("retried %v, %v", found, err)
		}
	})
	<-trying
	behind := make(chan bool, 1)
	wg.Go(func() {
		put, err := k.ParkBehind(t.Context(), "a", event("task-1", 2, 3))
		if err != nil {
			t.Error(err)
		}
		behind <- put
	})
	select { // a moment in which a keeper that does not wait would answer
	case put := <-behind:
		t.Errorf("it did not wait, and said %v", put)
		behind <- put
	case <-time.After(50 * time.Millisecond):
	}
	close(mended)
	if <-behind {
		t.Error("it was put behind an event that is handled")
	}
}

func testRetriesRace(t *testing.T, k Keeper) {
	mustClaim(t, k, consumerA)
	const events = 6
	for i := range int64(events) {
		mustPark(t, k, "a", event("task-1", i, i+1), "broken")
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var tried []int64
	for range 3 {
		wg.Go(func() {
			for found := true; found; {
				var err error
				found, err = k.RetryFirst(t.Context(), "a", "task-1", func(_ context.Context, p feed.Parked) error {
					mu.Lock()
					defer mu.Unlock()
					tried = append(tried, p.Revision)
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if fmt.Sprint(tried) != "[0 1 2 3 4 5]" {
		t.Errorf("tried %v", tried)
	}
}

func testReasons(t *testing.T, k Keeper) {
	mustClaim(t, k, consumerA)
	for i, reason := range []string{"", "nul \x00 and \xff", strings.Repeat("långt ", 10_000)} {
		mustPark(t, k, "a", event("task-1", int64(i), int64(i)+1), reason)
	}
	retryFirst(t, k, "task-1", errors.New(strings.Repeat("\x00\xfe", 10_000)))
	parked, err := k.Parked(t.Context(), "a")
	if err != nil || len(parked) != 3 {
		t.Errorf("%d events are put aside, %v", len(parked), err)
	}
}

func testFirstParked(t *testing.T, k Keeper) {
	mustClaim(t, k, consumerA)
	for i, stream := range []string{"task-1", "task-1", "task-2", "task-3", "task-2"} {
		mustPark(t, k, "a", event(stream, int64(i), int64(i)+1), "")
	}
	mustPark(t, k, "b", event("task-4", 0, 6), "")
	for after, want := range map[int64]string{0: "[task-1@1 task-2@3 task-3@4]", 1: "[task-2@3 task-3@4]", 4: "[]"} {
		first, err := k.FirstParked(t.Context(), "a", after)
		got := []string{}
		for _, p := range first {
			got = append(got, fmt.Sprintf("%s@%d", p.Stream, p.Position))
		}
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("after %d: %v, %v; want %s", after, got, err, want)
		}
	}
}

func testApart(t *testing.T, k Keeper) {
	consumerB := consumerA
	consumerB.Name = "b"
	a, b := mustClaim(t, k, consumerA), mustClaim(t, k, consumerB)
	mustSave(t, k, consumerA, a.Term, 1)
	mustSave(t, k, consumerB, b.Term, 2)
	mustPark(t, k, "a", event("task-1", 0, 1), "of a")
	mustParkBehind(t, k, "b", event("task-1", 1, 2), false)
	mustPark(t, k, "b", event("task-1", 1, 2), "of b")
	wantParked(t, k, "b", "b task-1@1 of b")
	wantParked(t, k, "", "a task-1@0 of a", "b task-1@1 of b")
	mustClaim(t, k, feed.Consumer{Name: "a", Topic: "task", Log: "log-2"})
	if at, err := k.At(t.Context(), "b"); err != nil || at.Position != 2 || at.Parked != 1 {
		t.Errorf("%+v, %v", at, err)
	}
}

func testUnknown(t *testing.T, k Keeper) {
	at, err := k.At(t.Context(), "nobody")
	if err != nil || at != (feed.Checkpoint{}) {
		t.Errorf("%+v, %v", at, err)
	}
	wantLost(t, k.Save(t.Context(), consumerA, 1, 1))
}
