package main

import (
	"net"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/demoapp"
)

// In a real browser, by rules alone: the demo's form with five fields is filled in and
// saved in two round trips, where one action at a time takes six.
func TestChain_FiveFieldsInChromium(t *testing.T) {
	t.Parallel()
	ctx, chromium := startChromium(t)
	s := newServer(t, hooks{})
	port, stop, err := serveApp(ctx, demoapp.New(demoapp.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	tab, err := chromium.NewTab(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	if err := tab.Open(ctx, "http://"+net.JoinHostPort("127.0.0.1", port)+"/patients/new"); err != nil {
		t.Fatal(err)
	}
	const task = `Enter full name "Jas Miller", date of birth "1990-05-31", gender "Female", email "jas@example.org" and phone "0171 234567", then click Save`
	var trips []string
	client := &browser.Client{BaseURL: s.base, Token: s.client.token}
	outcome, err := client.Run(ctx, tab, browser.Goal{Query: task, OnTurn: func(turn browser.Turn) {
		if turn.Report.Status == "" {
			return // the end of the task, for which nothing is executed
		}
		var actions []string
		for _, a := range turn.Answer.Actions {
			actions = append(actions, a.Action)
		}
		trips = append(trips, turn.Answer.Action+" "+strings.Join(actions, "; ")+" "+turn.Report.Status)
	}})
	if err != nil || outcome.Status != "completed" {
		t.Errorf("%+v, %v", outcome, err)
	}
	if len(trips) != 2 {
		t.Errorf("%d round trips: %s", len(trips), strings.Join(trips, "\n"))
	}
}
