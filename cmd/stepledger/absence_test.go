package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/knowledge"
)

// knownIndex is an index that counts how often it is asked whether anything is known.
type knownIndex struct {
	knowledge.Index
	known map[string]bool
	fails error
	times int
}

func (a *knownIndex) Knows(_ context.Context, tenant, host string) (bool, error) {
	a.times++
	return a.known[tenant+" "+host], a.fails
}

// That there is nothing is remembered for a second; that there is something never is, nor
// that nobody could tell.
func TestAbsences(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	of := &knownIndex{known: map[string]bool{"acme a.example": true}}
	i := &rememberingIndex{Index: of, none: absences{now: func() time.Time { return now }}}
	for n, step := range []struct {
		tenant, host string
		before       func()
		knows        bool
		times        int
	}{
		{tenant: "acme", host: "a.example", knows: true, times: 1},
		{tenant: "acme", host: "a.example", before: func() { of.known = map[string]bool{} }, times: 2},
		{tenant: "acme", host: "a.example", before: func() { of.known = map[string]bool{"acme a.example": true, "globex a.example": true} }, times: 2},
		{tenant: "globex", host: "a.example", knows: true, times: 3},
		{tenant: "acme", host: "a.example", before: func() { now = now.Add(absentFor) }, knows: true, times: 4},
		{tenant: "acme", host: "b.example", before: func() { of.fails = errors.New("out of reach") }, times: 5},
		{tenant: "acme", host: "b.example", times: 6},
	} {
		if step.before != nil {
			step.before()
		}
		knows, err := i.Knows(t.Context(), step.tenant, step.host)
		if knows != step.knows || of.times != step.times || !errors.Is(err, of.fails) {
			t.Errorf("step %d: %v, %v after %d questions", n, knows, err, of.times)
		}
	}
	for range maxAbsences + 1 {
		i.none.note(time.Duration(len(i.none.until)).String())
	}
	if len(i.none.until) > maxAbsences {
		t.Errorf("%d are remembered", len(i.none.until))
	}
}
