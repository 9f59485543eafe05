package storetest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

const (
	kills   = 200
	victims = 3 // at a time
	// killTime bounds all of it; it takes a tenth.
	killTime = 5 * time.Minute
)

// testKill lets processes append from many writers and kills each at some moment,
// while a reader follows. What they were told is in the log has to be there.
func testKill(t *testing.T, s suite) {
	ctx, cancel := context.WithTimeout(t.Context(), killTime)
	defer cancel()
	address := s.Log(t)
	store, closeStore, err := s.Dial(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeStore)
	var (
		end      = event("test.ended.v1")
		followed []eventstore.Recorded
		follower sync.WaitGroup
		killers  sync.WaitGroup
		killed   atomic.Int64
		told     acknowledged
	)
	follower.Go(func() { followed = followUntil(ctx, t, store, end.ID) })
	for slot := range victims {
		killers.Go(func() {
			for killed.Add(1) <= kills {
				if err := told.killOne(ctx, slot, address); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	killers.Wait()
	mustAppend(t, store, "end", eventstore.NoStream, end)
	follower.Wait()
	all, _ := readOn(t, store, 0, 0, eventstore.Filter{})
	told.check(t, upTo(all, end.ID), upTo(followed, end.ID))
}

// upTo leaves out what comes behind an event: what the killed had sent may still
// arrive.
func upTo(events []eventstore.Recorded, last string) []eventstore.Recorded {
	for i, e := range events {
		if e.ID == last {
			return events[:i+1]
		}
	}
	return events
}

// followUntil follows the log until an event comes.
func followUntil(ctx context.Context, t testing.TB, s eventstore.Subscriber, last string) (seen []eventstore.Recorded) {
	for p, err := range s.Subscribe(ctx, 0, eventstore.Filter{}) {
		if err != nil {
			t.Errorf("follow: %v", err)
			return seen
		}
		seen = append(seen, p.Events...)
		if slices.ContainsFunc(p.Events, func(e eventstore.Recorded) bool { return e.ID == last }) {
			break
		}
	}
	return seen
}

// acknowledged is what victims have told of their appends.
type acknowledged struct {
	mu   sync.Mutex
	acks []ack
}

// killOne starts a victim and kills it after it has told of some appends, or
// before it came to that.
func (a *acknowledged) killOne(ctx context.Context, slot int, address string) error {
	victim := exec.CommandContext(ctx, os.Args[0])
	victim.Env = append(os.Environ(), victimEnv+"="+address, fmt.Sprintf("%s=%d", slotEnv, slot))
	var stderr bytes.Buffer
	victim.Stderr = &stderr
	out, err := victim.StdoutPipe()
	if err != nil {
		return err
	}
	if err := victim.Start(); err != nil {
		return err
	}
	acks := rand.IntN(40)
	pause := time.Duration(rand.Int64N(int64(5 * time.Millisecond)))
	if acks == 0 { // somewhere in its beginning
		pause *= 20
		time.AfterFunc(pause, func() { _ = victim.Process.Kill() })
	}
	lines := bufio.NewScanner(out)
	var bad error
	for told := 0; lines.Scan(); {
		ack, err := parseAck(lines.Text())
		if err != nil {
			bad = err
			_ = victim.Process.Kill()
			break
		}
		a.mu.Lock()
		a.acks = append(a.acks, ack)
		a.mu.Unlock()
		if told++; told == acks {
			time.AfterFunc(pause, func() { _ = victim.Process.Kill() })
		}
	}
	err = victim.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); bad == nil && ok && !exit.Exited() {
		return nil // killed, as it should be
	}
	return fmt.Errorf("the process to be killed: %w\n%s", errors.Join(bad, err), stderr.Bytes())
}

// check compares what victims and the follower were told with the log.
func (a *acknowledged) check(t testing.TB, all, followed []eventstore.Recorded) {
	t.Helper()
	wantInPlace(t, all)
	of := make(map[string][]eventstore.Recorded)
	seen := make(map[string]bool)
	for _, e := range all {
		if seen[e.ID] {
			t.Errorf("event %s is in the log twice", e.ID)
		}
		seen[e.ID] = true
		of[e.Stream] = append(of[e.Stream], e)
	}
	lost := slices.DeleteFunc(slices.Clone(a.acks), func(a ack) bool { return a.isIn(of[a.stream]) })
	if len(lost) > 0 {
		t.Errorf("%d appends of %d were acknowledged and are not in their place, the first: %+v", len(lost), len(a.acks), lost[0])
	}
	if len(followed) != len(all) {
		t.Errorf("the follower was handed %d events of %d", len(followed), len(all))
	}
	for i := range min(len(all), len(followed)) {
		if all[i].ID != followed[i].ID || all[i].Position != followed[i].Position {
			t.Fatalf("event %d: the follower was handed %+v, the log has %+v", i, followed[i], all[i])
		}
	}
	t.Logf("%d processes killed: %d appends acknowledged, %d events in the log", kills, len(a.acks), len(all))
}
