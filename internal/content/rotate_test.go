package content_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/content"
)

var newMaster = bytes.Repeat([]byte{9}, 32)

// replica opens the store as a process with these keys would.
func replica(t *testing.T, url string, own []byte, old ...[]byte) *content.Store {
	t.Helper()
	s, err := content.Open(t.Context(), url, content.Options{MasterKey: own, OldMasterKeys: old})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// working writes and reads on several stores until it is stopped, and returns how often
// each has done it. Each round is of a subject of its own and of one that all share.
func working(t *testing.T, tenants []string, stores ...*content.Store) (stop func() []int64) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make([]atomic.Int64, len(stores))
	var wg sync.WaitGroup
	for i, s := range stores {
		wg.Go(func() {
			for round := 0; ctx.Err() == nil; round++ {
				tenant := tenants[round%len(tenants)]
				for _, id := range []string{fmt.Sprintf("s%d-%d", i, round), "shared"} {
					body := fmt.Sprintf("%d %d %s", i, round, id)
					ref, err := s.Put(ctx, tenant, id, content.KindAnswer, []byte(body))
					if err == nil {
						var got []byte
						if got, err = s.Get(ctx, tenant, id, ref); string(got) != body && err == nil {
							t.Errorf("got %q, want %q", got, body)
						}
					}
					if err != nil && ctx.Err() == nil {
						t.Errorf("replica %d, round %d: %v", i, round, err)
						return
					}
				}
				done[i].Add(1)
			}
		})
	}
	return func() []int64 {
		isDone := func() bool {
			for i := range done {
				if done[i].Load() < leastRounds {
					return false
				}
			}
			return true
		}
		// A busy machine may have had no time for them yet.
		for deadline := time.Now().Add(30 * time.Second); !isDone() && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
		wg.Wait()
		out := make([]int64, len(done))
		for i := range done {
			out[i] = done[i].Load()
		}
		return out
	}
}

// leastRounds is how much each replica has to do, during and after what is done to the keys.
const leastRounds = 3

func wantWork(t *testing.T, rounds []int64) {
	t.Helper()
	for i, n := range rounds {
		if n < leastRounds {
			t.Errorf("replica %d did %d rounds", i, n)
		}
	}
	t.Logf("rounds of each replica: %d", rounds)
}

// seed gives tenants some data keys and returns a blob of each.
func seed(t *testing.T, s *content.Store, tenants []string, keys int) map[string]string {
	t.Helper()
	refs := map[string]string{}
	for _, tenant := range tenants {
		for i := range keys {
			id := fmt.Sprintf("t%d", i)
			ref, err := s.Put(t.Context(), tenant, id, content.KindAnswer, []byte(tenant+id))
			if err != nil {
				t.Fatal(err)
			}
			refs[tenant+"\x00"+id] = ref
		}
	}
	return refs
}

func wantSeed(t *testing.T, s *content.Store, refs map[string]string) {
	t.Helper()
	for key, ref := range refs {
		tenant, id, _ := bytes.Cut([]byte(key), []byte{0})
		got, err := s.Get(t.Context(), string(tenant), string(id), ref)
		if err != nil || string(got) != string(tenant)+string(id) {
			t.Fatalf("%q: %q, %v", key, got, err)
		}
	}
}

func tenantNames(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("tenant%d", i))
	}
	return names
}

