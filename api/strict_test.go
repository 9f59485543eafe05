package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
)

func TestBody_IsUTF8(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	const bad = "\xff"
	for name, tt := range map[string]struct{ target, body, field string }{
		"in the query":         {"/api/agent/interact", `{"url":"https://a.test/","dom":"<p>","query":"a` + bad + `"}`, "query"},
		"in the page":          {"/api/agent/interact", `{"url":"https://a.test/","query":"go","dom":"<p>` + "\xc3" + `</p>"}`, "dom"},
		"in a node":            {"/api/agent/interact", `{"url":"https://a.test/","query":"go","interactiveTree":[{"i":"1","r":"btn"},{"i":"2","n":"` + bad + `"}]}`, "interactiveTree[1].n"},
		"in a report":          {"/api/agent/interact", `{"clientObservations":{"failedRequests":[{"path":"` + bad + `"}]}}`, "clientObservations.failedRequests[0].path"},
		"in a name":            {"/api/agent/interact", `{"clientObservations":{"` + bad + `":1}}`, "clientObservations"},
		"in a field of nobody": {"/api/agent/interact", `{"colour":"` + bad + `"}`, "colour"},
		"in an email":          {"/api/v1/auth/login", `{"email":"` + bad + `","password":"x"}`, "email"},
		"in a preference":      {"/api/v1/user/preferences", `{"preferences":{"a":["` + bad + `"]}}`, "preferences.a[0]"},
		"in a session id":      {"/api/session", `{"sessionId":"` + bad + `"}`, "sessionId"},
	} {
		w := send(t, s, ask{method: post, target: tt.target, token: tokenA, body: tt.body})
		if e := failure(t, w); w.Code != http.StatusBadRequest || e.Details["field"] != tt.field {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestBody_NamesAFieldOnce(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for name, tt := range map[string]struct{ target, body, field string }{
		"a url":                   {"/api/agent/interact", `{"url":"https://a.test/","url":"https://b.test/"}`, "url"},
		"a url in capitals":       {"/api/agent/interact", `{"url":"https://a.test/","URL":"https://b.test/"}`, "url"},
		"an escaped task id":      {"/api/agent/interact", `{"taskId":null,"\u0074askId":null}`, "taskId"},
		"within a report":         {"/api/agent/interact", `{"lastActionError":{"code":"A","code":"B"}}`, "lastActionError.code"},
		"within a node":           {"/api/agent/interact", `{"interactiveTree":[{"i":"1"},{"i":"1","i":"2"}]}`, "interactiveTree[1].i"},
		"a password":              {"/api/v1/auth/login", `{"email":"a@b.c","password":"x","password":"y"}`, "password"},
		"a session":               {"/api/session", `{"sessionId":"x","sessionId":"y"}`, "sessionId"},
		"all preferences":         {"/api/v1/user/preferences", `{"preferences":{},"Preferences":{}}`, "preferences"},
		"one of many preferences": {"/api/v1/user/preferences", `{"preferences":{"a":1,"a":2}}`, "preferences.a"},
	} {
		w := send(t, s, ask{method: post, target: tt.target, token: tokenA, body: tt.body})
		e := failure(t, w)
		field, _ := e.Details["field"].(string)
		if w.Code != http.StatusBadRequest || e.Code != "INVALID_REQUEST" || field != tt.field {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	w := send(t, s, ask{method: post, target: "/api/v1/user/preferences", token: tokenA, body: `{"preferences":{"a":1,"A":2}}`})
	if w.Code != http.StatusOK {
		t.Errorf("preferences that differ in case: %d %s", w.Code, w.Body)
	}
}

// What a body decodes to is bounded before it is decoded, whatever it is made of.
// Not parallel: it measures what is allocated.
func TestBody_CostsNoMoreThanItsBytes(t *testing.T) { //nolint:paralleltest // it measures the process
	fill := func(head, item, tail string) []byte {
		n := (interactBody - len(head) - len(tail)) / (len(item) + 1)
		return []byte(head + strings.Repeat(item+",", n-1) + item + tail)
	}
	const start = `{"url":"https://a.test/","query":"go","dom":"<p>",`
	for name, body := range map[string][]byte{
		"a tree of nothing":          fill(start+`"interactiveTree":[`, `{}`, `]}`),
		"the other tree of nothing":  fill(start+`"interactive_tree":[`, `{}`, `]}`),
		"nodes that are null":        fill(start+`"semanticNodes":[`, `null`, `]}`),
		"containers of nothing":      fill(start+`"scrollableContainers":[`, `{}`, `]}`),
		"empty events":               fill(start+`"recentEvents":[`, `""`, `]}`),
		"requests that failed":       fill(start+`"clientObservations":{"failedRequests":[`, `{}`, `]}}`),
		"executed actions":           fill(start+`"chainPartialState":{"executedActions":[`, `""`, `]}}`),
		"what nobody knows":          fill(start+`"colours":[`, `0`, `]}`),
		"lists of lists":             fill(start+`"colours":[`, `[[],[]]`, `]}`),
		"a nest":                     []byte(start + `"colours":` + strings.Repeat(`{"a":`, 4_000_000) + "0" + strings.Repeat("}", 1_000_000) + "}"),
		"a text of nothing but ends": fill(start+`"title":"`, `\"`, `"}`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadInteract(body, "")
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 4*interactBody {
			t.Errorf("%s: %d MB were allocated for %d MB", name, grown>>20, len(body)>>20)
		}
		refused := new(domain.Error)
		if name == "a text of nothing but ends" {
			continue
		}
		if !errors.As(err, &refused) || refused.Kind != domain.TooLarge && refused.Kind != domain.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBody_OfAsManyValuesAsAPageHas(t *testing.T) {
	t.Parallel()
	node := `{"i":"f1_12345","r":"btn","n":"Add to cart","v":"","s":"disabled","xy":[1,2],"f":1,"box":[1,2,3,4],"scr":{"depth":"10%","h":true},"occ":true}`
	tree := strings.TrimSuffix(strings.Repeat(node+",", 20_000), ",")
	if w := postInteract(t, newWorld().server(), with(t, map[string]string{"interactiveTree": "[" + tree + "]"})); w.Code != http.StatusOK {
		t.Errorf("%d %.300s", w.Code, w.Body)
	}
	w := postInteract(t, newWorld().server(), with(t, map[string]string{"interactiveTree": "[" + strings.Repeat("{},", 8_000_000) + "{}]"}))
	wantFailure(t, w, http.StatusRequestEntityTooLarge, "INVALID_REQUEST", "interactiveTree")
}

// Whatever is wrong with a request, the answer does not repeat what it was sent.
func TestErrors_AreShort(t *testing.T) {
	t.Parallel()
	const size = 1_000_000
	long, digits, wide := strings.Repeat("x", size), strings.Repeat("9", size), strings.Repeat("日", size)
	s := newWorld().server()
	for name, a := range map[string]ask{
		"a number":             {body: with(t, map[string]string{"lastExecutedActionIndex": digits})},
		"a number with a dot":  {body: with(t, map[string]string{"lastExecutedActionIndex": digits + ".5"})},
		"a width":              {body: with(t, map[string]string{"viewport": `{"width":` + digits + `}`})},
		"a mode":               {body: with(t, map[string]string{"domMode": text(wide)})},
		"a status":             {body: with(t, map[string]string{"lastActionStatus": text(long)})},
		"a url":                {body: with(t, map[string]string{"url": text(long)})},
		"a task":               {body: with(t, map[string]string{"taskId": text(long)})},
		"an action":            {body: with(t, map[string]string{"lastActionError": `{"action":` + text(long) + `}`})},
		"a name twice":         {body: `{"` + wide + `":1,"` + wide + `":2}`},
		"a name with bad text": {body: `{"` + long + `":{"a":"` + "\xff" + `"}}`},
		"no JSON":              {body: `{"url":` + long + `}`},
		"an email":             {target: "/api/v1/auth/login", body: `{"email":` + text(strings.Repeat("x", 60_000)) + `,"password":"x"}`},
		"a limit":              {method: get, target: "/api/session?limit=" + digits},
		"a status to list":     {method: get, target: "/api/session?status=" + long},
		"a parameter":          {method: get, target: "/api/session?" + long + "=1&" + long + "=2"},
		"a time zone":          {method: get, target: "/api/usage/summary?timeZone=" + long},
		"a grouping":           {method: get, target: "/api/usage/summary?groupBy=" + long},
		"a moment":             {method: get, target: "/api/usage/calls?from=" + long},
		"a place in a list":    {method: get, target: "/api/usage/calls?after=" + long},
		"a revision":           {method: get, target: "/api/debug/tasks/" + taskA + "/state?revision=" + digits},
		"a method":             {method: "X" + strings.ToUpper(long), target: "/api/session"},
		"an id in the path":    {method: get, target: "/api/session/" + long + "/messages"},
	} {
		if a.target == "" {
			a.target = "/api/agent/interact"
		}
		if a.method == "" {
			a.method = post
		}
		a.token = tokenA
		w := httptest.NewRecorder()
		s.ServeHTTP(w, a.request(t))
		if w.Code < 400 || w.Body.Len() > 4_000 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: status %d, %d bytes: %.200s", name, w.Code, w.Body.Len(), w.Body)
		}
	}
}
