package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// withEventStoreDB is a configuration whose log is on a node.
func withEventStoreDB(cfg config, node *esdbtest.Server) config {
	cfg.EventStoreURL = account.Secret(node.URL())
	return cfg
}

func TestTask_WithTheLogInEventStoreDB(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	cfg := withEventStoreDB(testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir()), node)
	s := start(t, cfg, hooks{})
	c := s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := newPursuit()
	for restart := 0; !p.ended; restart++ {
		if err := p.step(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if restart%2 == 0 {
			node.Restart()
			continue
		}
		s.stop()
		s = start(t, cfg, hooks{})
		c.base = s.base
	}
	s.client = c
	auditTask(t, s, p)
	auditRepeats(t, s, p)
	auditReadModels(t, s)
	m := data[api.MessagesData](t, s.atLeast(t, p.position, "/api/session/"+p.session+"/messages"))
	if len(m.Messages) < 4 || m.Messages[0].Content != clinicTask {
		t.Errorf("messages %+v", m)
	}
	var inPostgres int
	if err := s.db.QueryRow(t.Context(), `select count(*) from log.events`).Scan(&inPostgres); err != nil || inPostgres != 0 {
		t.Errorf("%d events are in Postgres, %v", inPostgres, err)
	}
}

// The read models of one log are not those of another, whatever their checkpoints
// say.
func TestTask_MovesToEventStoreDB(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	s := start(t, cfg, hooks{})
	user := newUser(t, s.identity, "jo@acme.example")
	s.client = s.loginAs(t, user)
	first := newPursuit()
	first.finish(t, s.client)
	messages := func(p *pursuit) (said []string) { // not when: a copied event is a new record
		t.Helper()
		for _, m := range data[api.MessagesData](t, s.get(t, "/api/session/"+p.session+"/messages")).Messages {
			said = append(said, fmt.Sprintf("%d %s: %s", m.SequenceNumber, m.Role, m.Content))
		}
		return said
	}
	s.catchUp(t)
	before := messages(first)
	s.stop()

	other := withEventStoreDB(cfg, node)
	s = start(t, other, hooks{})
	s.client = s.loginAs(t, user)
	eventually(t, "the read models of the other log are gone", func() bool {
		return s.get(t, "/api/session/"+first.session+"/messages").code() == "SESSION_NOT_FOUND"
	})
	s.stop()

	var out bytes.Buffer
	root := newRoot(func(name string) string { return map[string]string{"STEPLEDGER_STATE_DIR": cfg.StateDir}[name] }, &out, &out)
	root.SetArgs([]string{"store", "copy", "--from", cfg.DatabaseURL.Reveal(), "--to", node.URL()})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}

	s = start(t, other, hooks{})
	s.client = s.loginAs(t, user)
	s.catchUp(t)
	if diff := cmp.Diff(before, messages(first)); diff != "" {
		t.Errorf("messages (-in Postgres +in EventStoreDB):\n%s", diff)
	}
	second := newPursuit()
	second.finish(t, s.client)
	auditTask(t, s, second)
	auditReadModels(t, s)
}
