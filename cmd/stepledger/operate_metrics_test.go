package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/stepledger/stepledger/api"
)

// Given services of which one works, one fails and one never answers, when they are asked
// for figures, then the first is up and the others are down, whatever the order.
func TestServiceMetrics(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	t.Cleanup(func() { close(hangs) })
	m := newServiceMetrics([]api.Check{
		{Name: "hangs", Probe: func(context.Context) error { <-hangs; return nil }},
		{Name: "works", Probe: func(context.Context) error { return nil }},
		{Name: "fails", Probe: func(context.Context) error { return errors.New("down") }},
	})
	want := `
# HELP stepledger_service_up 1 if the service works for this process; without postgres or eventStore it takes no turns.
# TYPE stepledger_service_up gauge
stepledger_service_up{service="fails"} 0
stepledger_service_up{service="hangs"} 0
stepledger_service_up{service="works"} 1
`
	if err := testutil.CollectAndCompare(m, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
