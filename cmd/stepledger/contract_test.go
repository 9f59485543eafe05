package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// What clients send and read, written as JSON and not as our types: a change of these
// is a change of the contract, whatever our types say.

// signInPage is a page with a login form.
const signInPage = `<html><body><form><label for='1'>Email</label><input id='1' type='email'><label for='2'>Password</label><input id='2' type='password'><button id='3'>Sign in</button></form></body></html>`

// jsonObject is a part of an answer.
type jsonObject map[string]any

// at follows names and numbers into an answer, "data.messages.0.role"; nil where there
// is nothing.
func (o jsonObject) at(path string) any {
	var v any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(inner) {
				return nil
			}
			v = inner[i]
		default:
			return nil
		}
	}
	return v
}

// has checks the type of each field: text, number, boolean, list, object, time, uuid.
func (o jsonObject) has(t *testing.T, types map[string]string) {
	t.Helper()
	for path, want := range types {
		v := o.at(path)
		if got := kindsOf(v); !got[want] {
			t.Errorf("%s is %v, want a %s", path, v, want)
		}
	}
}

func kindsOf(v any) map[string]bool {
	switch v := v.(type) {
	case string:
		_, err := time.Parse(time.RFC3339, v)
		return map[string]bool{"text": v != "", "time": err == nil, "uuid": domain.ValidUUID(v)}
	case float64:
		return map[string]bool{"number": true}
	case bool:
		return map[string]bool{"boolean": true}
	case []any:
		return map[string]bool{"list": true}
	case map[string]any:
		return map[string]bool{"object": true}
	}
	return nil
}

// literally sends a body as it stands and reads the answer without our types.
func (c client) literally(t *testing.T, method, path, body string) (reply, jsonObject) {
	t.Helper()
	var sent any
	if body != "" {
		sent = []byte(body)
	}
	r, err := c.do(t.Context(), method, path, sent, nil)
	if err != nil {
		t.Fatal(err)
	}
	var o jsonObject
	if err := json.Unmarshal(r.body, &o); err != nil {
		t.Fatalf("%s %s: %d %s", method, path, r.status, r.body)
	}
	return r, o
}

func TestContract_AsClientsSendIt(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	email := newUser(t, s.identity, "ann@acme.example")
	c := client{base: s.base}

	r, login := c.literally(t, http.MethodPost, "/api/v1/auth/login", fmt.Sprintf(`{"email":%q,"password":%q}`, email, testPassword.Reveal()))
	login.has(t, map[string]string{
		"data.accessToken": "text", "data.expiresAt": "time", "data.user.id": "uuid", "data.user.name": "text", "data.tenantId": "uuid", "data.tenantName": "text",
	})
	if r.status != http.StatusOK || login["success"] != true || login.at("data.user.email") != email {
		t.Errorf("login: %d %s", r.status, r.body)
	}
	c.token, _ = login.at("data.accessToken").(string)

	first := c.contractInteract(t, "a first request", `{"url":"https://shop.example.com/login","query":"Sign in as ann@acme.example with the password 'blue-heron'","dom":"`+signInPage+`"}`)
	first.has(t, map[string]string{"data.action": "text"})
	task, session := first.at("data.taskId"), first.at("data.sessionId")
	known := fmt.Sprintf(`"taskId":%q,"sessionId":%q`, task, session)
	for name, report := range map[string]string{
		"a success": `"lastActionStatus":"success"`,
		"a failure": `"lastActionStatus":"failure","lastActionError":{"message":"there is no such element","code":"ELEMENT_NOT_FOUND","action":"click(123)","elementId":123}`,
	} {
		next := c.contractInteract(t, name, `{"url":"https://shop.example.com/login","query":"Go on","dom":"`+signInPage+`",`+known+`,`+report+`}`)
		if next.at("data.taskId") != task || next.at("data.sessionId") != session {
			t.Errorf("after %s the task is %v in %v", name, next.at("data.taskId"), next.at("data.sessionId"))
		}
	}
	s.catchUp(t)
	contractSession(t, c, session.(string))
}

