package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

// A user stops a task, goes on with it and cancels another; readers see each at once, and
// what happened in between replays as it was.
func TestControl_ByItsUser(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	ann := s.colleague(t, "ann@acme.example")
	p := newPursuit()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	control := func(c client, what string) reply {
		t.Helper()
		return c.post(t, "/api/task/"+p.task+"/"+what, nil, nil)
	}
	status := func(at reply) string {
		t.Helper()
		r := s.get(t, "/api/debug/tasks?atLeast="+at.header.Get("X-Event-Position"))
		for _, k := range data[api.TasksData](t, r).Tasks {
			if k.TaskID == p.task {
				return k.Status + " " + k.Code
			}
		}
		return "not there"
	}
	for _, what := range []string{"stop", "cancel", "resume"} {
		if r := control(ann, what); r.status != http.StatusNotFound || r.code() != domain.CodeTaskNotFound {
			t.Errorf("%s by a colleague: %d %s", what, r.status, r.body)
		}
	}
	stopped := control(s.client, "stop")
	if d := data[api.ControlledData](t, stopped); d.Status != "interrupted" || stopped.header.Get("ETag") == "" || !strings.HasPrefix(status(stopped), "interrupted") {
		t.Errorf("stopped: %+v, listed as %s", d, status(stopped))
	}
	if again := control(s.client, "stop"); again.header.Get("ETag") != stopped.header.Get("ETag") || again.header.Get("X-Event-Position") != stopped.header.Get("X-Event-Position") {
		t.Errorf("stopped twice: %v after %v", again.header, stopped.header)
	}
	if r := s.get(t, "/api/session/"+p.session+"/task/active?atLeast="+stopped.header.Get("X-Event-Position")); r.status != http.StatusNotFound {
		t.Errorf("a stopped task is recovered: %s", r.body)
	}
	resumed := control(s.client, "resume")
	if d := data[api.ControlledData](t, resumed); d.Status != "active" {
		t.Errorf("resumed: %+v", d)
	}
	if r := s.get(t, "/api/session/"+p.session+"/task/active?atLeast="+resumed.header.Get("X-Event-Position")); data[api.ActiveTaskData](t, r).TaskID != p.task {
		t.Errorf("a resumed task is not recovered: %s", r.body)
	}
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	cancelled := control(s.client, "cancel")
	if d := data[api.ControlledData](t, cancelled); d.Status != "failed" || status(cancelled) != "failed CANCELLED" {
		t.Errorf("cancelled: %+v, listed as %s", d, status(cancelled))
	}
	if again := control(s.client, "cancel"); again.status != http.StatusOK || again.header.Get("ETag") != cancelled.header.Get("ETag") {
		t.Errorf("cancelled twice: %d %v", again.status, again.header)
	}
	for _, what := range []string{"stop", "resume"} {
		if r := control(s.client, what); r.status != http.StatusConflict || r.code() != domain.CodeTaskCompleted {
			t.Errorf("%s after that: %d %s", what, r.status, r.body)
		}
	}
	key, body := p.request()
	r, err := s.interact(t.Context(), key, body)
	if err != nil || r.status != http.StatusConflict || r.code() != domain.CodeTaskCompleted {
		t.Errorf("a request after that: %d %s, %v", r.status, r.body, err)
	}
	messages := data[api.MessagesData](t, s.atLeast(t, cancelled.header.Get("X-Event-Position"), "/api/session/"+p.session+"/messages")).Messages
	if last := messages[len(messages)-1]; last.Content != "The task was cancelled." || last.Error == nil || last.Error.Code != domain.CodeCancelled {
		t.Errorf("the conversation ends with %+v", last)
	}
	if n := s.count(t, p.task, task.NameTaskResumed); n != 1 {
		t.Errorf("resumed %d times", n)
	}
	report, err := s.replay(t.Context(), s.tenantFor(t, p.task), p.task)
	if d := differences(report); err != nil || len(d) > 0 {
		t.Errorf("the replay differs: %q %v", d, err)
	}
}