// The order of a roll-out: all get both keys, then they are rotated, then the former goes.
func TestRotateMaster_InARollOut(t *testing.T) {
	t.Parallel()
	first, url := open(t)
	tenants := tenantNames(450) // more than two batches
	refs := seed(t, first, tenants, 1)
	newOwn, oldOwn := replica(t, url, newMaster, master), replica(t, url, master, newMaster)
	// A replica that has the new key already makes nothing that the others cannot read.
	early, err := newOwn.Put(t.Context(), "early", "t", content.KindAnswer, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Get(t.Context(), "early", "t", early); err != nil {
		t.Errorf("a replica without the new key: %v", err)
	}
	stop := working(t, append(tenants[:5:5], "fresh"), newOwn, oldOwn)
	n, err := newOwn.RotateMaster(t.Context())
	if err != nil || n < 451 {
		t.Errorf("%d keys, %v", n, err)
	}
	wantWork(t, stop())
	if n, err := newOwn.RotateMaster(t.Context()); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
	wantSeed(t, replica(t, url, newMaster), refs)
	if _, err := content.Open(t.Context(), url, content.Options{MasterKey: master}); !errors.Is(err, content.ErrMasterKey) {
		t.Errorf("opened with the former key: %v", err)
	}
}

// A replica that was not given the new key is told to try elsewhere: nothing it does is
// wrong, and nothing is put aside for it.
func TestRotateMaster_ReplicaWithTheFormerKeyOnly(t *testing.T) {
	t.Parallel()
	behind, url := open(t)
	both := replica(t, url, newMaster, master)
	ref, err := both.Put(t.Context(), "acme", "t1", content.KindAnswer, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := both.RotateMaster(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, getErr := behind.Get(t.Context(), "acme", "t1", ref)
	_, putErr := behind.Put(t.Context(), "globex", "t1", content.KindAnswer, []byte("x"))
	_, keyErr := behind.Key(t.Context(), "acme", "t1")
	_, rotateErr := behind.RotateTenant(t.Context(), "acme")
	for what, err := range map[string]error{"read": getErr, "a new tenant": putErr, "the key": keyErr, "rotate": rotateErr} {
		if domain.KindOf(err) != domain.Unavailable || errors.Is(err, domain.ErrBadKey) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A rotation that was interrupted leaves nothing that cannot be read, and goes on.
func TestRotateMaster_Interrupted(t *testing.T) {
	t.Parallel()
	first, url := open(t)
	tenants := tenantNames(300)
	refs := seed(t, first, tenants, 1)
	both := replica(t, url, newMaster, master)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if s, err := both.Status(t.Context()); err != nil || s.Master == s.Own {
				cancel()
				return
			}
		}
	}()
	_, _ = both.RotateMaster(ctx)
	wantSeed(t, replica(t, url, master, newMaster), refs)
	if _, err := both.RotateMaster(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantSeed(t, replica(t, url, newMaster), refs)
}

// Former keys are needed until everything is wrapped anew, and the store says so.
func TestOpen_NeedsEveryMasterKeyInUse(t *testing.T) {
	t.Parallel()
	first, url := open(t)
	seed(t, first, tenantNames(2), 1)
	both := replica(t, url, newMaster, master)
	if _, err := both.RotateMaster(t.Context()); err != nil {
		t.Fatal(err)
	}
	exec(t, url, `update content.tenant_keys set master = 'ffffffffffffffff' where tenant = 'tenant1'`)
	if _, err := content.Open(t.Context(), url, content.Options{MasterKey: newMaster}); !errors.Is(err, content.ErrMasterKey) {
		t.Errorf("got %v", err)
	}
}

// A database from before keys had ids is read, and its keys are named.
func TestOpen_DatabaseWithoutIDs(t *testing.T) {
	t.Parallel()
	first, url := open(t)
	refs := seed(t, first, tenantNames(2), 1)
	exec(t, url, `update content.master_check set master = ''`)
	exec(t, url, `update content.tenant_keys set master = ''`)
	both := replica(t, url, newMaster, master)
	wantSeed(t, both, refs)
	if n, err := both.RotateMaster(t.Context()); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	wantSeed(t, replica(t, url, newMaster), refs)
}

func TestRotateTenant_WithWriters(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	refs := seed(t, s, []string{"acme", "globex"}, 450)
	replicas := []*content.Store{s, reopen(t, url), reopen(t, url)}
	stop := working(t, []string{"acme"}, replicas...)
	for range 3 {
		if n, err := replicas[1].RotateTenant(t.Context(), "acme"); err != nil || n < 450 {
			t.Errorf("%d keys, %v", n, err)
		}
	}
	wantWork(t, stop())
	wantSeed(t, s, refs)
	wantSeed(t, reopen(t, url), refs)
	status, err := s.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range status.Tenants {
		want := map[string]int{"acme": 4, "globex": 1}[k.Tenant]
		if k.Number != want || k.Former != 0 || k.Behind != 0 || k.DataKeys < 450 {
			t.Errorf("%+v, want key %d", k, want)
		}
	}
}

// Two who rotate at once: one may be told so, and every key can be read afterwards.
func TestRotateTenant_TwoAtOnce(t *testing.T) {
	t.Parallel()
	s, url := open(t)
	refs := seed(t, s, []string{"acme"}, 450)
	var wg sync.WaitGroup
	var ended atomic.Int64
	for range 3 {
		other := reopen(t, url)
		wg.Go(func() {
			_, err := other.RotateTenant(t.Context(), "acme")
			if err == nil {
				ended.Add(1)
			} else if domain.KindOf(err) != domain.Conflict {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if ended.Load() == 0 {
		t.Error("none came to an end")
	}
	wantSeed(t, reopen(t, url), refs)
	if status, err := s.Status(t.Context()); err != nil || status.Tenants[0].Behind != 0 || status.Tenants[0].Former != 0 {
		t.Errorf("%+v, %v", status.Tenants, err)
	}
}

func TestRotateTenant_WithoutAKey(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	seed(t, s, []string{"acme"}, 1)
	if _, err := s.EraseTenant(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	for _, tenant := range []string{"acme", "nobody"} {
		if _, err := s.RotateTenant(t.Context(), tenant); domain.KindOf(err) != domain.NotFound {
			t.Errorf("%s: %v", tenant, err)
		}
	}
}
