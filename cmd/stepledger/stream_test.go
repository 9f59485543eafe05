package main

import (
	"testing"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections/history"
)

// streamOf is a task's whole stream, checked for holes on the way.
func streamOf(t testing.TB, s *system, id string) []task.Event {
	t.Helper()
	records := recordsOf(t, s, id)
	events := make([]task.Event, len(records))
	for i, r := range records {
		events[i] = r.Data
	}
	return events
}

// recordsOf are a task's events with their places, which are in order.
func recordsOf(t testing.TB, s *system, id string) []history.Event {
	t.Helper()
	first, err := s.events.ReadStream(t.Context(), task.Stream(id), eventstore.ReadOptions{Limit: 1})
	if err != nil || len(first.Events) != 1 {
		t.Fatalf("stream of task %s: %d events, %v", id, len(first.Events), err)
	}
	tenant := first.Events[0].Metadata().Tenant
	page, err := history.Reader{Log: s.events, Keys: s.content}.Events(t.Context(), tenant, id, history.Filter{Limit: history.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	position := int64(0)
	for i, e := range page.Events {
		if e.Revision != int64(i) || e.Position <= position {
			t.Fatalf("event %d stands at revision %d, position %d after %d", i, e.Revision, e.Position, position)
		}
		position = e.Position
	}
	return page.Events
}

// ledgerOf is the ledger of a task's model calls.
func ledgerOf(t testing.TB, s *system, id string) usage.State {
	t.Helper()
	state := usage.Initial()
	slice, err := s.events.ReadStream(t.Context(), usage.Stream(id), eventstore.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range slice.Events {
		e, err := usage.Codec.Decode(r.Type, r.Data, r.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		state = usage.Evolve(state, e)
	}
	return state
}
