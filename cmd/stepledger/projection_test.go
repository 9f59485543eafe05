package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

const retryTasks = "/api/debug/projections/tasks/retry"

// parkedTasks are the streams a tenant is shown as put aside by the tasks.
func parkedTasks(t *testing.T, c client) (streams []string) {
	t.Helper()
	for _, p := range data[api.ParkedData](t, c.get(t, "/api/debug/projections/parked?projection=tasks")).Parked {
		streams = append(streams, p.Stream)
	}
	return streams
}

// What a read model cannot apply is put aside; each tenant sees and retries what is
// its own, an operator all of it, while the server is at work.
func TestProjection_WhatIsPutAside(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	eve := s.loginAs(t, newUser(t, s.identity, "eve@globex.example"))
	stream := map[string]string{}
	for whose, c := range map[string]client{"mine": s.client, "eve's": eve} {
		stream[whose] = task.Stream(domain.NewUUID())
		s.resumed(t, data[api.SessionData](t, c.get(t, "/api/v1/auth/session")).TenantID, stream[whose], `{"turn":"one"}`)
	}
	s.catchUp(t)

	if diff := cmp.Diff([]string{stream["mine"]}, parkedTasks(t, s.client)); diff != "" {
		t.Errorf("what I am shown (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{stream["eve's"]}, parkedTasks(t, eve)); diff != "" {
		t.Errorf("what another tenant is shown (-want +got):\n%s", diff)
	}
	if r := s.get(t, "/api/debug/projections/parked?projection=tali"); r.status != http.StatusNotFound || r.code() != domain.CodeProjectionNotFound {
		t.Errorf("of a read model that is not there: %d %s", r.status, r.body)
	}

	// What is mended: the row says of one more event, which can be applied, that it could not.
	mended := s.resumed(t, "", task.Stream(domain.NewUUID()), `{"turn":1}`)
	s.catchUp(t)
	_, err := s.db.Exec(t.Context(), `
		insert into read.parked (projection, generation, position, stream, revision, event_id, event_type, tenant, error)
		select 'tasks', generation, $1, $2, 0, $3, $4, tenant, 'mended since'
		from read.checkpoint join read.parked using (projection, generation)
		where live and projection = 'tasks' and stream = $5`,
		mended.Position, mended.Stream, mended.ID, mended.Type, stream["mine"])
	if err != nil {
		t.Fatal(err)
	}
	want := api.RetriedData{Projection: "tasks", Applied: 0, Left: 1}
	if got := data[api.RetriedData](t, eve.post(t, retryTasks, nil, nil)); got != want {
		t.Errorf("another tenant's retry: %+v, want %+v", got, want)
	}
	want.Applied = 1
	if got := data[api.RetriedData](t, s.post(t, retryTasks, nil, nil)); got != want {
		t.Errorf("my retry: %+v, want %+v", got, want)
	}

	var listed []string
	decoder := json.NewDecoder(strings.NewReader(s.tool(t, "projection", "parked", "tasks")))
	for decoder.More() {
		var p projections.Parked
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		listed = append(listed, p.Stream)
	}
	if len(listed) != 2 {
		t.Errorf("an operator is shown %v, want both tenants' streams", listed)
	}
	if out := s.tool(t, "projection", "retry"); !strings.HasPrefix(out, "tasks: 0 applied, 2 left\nsessions: ") || !strings.Contains(out, "\nusage: 0 applied, 0 left\n") {
		t.Errorf("the operator's retry says %q", out)
	}
}

// resumed appends that a task was resumed, readable or not.
func (s *server) resumed(t *testing.T, tenant, stream, body string) eventstore.Recorded {
	t.Helper()
	e := eventstore.Proposed{
		ID: domain.NewUUID(), Type: task.NameTaskResumed, Data: []byte(body),
		Meta: eventstore.Metadata{Tenant: tenant, Schema: 1}.Encode(),
	}
	at, err := s.events.Append(t.Context(), stream, eventstore.Any, []eventstore.Proposed{e})
	if err != nil {
		t.Fatal(err)
	}
	return eventstore.Recorded{ID: e.ID, Type: e.Type, Stream: stream, Position: at.Position}
}
