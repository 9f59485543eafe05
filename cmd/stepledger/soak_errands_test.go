package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/leaktest"
)

func errands() []errand {
	return []errand{
		{"a task with the model", 4, func(s *soak, draw *rand.Rand) { s.finish(s.clinicJob("by model", draw, ""), &interact.Answer{}) }},
		{"a task by rules", 4, func(s *soak, draw *rand.Rand) { s.finish(s.clinicJob("by rules", draw, byRules), &interact.Answer{}) }},
		{"a chain", 2, func(s *soak, _ *rand.Rand) { s.finish(s.chainJob(), &interact.Answer{}) }},
		{"a task held and handed back", 1, holdsATask},
		{"a task stopped, resumed and cancelled", 1, cancelsATask},
		{"a task that is left", 1, leavesATask},
		{"an archived session", 1, archivesASession},
		{"a document", 1, addsADocument},
		{"a task erased", 1, erasesATask},
		{"a user erased", 1, erasesAUser},
		{"readers", 8, reads},
		{"a request repeated", 4, repeats},
		{"bad input", 3, errs},
	}
}

// clinicJob is a new patient in the clinic: with a model, or on a page on which that only
// talks. Some buttons are dead, some users are asked for the name.
func (s *soak) clinicJob(kind string, draw *rand.Rand, marked string) *job {
	page := &clinic{screen: "list", chips: marked == "", dead: draw.IntN(3) == 0, padding: "<p>" + marked + "</p>"}
	query, was := clinicTask, ""
	if draw.IntN(3) == 0 {
		query = "Add a new patient"
	}
	return s.begin(kind, s.jo(), func(a interact.Answer) map[string]any {
		if a.Action != "" {
			_ = page.execute(a.Action) // what cannot be done leaves the page as it is
		}
		if a.Status == "needs_user_input" {
			query = "The name is 'Jas'"
		}
		now := page.dom()
		fields := map[string]any{"url": page.url(), "query": query, "clientCapabilities": abilities, "dom": now}
		if a.TaskID != "" {
			fields["clientObservations"] = map[string]bool{"didDomMutate": now != was}
		}
		was = now
		return fields
	})
}

// chainJob is the registration, by a client that takes chains.
func (s *soak) chainJob() *job {
	filled, saved := 0, ""
	return s.begin("chain", s.jo(), func(a interact.Answer) map[string]any {
		fields := map[string]any{"url": "https://shop.example/", "query": registrationTask, "clientCapabilities": []string{"chain"}}
		if a.Action != "" {
			fields["lastActionStatus"] = "success"
		}
		if done := actionsOf(a); len(a.Actions) > 0 {
			filled, fields["lastExecutedActionIndex"] = min(filled+len(done), len(registrationFields)), len(done)-1
		} else if click, err := action.Parse(a.Action); err == nil && click.Name == action.Click && click.Target == "99" {
			saved = `<div role=status>Registration was saved</div>`
		} else if err == nil && click.Name == action.SetValue {
			filled = min(filled+1, len(registrationFields))
		}
		fields["dom"] = saved + registration(11, filled)
		return fields
	})
}

func holdsATask(s *soak, draw *rand.Rand) {
	j, last := s.clinicJob("held", draw, byRules), &interact.Answer{}
	if !s.turn(j, last) {
		return
	}
	path := "/api/debug/tasks/" + last.TaskID
	kind := []string{"pause", "takeover"}[draw.IntN(2)]
	if _, held := s.wants(s.jo(), http.MethodPost, path+"/pause", map[string]string{"kind": kind}, http.StatusOK, http.StatusConflict); !held {
		return
	}
	s.wants(s.jo(), http.MethodGet, path+"/turns", nil, http.StatusOK)
	s.wants(s.jo(), http.MethodPost, path+"/resume", map[string]string{"note": "go on"}, http.StatusOK, http.StatusConflict)
	s.finish(j, last)
}

func cancelsATask(s *soak, draw *rand.Rand) {
	j, last := s.clinicJob("cancelled", draw, ""), &interact.Answer{}
	if !s.turn(j, last) {
		return
	}
	s.control(j, "stop")
	s.control(j, "resume")
	if s.turn(j, last) {
		s.control(j, "cancel")
		s.control(j, "cancel") // changes nothing
	}
}

