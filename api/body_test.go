package api

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
)

func TestBody_MediaTypes(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for header, taken := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "application/json;charset=UTF-8": true, "APPLICATION/JSON": true,
		"": false, "text/plain": false, "application/json; charset=latin1": false, "application/x-www-form-urlencoded": false,
		"application/json+x": false, "multipart/form-data; boundary=x": false, ";": false,
	} {
		w := send(t, s, ask{method: post, target: "/api/agent/interact", token: tokenA, body: goodInteract, header: map[string]string{"Content-Type": header}})
		if taken != (w.Code == http.StatusOK) {
			t.Errorf("Content-Type %q: %d", header, w.Code)
		}
		if !taken {
			wantFailure(t, w, http.StatusUnsupportedMediaType, "INVALID_REQUEST", "Content-Type")
		}
	}
	w := send(t, s, ask{method: post, target: "/api/agent/interact", token: tokenA, body: goodInteract, header: map[string]string{"Content-Encoding": "br"}})
	wantFailure(t, w, http.StatusUnsupportedMediaType, "INVALID_REQUEST", "Content-Encoding")
}

func TestBody_IsJSON(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	for name, body := range map[string]string{
		"nothing": " ", "half an object": `{"url":"https://example.com/"`, "two objects": goodInteract + goodInteract, "an array": `[]`,
		"a text": `"x"`, "null": `null`, "a number": `1`, "single quotes": `{'url':1}`, "markup": `<html>`,
		"a deep nest": strings.Repeat(`{"a":`, 20_000), "a comma too many": `{"url":"x",}`,
	} {
		w := postInteract(t, s, body)
		if e := failure(t, w); w.Code != http.StatusBadRequest || e.Code != "INVALID_REQUEST" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// padded is goodInteract, n bytes long.
func padded(n int) string { return goodInteract + strings.Repeat(" ", n-len(goodInteract)) }

func TestBody_HasACap(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	archive := `{"sessionId":"` + sessionA + `"}`
	for name, tt := range map[string]struct {
		target, body string
		status       int
	}{
		"a small body at its cap":      {"/api/session", archive + strings.Repeat(" ", smallBody-len(archive)), 200},
		"a small body over its cap":    {"/api/session", archive + strings.Repeat(" ", smallBody-len(archive)+1), 413},
		"an interact body at its cap":  {"/api/agent/interact", padded(interactBody), 200},
		"an interact body over it":     {"/api/agent/interact", padded(interactBody + 1), 413},
		"preferences over their cap":   {"/api/v1/user/preferences", `{"preferences":{"a":"` + strings.Repeat("x", smallBody) + `"}}`, 413},
		"preferences within their cap": {"/api/v1/user/preferences", `{"preferences":{"a":"` + strings.Repeat("x", smallBody-100) + `"}}`, 200},
	} {
		for _, length := range []string{"announced", "unknown"} {
			r := ask{method: post, target: tt.target, token: tokenA, body: tt.body}.request(t)
			if length == "unknown" {
				r.ContentLength = -1
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			conforms(t, s, r, w)
			if w.Code != tt.status {
				t.Errorf("%s, length %s: %d, want %d: %.100s", name, length, w.Code, tt.status, w.Body)
			}
		}
	}
}

// slowTurn is an interactor that works longer than a body may take.
type slowTurn struct {
	lasts     time.Duration
	cancelled chan error
}

func (s slowTurn) Interact(ctx context.Context, _ interact.Request) (interact.Result, error) {
	select {
	case <-ctx.Done():
		s.cancelled <- ctx.Err()
		return interact.Result{}, ctx.Err()
	case <-time.After(s.lasts):
		return interact.Result{Answer: []byte(`{}`)}, nil
	}
}

// The time limit on reading a body must not end the turn that follows.
func TestBody_DeadlineEndsWithTheBody(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	s.bodyTimeout = 50 * time.Millisecond
	turn := slowTurn{4 * s.bodyTimeout, make(chan error, 1)}
	s.Interactor = turn
	server := httptest.NewServer(s)
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), post, server.URL+"/api/agent/interact", strings.NewReader(goodInteract))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+tokenA)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || len(turn.cancelled) > 0 {
		t.Errorf("status %d, %d turns cancelled", res.StatusCode, len(turn.cancelled))
	}
}

func TestBody_IsNotWaitedForForever(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	s.bodyTimeout = 50 * time.Millisecond
	server := httptest.NewServer(s)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/agent/interact HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\n\r\n{", tokenA)
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") || !strings.Contains(string(answer), "INVALID_REQUEST") {
		t.Errorf("a client that stalls was answered %q, %v", answer, err)
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "a": 1, "é": 1, "語": 1, "😀": 2, "\ufffd": 1, "a\xffb": 3, "😀a😀": 5} {
		if got := units(text); got != want {
			t.Errorf("units(%q) = %d, want %d", text, got, want)
		}
		if longerThan(text, want) || want > 0 && !longerThan(text, want-1) {
			t.Errorf("longerThan(%q) does not agree with its %d units", text, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		limit int
		want  string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"a😀b", 2, "a"}, {"a😀b", 3, "a😀"}, {"語語", 1, "語"},
	} {
		if got := cut(tt.text, tt.limit); got != tt.want {
			t.Errorf("cut(%q, %d) = %q, want %q", tt.text, tt.limit, got, tt.want)
		}
	}
}
