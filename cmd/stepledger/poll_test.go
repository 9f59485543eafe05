package main

import (
	"context"
	"testing"
	"time"
)

// patience bounds everything a test waits for: long enough for a machine that
// runs every package at once, short enough for a hang to be seen as one.
const patience = time.Minute

// eventually tries until it is done. A test that waits longer than patience is
// stopped there, with what it waited for.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	eventuallyWithin(t, what, patience, done)
}

// eventuallyWithin is eventually for what may take longer, or has to be sooner.
func eventuallyWithin(t testing.TB, what string, limit time.Duration, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := repeat(ctx, done); err != nil {
		t.Fatalf("%s: not within %v (%v)", what, limit, err)
	}
}

// repeat is eventually for goroutines, which may not stop a test.
func repeat(ctx context.Context, done func() bool) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// await receives what has to come within patience.
func await[T any](t testing.TB, what string, from <-chan T) (v T) {
	t.Helper()
	return awaitWithin(t, what, patience, from)
}

// awaitWithin is await for what may take longer.
func awaitWithin[T any](t testing.TB, what string, limit time.Duration, from <-chan T) (v T) {
	t.Helper()
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case v = <-from:
	case <-timeout.C:
		t.Fatalf("%s: not within %v", what, limit)
	}
	return v
}
