package esdb

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

// A client that panics is an error and is never used again.
func TestTurn_survivesAPanic(t *testing.T) {
	t.Parallel()
	config, err := parse("esdb://127.0.0.1:1?tls=false", Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	c := newClients(config, 1)
	defer c.close()
	var used []*esdb.Client
	for _, reason := range []string{"unreachable code", "index out of range"} {
		_, err := turn(t.Context(), c, func(_ context.Context, client *esdb.Client) (int, error) {
			used = append(used, client)
			panic(reason)
		})
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("error is %v", err)
		}
	}
	if used[0] == used[1] {
		t.Error("a client was used again after a panic")
	}
}

func TestClients_growOld(t *testing.T) {
	t.Parallel()
	config, err := parse("esdb://127.0.0.1:1?tls=false", Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	c := newClients(config, 1)
	defer c.close()
	old, err := c.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	old.made = old.made.Add(-lifetime)
	c.give(old, true)
	if next, err := c.take(t.Context()); err != nil || next.Client == old.Client {
		t.Errorf("an old client is used again, %v", err)
	}
}

func TestTurn_keepsSoundClients(t *testing.T) {
	t.Parallel()
	config, err := parse("esdb://127.0.0.1:1?tls=false", Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	c := newClients(config, 2)
	defer c.close()
	var used []*esdb.Client
	for _, outcome := range []error{nil, context.Canceled, nil, errors.New("odd"), nil} {
		_, _ = turn(t.Context(), c, func(_ context.Context, client *esdb.Client) (int, error) {
			used = append(used, client)
			return 0, outcome
		})
	}
	if used[0] != used[1] || used[1] != used[2] || used[2] != used[3] || used[3] == used[4] {
		t.Error("the client was not used until it met trouble, and then no more")
	}
}
