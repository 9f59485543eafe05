package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/demoapp"
)

// received is what the scripted server keeps of a request.
type received struct {
	Key, Token string
	Raw        string
	Body       struct {
		Capture
		Query, TaskID, SessionID string
		LastActionStatus         string
		LastActionError          *ActionError
		PreviousURL              string
		ClientObservations       observations
		LastExecutedIndex        *int `json:"lastExecutedActionIndex"`
		ChainPartialState        *partialChain
	}
}

// server is a scripted brain: its nth answer is what script says to the nth
// request.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []received
}

func serve(t *testing.T, script func(n int, r received, w http.ResponseWriter)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, err := io.ReadAll(req.Body)
		if err != nil || req.URL.Path != "/api/agent/interact" || req.Method != http.MethodPost {
			t.Errorf("%s %s: %v", req.Method, req.URL, err)
		}
		r := received{Key: req.Header.Get("Idempotency-Key"), Token: req.Header.Get("Authorization"), Raw: string(raw)}
		if err := json.Unmarshal(raw, &r.Body); err != nil {
			t.Errorf("body: %v", err)
		}
		s.mu.Lock()
		s.requests = append(s.requests, r)
		n := len(s.requests)
		s.mu.Unlock()
		script(n, r, w)
	}))
	t.Cleanup(s.Close)
	return s
}

func answer(w http.ResponseWriter, data map[string]any) {
	data["taskId"], data["sessionId"] = "task-1", "session-1"
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "data": data})
}

func do(w http.ResponseWriter, act string) {
	answer(w, map[string]any{"thought": "next", "action": act})
}