func leavesATask(s *soak, draw *rand.Rand) {
	j, last := s.clinicJob("left", draw, []string{"", byRules}[draw.IntN(2)]), &interact.Answer{}
	for range 1 + draw.IntN(2) {
		if !s.turn(j, last) {
			return
		}
	}
}

func archivesASession(s *soak, draw *rand.Rand) {
	j, last := s.clinicJob("archived", draw, byRules), &interact.Answer{}
	if !s.turn(j, last) {
		return
	}
	if _, fine := s.wants(s.jo(), http.MethodPost, "/api/session", map[string]string{"sessionId": last.SessionID}, http.StatusOK); fine {
		j.mu.Lock()
		j.ended = true
		j.mu.Unlock()
	}
}

// addsADocument adds one, finds it, removes it, and does not find it.
func addsADocument(s *soak, draw *rand.Rand) {
	word := fmt.Sprintf("narwhal%d", draw.Uint32())
	r, fine := s.wants(s.jo(), http.MethodPost, "/api/knowledge/ingest", map[string]any{"name": word + ".md", "text": "# Refunds\n\nA " + word + " is refunded within five days."}, http.StatusOK)
	if !fine {
		return
	}
	added := answerOf[api.IngestedData](s, r)
	finds := func() bool {
		r, fine := s.wants(s.jo(), http.MethodGet, "/api/knowledge/search?q="+word, nil, http.StatusOK)
		return fine && strings.Contains(string(r.body), added.DocumentID)
	}
	s.comes("document "+added.DocumentID+" is found", finds, "/api/knowledge/sources/"+added.SourceID+"/documents/"+added.DocumentID)
	s.wants(s.jo(), http.MethodPost, "/api/knowledge/sources/"+added.SourceID+"/documents/"+added.DocumentID+"/remove", nil, http.StatusOK, http.StatusNotFound)
	if finds() {
		s.found("document %s is found after it was removed", added.DocumentID)
	}
}

// comes waits until something is so; what never is, is found, and what may say why is printed.
func (s *soak) comes(what string, so func() bool, look ...string) {
	if s.waits(so) {
		return
	}
	s.found("not within %v: %s", answeredWithin, what)
	for _, path := range look {
		r, err := s.ask(s.jo(), http.MethodGet, path, nil, nil)
		s.say("%s: %d %s %v", path, r.status, r.body, err)
	}
}

// waits reports whether something comes to be so.
func (s *soak) waits(so func() bool) bool {
	for until := time.Now().Add(answeredWithin); time.Now().Before(until) && s.Context().Err() == nil; {
		if so() {
			return true
		}
		_ = pause(s.Context(), time.Second)
	}
	return false
}

// zerzura are the texts of all who are erased.
func zerzura() leaktest.Markers { return personal("zerzura") }

// formJob is a form made of somebody's texts.
func (s *soak) formJob(kind string, who client, m leaktest.Markers) *job {
	f := &form{m: m}
	return s.begin(kind, who, func(a interact.Answer) map[string]any {
		if did, err := action.Parse(a.Action); err == nil {
			if did.Name == action.SetValue {
				f.value = did.Text
			}
			f.saved = f.saved || did.Name == action.Click
		}
		fields := map[string]any{
			"url": "https://clinic.example/" + m["address"] + "?id=" + m["address"], "dom": f.dom(),
			"query":        fmt.Sprintf("Enter %q into the %q field, then click the \"Save\" button", m["typed"]+" "+m["query"], m["label"]),
			"recentEvents": []string{"Added: " + m["event"]},
		}
		if a.TaskID != "" {
			fields["lastActionStatus"] = "success"
		}
		return fields
	})
}

func erasesATask(s *soak, _ *rand.Rand) {
	j, last := s.formJob("erased", s.jo(), zerzura()), &interact.Answer{}
	s.finish(j, last)
	if last.TaskID != "" {
		s.erases(j, "task", last.TaskID)
	}
}

