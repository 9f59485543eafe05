package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/leaktest"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/internal/trace/tracetest"
)

// installed are the secrets of an installation and its people, by where they come from.
// Each is looked for like those of a task (seeds).
func installed() leaktest.Markers {
	return leaktest.Markers{
		"a login password":               "Logn00 pass & word",
		"an invited person's password":   "Invt11 pass & word",
		"a changed password":             "Chng22 pass & word",
		"Gemini's key":                   "AIzaGem33AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"the OpenAI-compatible key":      "sk-Opn44BBBBBBBBBBBBBBBB",
		"the search's key":               "tvly-Tav55CCCCCCCCCCCC",
		"the master key":                 base64.StdEncoding.EncodeToString([]byte("Mast66-master-key-of-32-bytes-DD")),
		"the master key's bytes":         "Mast66-master-key-of-32-bytes-DD",
		"the database's password":        "Dbpw77EEEE",
		"the key of the address of bugs": "Dsnk88FFFF",
		"the collector's token":          "Otlp99GGGG",
		"the score keeper's key":         "sk-lf-Lang10HHHH",
	}
}

// parrot is a provider that refuses everything and repeats the key it was sent, as some do:
// with a status that is tried again, and with one that is not, in turn.
func parrot(t *testing.T) (base string, heard func() string) {
	t.Helper()
	var all leaktest.Output
	var mu sync.Mutex
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said := fmt.Sprintf("bad key %s %s in %s", r.Header.Get("Authorization"), r.Header.Get("X-Goog-Api-Key"), r.URL)
		fmt.Fprintln(&all, said, string(body))
		mu.Lock()
		n++
		status := []int{http.StatusBadRequest, http.StatusServiceUnavailable, http.StatusUnauthorized}[n%3]
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"code":%d,"status":"INVALID_ARGUMENT","type":"invalid_request_error","message":%q}}`, status, said)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, all.String
}

// recording is a way to a server that keeps what comes back, but for answers of turns: what
// a client is told to type is secret, and its own.
type recording struct {
	mu      sync.Mutex
	answers []string
}

// RoundTrip implements http.RoundTripper.
func (r *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || req.URL.Path == "/api/agent/interact" {
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(strings.NewReader(string(body)))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, fmt.Sprintln(req.Method, req.URL.Path, res.Header, string(body)))
	return res, err
}

// but are the answers without the one that hands a secret out, which has to be there.
func (r *recording) but(t *testing.T, secret string) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var rest []string
	for _, a := range r.answers {
		if !strings.Contains(a, secret) {
			rest = append(rest, a)
		}
	}
	if given := len(r.answers) - len(rest); given != 1 {
		t.Errorf("%.6s… is in %d answers, want the one that hands it out", secret, given)
	}
	return strings.Join(rest, "\n")
}

// seededConfig is an installation with all of the secrets, and a way to wherever it tells
// of itself.
func seededConfig(t *testing.T, m leaktest.Markers, provider string, traces *tracetest.Server) config {
	t.Helper()
	db, err := url.Parse(pgtest.Database(t, "stepledger", migrate))
	if err != nil {
		t.Fatal(err)
	}
	if password, ok := db.User.Password(); ok && password != "" { // it is the one that works
		m["the database's password"] = password
	} else {
		db.User = url.UserPassword(db.User.Username(), m["the database's password"])
	}
	state := t.TempDir()
	// For the commands, which have no environment of their own.
	if err := os.WriteFile(filepath.Join(state, masterKeyFile), []byte(m["the master key"]), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"DATABASE_URL": db.String(), "STEPLEDGER_STATE_DIR": state, "STEPLEDGER_ADDR": "127.0.0.1:0", "STEPLEDGER_METRICS_ADDR": "127.0.0.1:0",
		"LOG_LEVEL": "debug", "STEPLEDGER_LOG_FORMAT": "json", "STEPLEDGER_MASTER_KEY": m["the master key"], "STEPLEDGER_DEBUG_ANSWERS": "true",
		"GEMINI_API_KEY": m["Gemini's key"], "GOOGLE_GEMINI_BASE_URL": provider,
		"OPENAI_API_KEY": m["the OpenAI-compatible key"], "OPENAI_BASE_URL": provider + "/v1",
		"SMART_MODEL_PROVIDER": byGemini, "SMART_MODEL_FALLBACK_PROVIDER": byOpenAI, "SMART_MODEL_FALLBACK": "m-1",
		"FAST_MODEL_PROVIDER": byOpenAI, "FAST_MODEL_NAME": "m-1", "FAST_MODEL_FALLBACK_PROVIDER": byGemini,
		"TAVILY_API_KEY": m["the search's key"], "TAVILY_BASE_URL": provider,
		"SENTRY_DSN":                  strings.Replace(traces.URL, "http://", "http://"+m["the key of the address of bugs"]+"@", 1) + "/1",
		"OTEL_EXPORTER_OTLP_ENDPOINT": traces.URL, "OTEL_EXPORTER_OTLP_HEADERS": "x-token=" + m["the collector's token"],
		"LANGFUSE_BASE_URL": traces.URL, "LANGFUSE_PUBLIC_KEY": "pk-lf", "LANGFUSE_SECRET_KEY": m["the score keeper's key"],
	}
	cfg, err := configFrom(env)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// Whatever is logged, at the most talkative level, kept in any table, sent to those who
// trace, answered, exported, measured or said in an error: no secret is in it, neither of
// the installation nor of its people nor of a task. A token is in the one answer that
// hands it out.
func TestSecrets_OfAnInstallation(t *testing.T) {
	t.Parallel()
	secrets := installed()
	provider, heard := parrot(t)
	traces := tracetest.New(t)
	cfg := seededConfig(t, secrets, provider, traces)
	var log leaktest.Output
	s := startWith(t, cfg, slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), hooks{})
	overheard := &recording{}
	s.client = client{base: s.base, http: &http.Client{Transport: overheard}}

	tokens := s.seededPeople(t, secrets)
	v := &leakyVisit{query: leakyTask()}
	for range leakyTurns {
		if v.step(t, s.client) {
			break
		}
	}
	s.catchUp(t)
	s.reacted(t)
	if asked := heard(); !strings.Contains(asked, secrets["Gemini's key"]) || !strings.Contains(asked, secrets["the OpenAI-compatible key"]) {
		t.Fatalf("the providers were not asked with the keys: nothing would be shown by their absence: %.2000s", asked)
	}
	said := strings.Join(v.answers, "\n") + everyAnswer(t, s, v) + s.operators(t, &form{task: v.task}) + s.scrape(t) + s.tool(t, "audit", "--tenant", s.tenantID(t))
	said += seededFaults(t, cfg)

	if err := os.Remove(filepath.Join(cfg.StateDir, masterKeyFile)); err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(secrets)
	maps.Copy(all, seeds)
	places := map[string]string{
		"the log": log.String(), "a table": everyRow(t, s), "the traces": traces.Wire(), "what is told": said, "a state file": stateFiles(t, s.cfg.StateDir),
	}
	for what, token := range tokens {
		all[what] = token
		places["an answer beside that of "+what] = overheard.but(t, token)
	}
	for where, text := range places {
		mine := maps.Clone(all)
		if other, ok := strings.CutPrefix(where, "an answer beside that of "); ok {
			for what := range tokens { // each is looked for in all answers but its own
				if what != other {
					delete(mine, what)
				}
			}
		}
		mine.Find(t, where, text)
		if len(text) < 100 && where != "a state file" {
			t.Errorf("%s is %q: nothing is shown by its absence", where, text)
		}
	}
}

func (s *server) tenantID(t *testing.T) string {
	t.Helper()
	return data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
}

// seededPeople logs an admin in, in vain first, has a colleague invited, who accepts and
// changes the password, and leaves the admin's client in place. It returns the tokens that
// were handed out.
func (s *server) seededPeople(t *testing.T, m leaktest.Markers) map[string]string {
	t.Helper()
	tenant, err := s.identity.CreateTenant(t.Context(), account.Actor{}, identity.NewTenant{Name: "Acme", Tier: identity.TierDemo})
	if err != nil {
		t.Fatal(err)
	}
	admin := identity.NewUser{TenantID: tenant, Email: "jo@acme.example", Role: account.Admin, Password: account.Secret(m["a login password"])}
	if _, err := s.identity.CreateUser(t.Context(), account.Actor{}, admin); err != nil {
		t.Fatal(err)
	}
	login := map[string]any{"email": "nobody@acme.example", "password": m["a login password"]}
	s.wants(t, http.MethodPost, "/api/v1/auth/login", login, http.StatusUnauthorized, "INVALID_CREDENTIALS")
	login["email"] = admin.Email
	tokens := map[string]string{"an access token": data[api.LoginData](t, s.post(t, "/api/v1/auth/login", login, nil)).AccessToken}
	s.token = tokens["an access token"]

	tokens["an invitation's token"] = data[api.InvitedData](t, s.post(t, "/api/admin/invites", map[string]any{"email": "bea@acme.example", "role": "engineer"}, nil)).Token
	bea := s.client
	bea.token = ""
	accept := map[string]any{"token": tokens["an invitation's token"], "password": m["an invited person's password"]}
	tokens["the token of an accepted invitation"] = data[api.LoginData](t, bea.post(t, "/api/v1/auth/invite/accept", accept, nil)).AccessToken
	bea.wants(t, http.MethodPost, "/api/v1/auth/invite/accept", accept, http.StatusNotFound, "NOT_FOUND")
	bea.token = tokens["the token of an accepted invitation"]
	change := map[string]any{"currentPassword": m["an invited person's password"], "newPassword": m["a changed password"]}
	tokens["the token after a changed password"] = data[api.LoginData](t, bea.post(t, "/api/v1/auth/password", change, nil)).AccessToken
	bea.wants(t, http.MethodGet, "/api/session", nil, http.StatusUnauthorized, "UNAUTHORIZED")
	bea.token = ""
	// Secrets where they do not belong.
	bea.wants(t, http.MethodPost, "/api/v1/auth/login", []byte(`{"email":"jo@acme.example","password":["`+m["a login password"]+`"]}`), http.StatusBadRequest, "VALIDATION_ERROR")
	bea.wants(t, http.MethodPost, "/api/v1/auth/login", []byte(`{"email":"jo@acme.example","password":"`+m["a login password"]), http.StatusBadRequest, "INVALID_REQUEST")
	return tokens
}