func refuseWith(w http.ResponseWriter, status int, code string, header ...string) {
	if len(header) == 2 {
		w.Header().Set(header[0], header[1])
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"success":false,"code":%q,"message":"no"}`, code)
}

func (s *server) client() *Client {
	return &Client{BaseURL: s.URL + "/", Token: "secret-token", Backoff: time.Millisecond, RetryFor: 20 * time.Second}
}

// lookup finds an element in what the client sent.
func lookup(r received, role, name string) string {
	for _, n := range r.Body.Tree {
		if n.Role == role && string(n.Name) == name {
			return string(n.ID)
		}
	}
	return "none"
}

func TestClient_Run_AddsAPatientAlthoughTheButtonIsBroken(t *testing.T) {
	t.Parallel()
	s := serve(t, func(n int, r received, w http.ResponseWriter) {
		switch n {
		case 1:
			do(w, fmt.Sprintf("click(%q)", lookup(r, "btn", "New patient")))
		case 2:
			answer(w, map[string]any{
				"action": fmt.Sprintf("click(%q)", lookup(r, "link", "Add patient")), "status": "correcting",
				"verification": map[string]any{"actionSucceeded": false, "confidence": 0.2, "observations": []string{"nothing changed"}, "tier": 1},
				"correction":   map[string]any{"strategy": "ALTERNATIVE_SELECTOR", "attempt": 1},
			})
		case 3:
			do(w, fmt.Sprintf("setValue(%q, \"Jas\")", lookup(r, "inp", "Full name")))
		case 4:
			do(w, fmt.Sprintf("click(%q)", lookup(r, "btn", "Save")))
		default:
			answer(w, map[string]any{"action": `finish("Jas was added")`, "status": "completed", "usage": map[string]any{"promptTokens": 7}})
		}
	})
	tab := openDemo(t, demoapp.Options{BrokenButton: true}, "/")
	var turns []Turn
	got, err := s.client().Run(t.Context(), tab, Goal{
		Query: "add a patient named Jas", OnTurn: func(turn Turn) { turns = append(turns, turn) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Outcome{Status: "completed", Message: "Jas was added", TaskID: "task-1", SessionID: "session-1", Turns: 5}); !equal(got, want) {
		t.Errorf("outcome %+v, want %+v", got, want)
	}
	if len(turns) != 5 || turns[1].Answer.Correction.Strategy != "ALTERNATIVE_SELECTOR" || turns[1].Answer.Verification.Confidence != 0.2 ||
		turns[4].Answer.Usage.PromptTokens != 7 || turns[0].Report.Status != StatusSuccess || turns[0].Title == "" || turns[0].Answering <= 0 {
		t.Errorf("turns %+v", turns)
	}

	first, second, last := s.requests[0], s.requests[1], s.requests[4]
	if first.Body.TaskID != "" || strings.Contains(first.Raw, "lastActionStatus") || first.Token != "Bearer secret-token" ||
		first.Body.Query != "add a patient named Jas" || first.Body.Mode != page.ModeSemanticV3 {
		t.Errorf("first request: %s", first.Raw)
	}
	if o := second.Body.ClientObservations; second.Body.TaskID != "task-1" || second.Body.SessionID != "session-1" ||
		second.Body.LastActionStatus != "success" || o.DidDOMMutate || o.DidNetworkOccur || o.DidURLChange {
		t.Errorf("after the broken button: %+v", second.Body)
	}
	if o := last.Body.ClientObservations; !o.DidDOMMutate || !o.DidNetworkOccur || !o.DidURLChange || !last.Body.HasSuccess ||
		!strings.HasSuffix(last.Body.PreviousURL, "/patients/new") || lookup(last, "link", "Jas") == "none" {
		t.Errorf("after saving: %s", last.Raw)
	}
	keys := map[string]bool{}
	for _, r := range s.requests {
		keys[r.Key] = domain.ValidUUID(r.Key)
	}
	if len(keys) != 5 || slices.Contains(slices.Collect(values(keys)), false) {
		t.Errorf("keys %v", keys)
	}
}

func TestClient_Run_SendsTheTimeZone(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ int, _ received, w http.ResponseWriter) { do(w, `finish("done")`) })
	tab := openDemo(t, demoapp.Options{}, "/")
	err := tab.do(t.Context(), func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.client().Run(t.Context(), tab, Goal{Query: "look"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.requests[0].Raw, `"timezone":"Asia/Tokyo",`) {
		t.Errorf("the request: %s", s.requests[0].Raw)
	}
}

func TestKnownZone(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{"Europe/Oslo": "Europe/Oslo", "UTC": "UTC", "Etc/Unknown": "", "": ""} {
		if got := knownZone(zone); got != want {
			t.Errorf("%q is sent as %q, want %q", zone, got, want)
		}
	}
}

func TestClient_Run_RepeatsTheSameRequestUntilItIsAnswered(t *testing.T) {
	t.Parallel()
	s := serve(t, func(n int, _ received, w http.ResponseWriter) {
		switch n {
		case 1: // the server dies
			panic(http.ErrAbortHandler)
		case 2: // in the middle of its answer
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"success":true,"data":{"act`)
		case 3:
			refuseWith(w, http.StatusServiceUnavailable, "UNAVAILABLE")
		case 4:
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, "<html>bad gateway</html>")
		case 5:
			refuseWith(w, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
		case 6: // the turn is being run by someone else
			refuseWith(w, http.StatusConflict, "RESOURCE_CONFLICT", "Retry-After", "1")
		default:
			do(w, "finish()")
		}
	})
	var turn Turn
	got, err := s.client().Run(t.Context(), openHTML(t, "<button>x</button>"), Goal{Query: "wait for it", OnTurn: func(t Turn) { turn = t }})
	if err != nil || got.Status != "completed" {
		t.Fatalf("outcome %+v, error %v", got, err)
	}
	if len(s.requests) != 7 || turn.Resent != 6 {
		t.Errorf("%d requests, %d repetitions", len(s.requests), turn.Resent)
	}
	for i, r := range s.requests {
		if r.Key != s.requests[0].Key || r.Raw != s.requests[0].Raw {
			t.Errorf("request %d is not the same as the first", i+1)
		}
	}
}

func TestClient_Run_GivesUp(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reply    func(http.ResponseWriter)
		requests int // 0: more than one
		code     string
	}{
		"on a refused token":              {func(w http.ResponseWriter) { refuseWith(w, 401, "UNAUTHORIZED") }, 1, "UNAUTHORIZED"},
		"on a task that is over":          {func(w http.ResponseWriter) { refuseWith(w, 409, "TASK_COMPLETED") }, 1, "TASK_COMPLETED"},
		"after too many steps":            {func(w http.ResponseWriter) { refuseWith(w, 400, "MAX_STEPS_EXCEEDED") }, 1, "MAX_STEPS_EXCEEDED"},
		"when the server stays away":      {func(w http.ResponseWriter) { refuseWith(w, 500, "INTERNAL") }, 0, "INTERNAL"},
		"when told to come back too late": {func(w http.ResponseWriter) { refuseWith(w, 503, "BUSY", "Retry-After", "3600") }, 1, "BUSY"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(_ int, _ received, w http.ResponseWriter) { tt.reply(w) })
			c := s.client()
			c.RetryFor = 100 * time.Millisecond
			_, err := c.Run(t.Context(), openHTML(t, "<button>x</button>"), Goal{Query: "x"})
			var said *ServerError
			if !errors.As(err, &said) || said.Code != tt.code {
				t.Fatalf("error %v", err)
			}
			if n := len(s.requests); n != tt.requests && (tt.requests != 0 || n < 2) {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestClient_Run_StopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(_ int, _ received, w http.ResponseWriter) {
		cancel()
		refuseWith(w, 503, "UNAVAILABLE", "Retry-After", "10")
	})
	if _, err := s.client().Run(ctx, openHTML(t, ""), Goal{Query: "x"}); !errors.Is(err, context.Canceled) && err == nil {
		t.Errorf("error %v", err)
	}
	if len(s.requests) != 1 {
		t.Errorf("%d requests", len(s.requests))
	}
}