func erasesAUser(s *soak, draw *rand.Rand) {
	m := zerzura()
	email, user := "", ""
	s.comes("a user is made", func() (made bool) {
		email = fmt.Sprintf("%s%d@example.org", m["email"], draw.Uint64())
		var err error
		user, err = s.ids.CreateUser(s.Context(), account.Actor{}, identity.NewUser{TenantID: s.tenant, Email: email, Name: m["name"], Role: account.Member, Password: testPassword})
		return err == nil
	})
	r, fine := s.wants(client{http: s.crowd.http}, http.MethodPost, "/api/v1/auth/login", map[string]string{"email": email, "password": testPassword.Reveal()}, http.StatusOK)
	if !fine {
		return
	}
	who := client{token: answerOf[struct{ AccessToken string }](s, r).AccessToken, http: s.crowd.http}
	s.wants(who, http.MethodPost, "/api/v1/user/preferences", map[string]any{"preferences": map[string]string{"theme": m["preferences"]}}, http.StatusOK)
	j := s.formJob("of an erased user", who, m)
	s.finish(j, &interact.Answer{})
	s.erases(j, "user", user)
}

// erases asks for an erasure and waits until it is done.
func (s *soak) erases(j *job, kind, id string) {
	j.mu.Lock()
	j.erased, j.ended = true, true
	j.mu.Unlock()
	r, fine := s.wants(s.jo(), http.MethodPost, "/api/admin/erasures", map[string]string{"kind": kind, "id": id, "reason": "asked"}, http.StatusOK, http.StatusAccepted)
	if !fine {
		return
	}
	erasure := answerOf[api.ErasureEntry](s, r).ErasureID
	s.comes("erasure "+erasure+" of a "+kind, func() bool {
		r, fine := s.wants(s.jo(), http.MethodGet, "/api/admin/erasures/"+erasure, nil, http.StatusOK)
		return fine && answerOf[api.ErasureEntry](s, r).Status == "completed"
	})
}

// reads looks at a task, or at all of them, in one of the ways there are.
func reads(s *soak, draw *rand.Rand) {
	j := s.crowd.any(draw)
	if j == nil {
		return
	}
	task, session, _, _ := j.known()
	if task == "" {
		return
	}
	of := "/api/debug/tasks/" + task
	paths := []string{
		"/api/debug/tasks", of + "/events?limit=200", of + "/turns", of + "/turns/1", of + "/turns/1/page", of + "/graph", of + "/fields", of + "/replay",
		of + fmt.Sprintf("/state?revision=%d", draw.IntN(30)), of + fmt.Sprintf("/diff?from=%d&to=%d", draw.IntN(3), 3+draw.IntN(3)), "/api/debug/session/" + task + "/export",
		"/api/debug/logs", "/api/debug/projections", "/api/debug/skills", "/api/debug/calibration", "/api/session", "/api/session/latest", "/api/session/" + session + "/messages",
		"/api/usage/summary?groupBy=model", "/api/usage/calls", "/api/usage/export", "/api/usage/budget", "/api/knowledge/sources", "/api/admin/erasures", "/api/admin/audit",
	}
	s.wants(s.jo(), http.MethodGet, paths[draw.IntN(len(paths))], nil, http.StatusOK, http.StatusNotFound, http.StatusGone)
}

// repeats sends a request again that was answered: the answer is the same.
func repeats(s *soak, draw *rand.Rand) {
	j := s.crowd.any(draw)
	if j == nil {
		return
	}
	_, _, all, erased := j.known()
	if erased || len(all) == 0 {
		return
	}
	x := all[draw.IntN(len(all))]
	r, err := s.ask(j.who, http.MethodPost, "/api/agent/interact", x.request, map[string]string{"Idempotency-Key": x.key})
	if _, _, _, erased := j.known(); err == nil && !erased && (r.status != http.StatusOK || !bytes.Equal(r.body, x.reply)) {
		s.found("%s: request %s sent again: status %d\n got: %.500s\nwant: %.500s", j, x.key, r.status, r.body, x.reply)
	}
}

// errs sends what is refused.
func errs(s *soak, draw *rand.Rand) {
	b := s.crowd.bad[draw.IntN(len(s.crowd.bad))]
	r, err := s.ask(s.jo(), http.MethodPost, "/api/agent/interact", b.body, map[string]string{"Idempotency-Key": domain.NewUUID()})
	if err == nil && (r.status != b.status || b.code != "" && r.code() != b.code) {
		s.found("%s: status %d: %.300s", b.name, r.status, r.body)
	}
	stranger := client{token: "nobody", http: s.crowd.http}
	s.wants(stranger, http.MethodGet, []string{"/api/session", "/api/debug/tasks"}[draw.IntN(2)], nil, http.StatusUnauthorized)
}