// contractInteract sends an interact request that has to be answered.
func (c client) contractInteract(t *testing.T, name, body string) jsonObject {
	t.Helper()
	r, answer := c.literally(t, http.MethodPost, "/api/agent/interact", body)
	if r.status != http.StatusOK || answer["success"] != true {
		t.Fatalf("%s: %d %s", name, r.status, r.body)
	}
	answer.has(t, map[string]string{"data.thought": "text", "data.taskId": "uuid", "data.sessionId": "uuid", "data.hasOrgKnowledge": "boolean", "data.status": "text"})
	for _, header := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if _, err := strconv.Atoi(r.header.Get(header)); err != nil {
			t.Errorf("%s: %s is %q", name, header, r.header.Get(header))
		}
	}
	return answer
}

// contractSession reads the conversation, and the session touched last.
func contractSession(t *testing.T, c client, session string) {
	t.Helper()
	r, read := c.literally(t, http.MethodGet, "/api/session/"+session+"/messages?limit=50&since=2026-01-27T00:00:00.000Z", "")
	read.has(t, map[string]string{
		"data.sessionId": "uuid", "data.messages": "list", "data.total": "number",
		"data.messages.0.messageId": "text", "data.messages.0.content": "text", "data.messages.0.sequenceNumber": "number", "data.messages.0.timestamp": "time",
		"data.messages.1.actionString": "text", "data.messages.1.sequenceNumber": "number",
	})
	if r.status != http.StatusOK || read["success"] != true || read.at("data.messages.0.role") != "user" || read.at("data.messages.1.role") != "assistant" {
		t.Errorf("messages: %d %s", r.status, r.body)
	}
	r, latest := c.literally(t, http.MethodGet, "/api/session/latest?status=active", "")
	latest.has(t, map[string]string{"data.url": "text", "data.createdAt": "time", "data.updatedAt": "time", "data.messageCount": "number"})
	if r.status != http.StatusOK || latest.at("data.sessionId") != session || latest.at("data.status") != "active" {
		t.Errorf("latest: %d %s", r.status, r.body)
	}
}

func TestContract_ErrorsAsClientsReadThem(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	newLimitedUser(t, s.identity, "li@acme.example")
	limited := s.loginAs(t, "li@acme.example")
	for name, c := range map[string]struct {
		client             client
		method, path, body string
		status             int
		code               string
		has                map[string]string
	}{
		"no token":   {client{base: s.base}, http.MethodGet, "/api/session/latest", "", 401, "UNAUTHORIZED", nil},
		"a password": {client{base: s.base}, http.MethodPost, "/api/v1/auth/login", `{"email":"li@acme.example","password":"wrong"}`, 401, "INVALID_CREDENTIALS", nil},
		"no address": {s.client, http.MethodPost, "/api/agent/interact", `{"url":"x","query":"q","dom":"<p>x</p>"}`, 400, "VALIDATION_ERROR", map[string]string{"details.field": "text", "details.reason": "text"}},
		"no route":   {s.client, http.MethodGet, "/api/nothing", "", 404, "NOT_FOUND", nil},
	} {
		r, e := c.client.literally(t, c.method, c.path, c.body)
		e.has(t, map[string]string{"success": "boolean", "message": "text"})
		e.has(t, c.has)
		if r.status != c.status || e["code"] != c.code || e["success"] != false {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	var r reply
	var e jsonObject
	for range 20 {
		if r, e = limited.literally(t, http.MethodPost, "/api/agent/interact", `{"url":"https://example.com/","query":"q","dom":"<p>x</p>"}`); r.status != http.StatusOK {
			break
		}
	}
	e.has(t, map[string]string{"retryAfter": "number", "message": "text"})
	if r.status != http.StatusTooManyRequests || e["code"] != "RATE_LIMIT" || r.header.Get("X-RateLimit-Remaining") != "0" || r.header.Get("X-RateLimit-Limit") != "10" {
		t.Errorf("the eleventh request of a minute: %d %v %s", r.status, r.header, r.body)
	}
}