func TestClient_Run_SendsTheWholeDocumentWhenAsked(t *testing.T) {
	t.Parallel()
	s := serve(t, func(n int, _ received, w http.ResponseWriter) {
		switch n {
		case 1:
			do(w, "wait(0.01)")
		case 2:
			answer(w, map[string]any{"status": "needs_full_dom", "needsFullDomReason": "hidden part"})
		default:
			do(w, "finish()")
		}
	})
	_, err := s.client().Run(t.Context(), openHTML(t, `<p hidden>Hidden part</p><button>x</button>`), Goal{Query: "x"})
	if err != nil {
		t.Fatal(err)
	}
	second, third := s.requests[1], s.requests[2]
	if strings.Contains(second.Body.DOM, "Hidden part") || third.Body.Mode != page.ModeFull ||
		!strings.Contains(third.Body.DOM, `<p hidden>Hidden part</p>`) {
		t.Errorf("second %s\nthird %s", second.Body.DOM, third.Body.DOM)
	}
	if third.Body.TaskID != "task-1" || third.Key == second.Key || third.Body.LastActionStatus != "success" {
		t.Errorf("third request: %s", third.Raw)
	}
}

func TestClient_Run_AsksTheUserAndContinues(t *testing.T) {
	t.Parallel()
	s := serve(t, func(n int, _ received, w http.ResponseWriter) {
		if n == 1 {
			answer(w, map[string]any{"status": "needs_user_input", "userQuestion": "Which name?", "missingInformation": []string{"name"}})
			return
		}
		do(w, `fail("no such page")`)
	})
	tab, c := openHTML(t, "<button>x</button>"), s.client()
	asked, err := c.Run(t.Context(), tab, Goal{Query: "add a patient"})
	if err != nil || asked.Status != "needs_user_input" || asked.Question != "Which name?" || !slices.Equal(asked.Missing, []string{"name"}) {
		t.Fatalf("outcome %+v, error %v", asked, err)
	}
	got, err := c.Run(t.Context(), tab, Goal{Query: "Jas", TaskID: asked.TaskID, SessionID: asked.SessionID, Turns: asked.Turns})
	if err != nil || got.Status != "failed" || got.Message != "no such page" || got.Turns != 2 {
		t.Errorf("outcome %+v, error %v", got, err)
	}
	if r := s.requests[1].Body; r.TaskID != "task-1" || r.SessionID != "session-1" || r.Query != "Jas" {
		t.Errorf("second request: %s", s.requests[1].Raw)
	}
}

