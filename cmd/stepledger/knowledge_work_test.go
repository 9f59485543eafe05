package main

import (
	"fmt"
	"testing"
	"time"

	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

func TestSourceWork_WhoseTurnItIs(t *testing.T) {
	t.Parallel()
	now := time.Now()
	busy := func(n int, tenant func(i int) string) map[string]string {
		active := map[string]string{}
		for i := range n {
			active[fmt.Sprint("busy", i)] = tenant(i)
		}
		return active
	}
	acme := func(int) string { return "acme" }
	others := func(i int) string { return fmt.Sprint("tenant", i) }
	reads := knowledgeview.Work{Tenant: "acme", Source: "s", ToRead: 1}
	waits := knowledgeview.Work{Tenant: "acme", Source: "s", ToForget: 3}
	for _, tt := range []struct {
		name   string
		work   knowledgeview.Work
		active map[string]string
		last   workedOn
		want   bool
	}{
		{name: "something to read", work: reads, want: true},
		{name: "somebody is at it", work: reads, active: map[string]string{"s": "acme"}},
		{name: "just done: the read model may be behind", work: reads, last: workedOn{at: now.Add(-time.Millisecond)}},
		{name: "after trouble", work: reads, last: workedOn{at: now.Add(-time.Second), trouble: troublePause}},
		{name: "after the pause", work: reads, last: workedOn{at: now.Add(-troublePause), trouble: troublePause}, want: true},
		{name: "old versions wait for their time", work: waits, last: workedOn{at: now.Add(-time.Minute), idle: true}},
		{name: "but new work does not wait with them", work: reads, last: workedOn{at: now.Add(-time.Minute), idle: true}, want: true},
		{name: "its tenant has as many as it may", work: reads, active: busy(maxOfTenant, acme)},
		{name: "others have many", work: reads, active: busy(maxOfTenant, others), want: true},
		{name: "there are as many as there may be", work: reads, active: busy(maxActive, others)},
		{name: "what is removed waits for nobody", work: knowledgeview.Work{Tenant: "acme", Source: "s", Removed: true}, active: busy(maxActive, acme), want: true},
	} {
		w := &sourceWork{active: tt.active, last: map[string]workedOn{"s": tt.last}}
		if got := w.mayBegin(tt.work, now); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
