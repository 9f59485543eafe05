package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
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

// openLog opens the log at an address, and makes one where Postgres has none. What is
// archived of one in Postgres is read from a place.
func openLog(ctx context.Context, address account.Secret, place archive.Place) (eventLog, error) {
	url := address.Reveal()
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case "postgres", "postgresql":
		if err := postgres.Migrate(ctx, url); err != nil {
			return nil, err
		}
		return openPostgresLog(ctx, url, postgres.Options{Archive: place})
	case "esdb", "esdb+discover":
		return openEventStoreDB(ctx, url, esdb.Options{})
	}
	return nil, errLogURL
}

// openEvents opens the log of the system, with its archive if it has one.
func (s *system) openEvents(ctx context.Context, readers int, h hooks) (err error) {
	s.archived.archiveMetrics = newArchiveMetrics(s.registry)
	if address := s.cfg.EventStoreURL.Reveal(); address != "" {
		s.events, err = openEventStoreDB(ctx, address, esdb.Options{Log: s.log})
		return err
	}
	place, err := s.cfg.Archive.place()
	if err != nil {
		return err
	}
	if place != nil {
		place = countedPlace{place, s.archived.failedCalls}
	}
	log, err := openPostgresLog(ctx, s.url, postgres.Options{
		Hook: h.append, DirectURL: s.direct, Readers: readers, Writes: &s.writes, OnEpoch: s.enterEpoch, Archive: place,
	})
	if err != nil {
		return err
	}
	s.events, s.archived.place, s.archived.log = log, place, log
	return nil
}

func openPostgresLog(ctx context.Context, url string, o postgres.Options) (*postgres.Store, error) {
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
