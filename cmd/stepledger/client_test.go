package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
)

// abilities are what the clients of these tests can do beside what every client can.
var abilities = []string{"press", "hover"}

const clinicTask = "Add a new patient with name 'Jas'"

// client speaks HTTP to a server that may be gone.
type client struct {
	base, token string
	// http is how it is reached, nil for the default.
	http *http.Client
}

// reply is an answer of the server, whatever its status.
type reply struct {
	status int
	header http.Header
	body   []byte
}

var (
	// errGone says that no answer came: the server died or was never there.
	errGone = errors.New("no answer")
	// errBusy says that the server wants the same request again, later.
	errBusy = errors.New("try again")
)

// requestWithin is longer than any request here takes: one that hangs fails its
// test, not the whole run.
const requestWithin = 2 * time.Minute

func (c client) do(ctx context.Context, method, path string, body any, header map[string]string) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, requestWithin)
	defer cancel()
	var payload io.Reader
	if body != nil {
		b, ok := body.([]byte)
		if !ok {
			var err error
			if b, err = json.Marshal(body); err != nil {
				return reply{}, err
			}
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, payload)
	if err != nil {
		return reply{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	res, err := cmp.Or(c.http, http.DefaultClient).Do(req)
	if err != nil {
		return reply{}, fmt.Errorf("%w: %w", errGone, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return reply{}, fmt.Errorf("%w: %w", errGone, err)
	}
	return reply{res.StatusCode, res.Header, b}, nil
}

// data decodes the envelope of a success.
func data[T any](t testing.TB, r reply) T {
	t.Helper()
	var envelope struct {
		Success bool `json:"success"`
		Data    T    `json:"data"`
	}
	if err := json.Unmarshal(r.body, &envelope); err != nil || r.status != http.StatusOK || !envelope.Success {
		t.Fatalf("status %d, body %s (%v)", r.status, r.body, err)
	}
	return envelope.Data
}

// code is the error code of an envelope, "" for a success.
func (r reply) code() string {
	var envelope struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(r.body, &envelope)
	return envelope.Code
}

func (c client) get(t testing.TB, path string) reply {
	t.Helper()
	r, err := c.do(t.Context(), http.MethodGet, path, nil, nil)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return r
}

func (c client) post(t testing.TB, path string, body any, header map[string]string) reply {
	t.Helper()
	r, err := c.do(t.Context(), http.MethodPost, path, body, header)
	if err != nil {
		t.Fatalf("POST %s: %v", path, err)
	}
	return r
}

// interact sends a request of a task under a key.
func (c client) interact(ctx context.Context, key string, body any) (reply, error) {
	return c.do(ctx, http.MethodPost, "/api/agent/interact", body, map[string]string{"Idempotency-Key": key})
}

// atLeast makes a read wait for a position of the log, as X-Event-Position
// gave it.
func (c client) atLeast(t testing.TB, position, path string) reply {
	t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return c.get(t, path+sep+"atLeast="+position)
}

// pursuit is a client on its way through a task, one request at a time. A
// request that got no answer is kept and sent again, byte for byte.
type pursuit struct {
	page  clinic
	query string
	// reply is what the user says when asked.
	reply         string
	task, session string
	pendingKey    string
	pending       []byte
	// exchanges are the answered requests, answers what the client made of them.
	exchanges []exchange
	answers   []interact.Answer
	// position of the last answer in the log.
	position string
	ended    bool
}

// exchange is a request and its answer, as they were on the wire.
type exchange struct {
	key            string
	request, reply []byte
}

func newPursuit() *pursuit { return &pursuit{page: clinic{screen: "list"}, query: clinicTask} }

// request is the body to send now.
func (p *pursuit) request() (key string, body []byte) {
	if p.pending == nil {
		fields := map[string]any{"url": p.page.url(), "query": p.query, "clientCapabilities": abilities}
		if p.page.nodes > 0 {
			fields["domMode"], fields["pageTitle"], fields["interactiveTree"] = "semantic_v3", "Patients", p.page.tree()
		} else {
			fields["dom"] = p.page.dom()
		}
		if p.task != "" {
			fields["taskId"], fields["sessionId"] = p.task, p.session
			fields["clientObservations"] = map[string]bool{"didDomMutate": len(p.answers)%2 == 0 && !p.page.dead}
		}
		body, err := json.Marshal(fields)
		if err != nil {
			panic(err) // strings and booleans always encode
		}
		p.pendingKey, p.pending = domain.NewUUID(), body
	}
	return p.pendingKey, p.pending
}

// step sends the request and does what the answer says. After errGone and
// errBusy the request is still pending, for the next step.
func (p *pursuit) step(ctx context.Context, c client) error {
	key, body := p.request()
	r, err := c.interact(ctx, key, body)
	if err != nil {
		return err
	}
	switch r.status {
	case http.StatusOK:
	case http.StatusConflict, http.StatusServiceUnavailable:
		if r.header.Get("Retry-After") == "" {
			return fmt.Errorf("status %d without Retry-After: %s", r.status, r.body)
		}
		return fmt.Errorf("%w: status %d", errBusy, r.status)
	default:
		return fmt.Errorf("status %d: %s", r.status, r.body)
	}
	var envelope struct{ Data interact.Answer }
	if err := json.Unmarshal(r.body, &envelope); err != nil {
		return err
	}
	p.exchanges = append(p.exchanges, exchange{key, body, r.body})
	p.position = r.header.Get("X-Event-Position")
	return p.follow(envelope.Data)
}

func (p *pursuit) follow(a interact.Answer) error {
	p.pending = nil
	p.task, p.session = a.TaskID, a.SessionID
	p.answers = append(p.answers, a)
	switch {
	case a.Status == "completed":
		p.ended = true
		return nil
	case a.Status == "executing", a.Status == "correcting":
		return p.page.execute(a.Action)
	case a.Status == "needs_user_input" && p.reply != "":
		p.query = p.reply
		return nil
	}
	return fmt.Errorf("the task is %s: %s", a.Status, a.Thought)
}

// finish walks the rest of the task on a server that lives.
func (p *pursuit) finish(t testing.TB, c client) {
	t.Helper()
	eventually(t, "the task ends", func() bool {
		if p.ended {
			return true
		}
		if err := p.step(t.Context(), c); err != nil && !errors.Is(err, errBusy) {
			t.Fatal(err)
		}
		return p.ended
	})
}