func TestClient_Run_Chains(t *testing.T) {
	t.Parallel()
	chain := func(w http.ResponseWriter, items ...map[string]any) {
		answer(w, map[string]any{"action": items[0]["action"], "actions": items})
	}
	set := func(r received, name, value string) map[string]any {
		return map[string]any{"action": fmt.Sprintf("setValue(%q, %q)", lookup(r, "inp", name), value)}
	}
	s := serve(t, func(n int, r received, w http.ResponseWriter) {
		switch n {
		case 1: // the second may fail, the third must not
			optional := map[string]any{"action": `click("999")`, "canFail": true}
			chain(w, set(r, "Full name", "Jas"), optional, set(r, "Nobody has this field", "x"), set(r, "Phone", "123"))
		case 2:
			chain(w, set(r, "Nor this one", "x"), set(r, "Email", "never"))
		case 3:
			chain(w, set(r, "Email", "jas@example.org"), set(r, "Phone", "555 01 99"))
		default:
			do(w, "finish()")
		}
	})
	tab := openDemo(t, demoapp.Options{}, "/patients/new")
	if _, err := s.client().Run(t.Context(), tab, Goal{Query: "fill"}); err != nil {
		t.Fatal(err)
	}
	broken, atOnce, whole := s.requests[1].Body, s.requests[2].Body, s.requests[3].Body
	if broken.LastActionStatus != "failure" || broken.LastActionError.Code != CodeNotFound || *broken.LastExecutedIndex != 0 ||
		broken.ChainPartialState.TotalActionsInChain != 4 || len(broken.ChainPartialState.ExecutedActions) != 1 {
		t.Errorf("a chain that broke: %s", s.requests[1].Raw)
	}
	if *atOnce.LastExecutedIndex != -1 || atOnce.ChainPartialState == nil || len(atOnce.ChainPartialState.ExecutedActions) != 0 {
		t.Errorf("a chain that broke at once: %s", s.requests[2].Raw)
	}
	if whole.LastActionStatus != "success" || whole.ChainPartialState != nil || *whole.LastExecutedIndex != 1 {
		t.Errorf("a chain that went through: %s", s.requests[3].Raw)
	}
	values := map[string]string{}
	for _, n := range whole.Tree {
		values[string(n.Name)] = string(n.Value)
	}
	if values["Full name"] != "Jas" || values["Email"] != "jas@example.org" || values["Phone"] != "555 01 99" {
		t.Errorf("the form holds %v", values)
	}
}

func TestClient_Run_TellsTheServerWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	s := serve(t, func(n int, _ received, w http.ResponseWriter) {
		if n == 1 {
			do(w, "dance(14)")
			return
		}
		do(w, "finish()")
	})
	if _, err := s.client().Run(t.Context(), openHTML(t, "<button>x</button>"), Goal{Query: "x"}); err != nil {
		t.Fatal(err)
	}
	if e := s.requests[1].Body.LastActionError; e == nil || e.Code != CodeInvalidAction || e.Action != "dance(14)" {
		t.Errorf("second request: %s", s.requests[1].Raw)
	}
}

func TestClient_Run_SendsNoSecretBack(t *testing.T) {
	t.Parallel()
	s := serve(t, func(n int, r received, w http.ResponseWriter) {
		if n == 1 {
			password := fmt.Sprintf(`setValue(%q, "hunter2")`, lookup(r, "inp", "Password"))
			answer(w, map[string]any{"actions": []map[string]any{{"action": password}, {"action": password}}})
			return
		}
		do(w, "finish()")
	})
	tab := openHTML(t, `<input type=password aria-label=Password onchange="this.readOnly = true">`)
	if _, err := s.client().Run(t.Context(), tab, Goal{Query: "log in"}); err != nil {
		t.Fatal(err)
	}
	raw := s.requests[1].Raw
	if s.requests[1].Body.LastActionError == nil || strings.Contains(raw, "hunter2") || strings.Count(raw, "[secret]") != 2 {
		t.Errorf("second request: %s", raw)
	}
}

func TestClient_Run_TellsOfAPageThatCouldNotBeLoaded(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.1:1/nowhere"
	s := serve(t, func(n int, _ received, w http.ResponseWriter) {
		if n == 1 {
			do(w, fmt.Sprintf("navigate(%q)", nowhere))
			return
		}
		do(w, "finish()")
	})
	if _, err := s.client().Run(t.Context(), openHTML(t, "<button>x</button>"), Goal{Query: "x"}); err != nil {
		t.Fatal(err)
	}
	if r := s.requests[1].Body; r.URL != nowhere || r.LastActionError == nil || r.LastActionError.Code != CodeNavigationFailed {
		t.Errorf("second request: %s", s.requests[1].Raw)
	}
}

func TestClient_Run_EndsWhenTheServerNeverDoes(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ int, _ received, w http.ResponseWriter) { do(w, "wait(0.01)") })
	c := s.client()
	c.MaxTurns = 3
	got, err := c.Run(t.Context(), openHTML(t, "<button>x</button>"), Goal{Query: "x"})
	if !errors.Is(err, ErrEndless) || got.Turns != 3 || got.TaskID != "task-1" {
		t.Errorf("outcome %+v, error %v", got, err)
	}
}

func equal(a, b Outcome) bool {
	return a.Status == b.Status && a.Message == b.Message && a.TaskID == b.TaskID && a.SessionID == b.SessionID && a.Turns == b.Turns
}

func values(m map[string]bool) func(func(bool) bool) {
	return func(yield func(bool) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}
