package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/postgres"
)

// errLogURL names the addresses a log can be at. The address itself is not
// repeated: it may hold a password.
var errLogURL = errors.New("the address of a log begins with postgres://, esdb:// or esdb+discover://")

// eventLog is an event store that can be closed.
type eventLog interface {
	eventstore.Store
	Close()
}

// openLog opens the log at an address, and makes one where Postgres has none.
func openLog(ctx context.Context, address account.Secret) (eventLog, error) {
	url := address.Reveal()
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case "postgres", "postgresql":
		if err := postgres.Migrate(ctx, url); err != nil {
			return nil, err
		}
		return openPostgresLog(ctx, url, postgres.Options{})
	case "esdb", "esdb+discover":
		return openEventStoreDB(ctx, url, esdb.Options{})
	}
	return nil, errLogURL
}

func openPostgresLog(ctx context.Context, url string, o postgres.Options) (eventLog, error) {
	s, err := postgres.Open(ctx, url, o)
	if err != nil {
		return nil, fmt.Errorf("open the log in Postgres: %w", err)
	}
	return s, nil
}

func openEventStoreDB(ctx context.Context, url string, o esdb.Options) (eventLog, error) {
	s, err := esdb.Open(ctx, url, o)
	if err != nil {
		return nil, fmt.Errorf("open the log in EventStoreDB: %w", err)
	}
	return s, nil
}