// seededFaults are what is said where a setting with a secret in it is wrong.
func seededFaults(t *testing.T, cfg config) string {
	t.Helper()
	var all strings.Builder
	for what, spoil := range map[string]func(*config){
		"the database is not there": func(c *config) {
			u, err := url.Parse(c.DatabaseURL.Reveal())
			if err != nil {
				t.Fatal(err)
			}
			u.Host, u.RawQuery = "127.0.0.1:1", ""
			c.DatabaseURL = account.Secret(u.String())
		},
		"the address is none": func(c *config) {
			c.DatabaseURL = account.Secret(strings.Replace(c.DatabaseURL.Reveal(), "://", "://[", 1))
		},
		"the master key is none": func(c *config) { c.MasterKey += "x" },
		"another master key": func(c *config) {
			c.MasterKey = account.Secret(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 32))))
		},
		"another log": func(c *config) {
			c.EventStoreURL = account.Secret("esdb://jo:" + installed()["the database's password"] + "@127.0.0.1:1")
		},
	} {
		bad := cfg
		spoil(&bad)
		s, err := openSystem(t.Context(), bad, slog.New(slog.NewJSONHandler(&all, nil)), hooks{})
		if err == nil {
			s.close()
			t.Errorf("%s, and it starts", what)
		}
		fmt.Fprintf(&all, "%s: %v\n%+v\n", what, err, bad)
	}
	return all.String()
}
