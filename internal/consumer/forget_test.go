package consumer_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/consumer"
	"github.com/stepledger/stepledger/internal/consumer/consumertest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

func TestStore_Forget(t *testing.T) {
	t.Parallel()
	s := consumertest.Open(t, pgtest.Database(t, "feed", consumer.Migrate))
	for i, stream := range []string{"task-1", "task-1", "task-2"} {
		e := eventstore.Recorded{ID: domain.NewUUID(), Stream: stream, Type: "x", Position: int64(i + 1)}
		if err := s.Park(t.Context(), "c", e, "it said: Jas"); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int64{2, 0} {
		if n, err := s.Forget(t.Context(), "task-1"); err != nil || n != want {
			t.Errorf("%d, %v; want %d", n, err, want)
		}
	}
	if left, err := s.Parked(t.Context(), ""); err != nil || len(left) != 1 || left[0].Stream != "task-2" {
		t.Errorf("%v, %v", left, err)
	}
}
