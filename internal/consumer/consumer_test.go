package consumer_test

import (
	"testing"

	"github.com/stepledger/stepledger/eventstore/feed/feedtest"
	"github.com/stepledger/stepledger/internal/consumer"
	"github.com/stepledger/stepledger/internal/consumer/consumertest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	feedtest.Run(t, func(t testing.TB) feedtest.Keeper {
		return consumertest.Open(t, pgtest.Database(t, "feed", consumer.Migrate))
	})
}
