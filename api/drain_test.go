package api

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patientClient is the most common kind: it sends all of a body before it reads a
// byte of the answer.
func patientClient(t *testing.T, address, head string, body io.Reader) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(conn, body); err != nil {
		t.Fatalf("while the body was sent: %v", err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("while the answer was read: %v", err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// chunks writes a body as chunks of a megabyte.
func chunks(body string) io.Reader {
	const size = 1 << 20
	var parts []io.Reader
	for len(body) > 0 {
		n := min(size, len(body))
		parts = append(parts, strings.NewReader(fmt.Sprintf("%x\r\n", n)+body[:n]+"\r\n"))
		body = body[n:]
	}
	return io.MultiReader(append(parts, strings.NewReader("0\r\n\r\n"))...)
}

func TestBody_ARefusalCanBeRead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newWorld().server())
	defer server.Close()
	address := server.Listener.Addr().String()
	large := goodInteract + strings.Repeat(" ", 30_000_000)
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	for i := range 3_000_000 {
		fmt.Fprint(z, i*i, " ")
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	announced := func(n int) string { return "Content-Length: " + strconv.Itoa(n) }
	for name, tt := range map[string]struct {
		path, token, framing, more string
		body                       io.Reader
		status                     int
	}{
		"too large":             {"/api/agent/interact", tokenA, announced(len(large)), "", strings.NewReader(large), 413},
		"too large, in chunks":  {"/api/agent/interact", tokenA, "Transfer-Encoding: chunked", "", chunks(large), 413},
		"without a token":       {"/api/agent/interact", "", announced(len(large)), "", strings.NewReader(large), 401},
		"compressed":            {"/api/agent/interact", tokenA, announced(packed.Len()), "Content-Encoding: gzip\r\n", strings.NewReader(packed.String()), 413},
		"compressed, in chunks": {"/api/agent/interact", tokenA, "Transfer-Encoding: chunked", "Content-Encoding: gzip\r\n", chunks(packed.String()), 413},
		"of an unknown coding":  {"/api/agent/interact", tokenA, announced(packed.Len()), "Content-Encoding: br\r\n", strings.NewReader(packed.String()), 415},
		"to a small route":      {"/api/session", tokenA, announced(len(large)), "", strings.NewReader(large), 413},
		"a login":               {"/api/v1/auth/login", "", "Transfer-Encoding: chunked", "", chunks(large), 413},
		"to nowhere":            {"/api/nowhere", tokenA, announced(len(large)), "", strings.NewReader(large), 404},
		"to a wrong parameter":  {"/api/agent/interact?a=1&a=2", tokenA, announced(len(large)), "", strings.NewReader(large), 400},
	} {
		t.Run(name, func(t *testing.T) {
			head := "POST " + tt.path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + tt.framing + "\r\n" + tt.more
			if tt.token != "" {
				head += "Authorization: Bearer " + tt.token + "\r\n"
			}
			res := patientClient(t, address, head+"\r\n", tt.body)
			body, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != tt.status || !strings.Contains(string(body), `"success":false`) {
				t.Errorf("%d %s, %v", res.StatusCode, body, err)
			}
		})
	}
}

// A client that asks first is told without sending anything, and one that sends
// what fits keeps its connection.
func TestBody_IsNotHeardOutForNothing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newWorld().server())
	defer server.Close()
	address := server.Listener.Addr().String()
	head := "POST /api/agent/interact HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer " + tokenA + "\r\n"
	res := patientClient(t, address, head+"Expect: 100-continue\r\nContent-Length: 30000000\r\n\r\n", strings.NewReader(""))
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("asked first: %d", res.StatusCode)
	}
	res = patientClient(t, address, head+"Content-Length: "+strconv.Itoa(len(goodInteract))+"\r\n\r\n", strings.NewReader(goodInteract))
	if res.StatusCode != http.StatusOK || res.Close {
		t.Errorf("what fits: %d, closes %t", res.StatusCode, res.Close)
	}
}

func TestBody_BytesInFlightAreBounded(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	s.bodies = newBodyBudget(4<<20, 3<<20)
	other := &call{who: s.Identity.(*world).tokens[tokenB]}
	large := padded(2 << 20)
	if w := postInteract(t, s, large); w.Code != http.StatusOK {
		t.Fatalf("with room: %d %s", w.Code, w.Body)
	}
	if s.bodies.now != 0 || len(s.bodies.by) != 0 {
		t.Errorf("afterwards %d bytes count, of %v", s.bodies.now, s.bodies.by)
	}
	if err := s.bodies.take(other, 2<<20); err != nil {
		t.Fatal(err)
	}
	w := postInteract(t, s, large)
	wantFailure(t, w, http.StatusServiceUnavailable, "SERVER_BUSY", "")
	if w.Header().Get("Retry-After") == "" {
		t.Error("it does not say when to come again")
	}
	if w := postInteract(t, s, goodInteract); w.Code != http.StatusOK {
		t.Errorf("a small body: %d %s", w.Code, w.Body)
	}
	s.bodies.release(other)
	if w := postInteract(t, s, large); w.Code != http.StatusOK {
		t.Errorf("with room again: %d", w.Code)
	}
	wantFailure(t, postInteract(t, s, padded(3<<20+1)), http.StatusServiceUnavailable, "SERVER_BUSY", "")
}
