package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// newMoneyServer is a server whose metrics are served, and which is silent about
// bills without a price: the tests make some.
func newMoneyServer(t *testing.T) *server {
	t.Helper()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.MetricsAddr, cfg.LogLevel = "127.0.0.1:0", 100
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	return s
}

func (s *server) scrape(t *testing.T) string {
	t.Helper()
	r, err := client{base: s.feed.metricsURL}.do(t.Context(), http.MethodGet, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(r.body)
}

func startedCall(tenant, id, call, model string, at time.Time, output int64) usage.LLMCallStarted {
	return usage.LLMCallStarted{
		Call: call, Tenant: tenant, User: "jo", Task: id, Turn: 1, Purpose: usage.Verification, Role: usage.Fast,
		Provider: usage.Google, Model: model, Attempt: 1, PromptName: "verify.v1", PromptHash: "h",
		EstimatedInputTokens: 1000, EstimatedOutputTokens: output, StartedAt: at,
	}
}

func (s *server) startCallOf(t *testing.T, tenant, id, call, model string, at time.Time) {
	t.Helper()
	if err := s.ledger.Start(t.Context(), startedCall(tenant, id, call, model, at, 100)); err != nil {
		t.Fatal(err)
	}
}

// completeCall notes the end of a call as the model client does.
func (s *server) completeCall(t *testing.T, tenant, id, call string, m usage.Meters) {
	t.Helper()
	total := m.Total()
	err := s.recorder().Completed(t.Context(), llm.CallCompleted{
		On: llm.On{Tenant: tenant, Task: id}, Call: call, Outcome: llm.OutcomeOK, CompletedAt: time.Now(),
		Usage: &llm.Usage{InputUncached: m.InputUncached, InputCached: m.InputCached, Output: m.Output, Thinking: m.Thinking, Total: &total},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// toolError is the error of a subcommand on a server's database.
func (s *server) toolError(t *testing.T, args ...string) error {
	t.Helper()
	env := s.toolEnv()
	var out, errOut bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, &errOut)
	cmd.SetArgs(args)
	return cmd.ExecuteContext(t.Context())
}

// ledgers are all there are, by subject.
func (s *server) ledgers(t *testing.T) map[string]usage.State {
	t.Helper()
	out := map[string]usage.State{}
	for after := int64(0); ; {
		page, err := s.events.ReadAll(t.Context(), after, 0, eventstore.Filter{Categories: []string{"usage"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Events {
			e, err := usage.Codec.Decode(r.Type, r.Data, r.ID, nil)
			if err != nil {
				t.Fatal(err)
			}
			out[r.Stream] = usage.Evolve(out[r.Stream], e)
		}
		if page.Scanned == after {
			return out
		}
		after = page.Scanned
	}
}

func priceList(t *testing.T, rows string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "prices.csv")
	if err := os.WriteFile(name, []byte("version,provider,model,input,output,from,source,replaces\n"+rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A call of a model nobody knows is never free: it is unpriced and everybody is
// told, until a price is imported; then it is corrected, once.
func TestPrices_AnUnknownModelIsUnpricedUntilItsPriceIsImported(t *testing.T) {
	t.Parallel()
	s := newMoneyServer(t)
	tenant := s.budgetOf(t, "jo@acme.example", "--amount", "100").Tenant
	id, call := domain.NewUUID(), domain.NewUUID()
	s.startCallOf(t, tenant, id, call, "gemini-99", time.Now())
	s.completeCall(t, tenant, id, call, usage.Meters{InputUncached: 1_000_000, Output: 500_000})
	s.catchUp(t)
	shown := func() api.UsageTotals { return data[api.UsageData](t, s.get(t, "/api/usage/summary")).Totals }
	if got := shown(); got.UnpricedCalls != 1 || got.CostUSD != "0" || got.InputTokens != 1_000_000 {
		t.Errorf("usage %+v", got)
	}
	if now := s.budgetOf(t, tenant); now.Held == "0" || now.Spent != "0" {
		t.Errorf("what it may cost is not set aside: %+v", now)
	}
	health := func() string { return string(s.get(t, "/api/health").body) }
	if got := health(); !strings.Contains(got, `"prices":{"status":"unhealthy"`) {
		t.Errorf("health %s", got)
	}
	if err := s.toolError(t, "prices", "check"); err == nil {
		t.Error("the check finds nothing")
	}
	list := priceList(t, ",google,gemini-99,2.00,8.00,2026-01-01,their page,\n")
	if got, want := s.tool(t, "prices", "import", list, "--dry-run"), "google/gemini-99@2026-01-01\n1 rows added, 0 were there\n"; got != want {
		t.Errorf("a dry run says %q", got)
	}
	if got := s.tool(t, "prices", "import", list); !strings.HasSuffix(got, "1 bills corrected, 0 still have no price\n") {
		t.Errorf("the import says %q", got)
	}
	for range 2 { // said again, and with bills that are right
		s.tool(t, "prices", "import", list)
		s.tool(t, "prices", "reprice", "--priced")
	}
	s.catchUp(t)
	s.reacted(t)
	if got := shown(); got.UnpricedCalls != 0 || got.CostUSD != "6" {
		t.Errorf("usage %+v", got)
	}
	if now := s.budgetOf(t, tenant); now.Held != "0" || now.Spent != "6" {
		t.Errorf("the month: %+v", now)
	}
	if got := health(); !strings.Contains(got, `"prices":{"status":"healthy"`) {
		t.Errorf("health %s", got)
	}
	if err := s.toolError(t, "prices", "check"); err != nil {
		t.Errorf("the check still finds something: %v", err)
	}
	slice, err := s.events.ReadStream(t.Context(), usage.Stream(id), eventstore.ReadOptions{})
	if err != nil || len(slice.Events) != 3 || slice.Events[2].Type != usage.NameUsageCorrected {
		t.Errorf("%d events, %v", len(slice.Events), err)
	}
}

// openmeter re-prices history on a price change: here the calls before the change
// keep their price, whoever starts a process when.
func TestPrices_AChangeInMidMonth(t *testing.T) {
	t.Parallel()
	s := newMoneyServer(t)
	other := start(t, s.cfg, hooks{}) // two runners, one book
	tenant := s.budgetOf(t, "jo@acme.example").Tenant
	change := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	s.tool(t, "prices", "import", priceList(t, ",google,m,1.00,1.00,2026-01-01,old,\n"))
	s.tool(t, "prices", "import", priceList(t, ",google,m,3.00,3.00,2026-11-15,new,\n"))
	id := domain.NewUUID()
	bill := func(on *server, at time.Time) string {
		t.Helper()
		call := domain.NewUUID()
		on.startCallOf(t, tenant, id, call, "m", at)
		on.completeCall(t, tenant, id, call, usage.Meters{InputUncached: 1_000_000})
		return ledgerOf(t, s.system, id).Calls[call].Charge.Cost.String()
	}
	for _, on := range []*server{s, other} {
		// By when it started, not by when it ended or was noted.
		if got := bill(on, change.Add(-time.Second)); got != "1" {
			t.Errorf("before the change: %s", got)
		}
		if got := bill(on, change); got != "3" {
			t.Errorf("from the change on: %s", got)
		}
	}
	// The change was really on the 10th, and to another price: the row is replaced,
	// and what was billed by it corrected on demand.
	s.tool(t, "prices", "import", priceList(t, "google/m@2026-11-10,google,m,4.00,4.00,2026-11-10,newer,google/m@2026-11-15\n"))
	if got := s.tool(t, "prices", "reprice", "--priced", "--model", "m"); got != "4 bills corrected, 0 still have no price\n" {
		t.Errorf("repricing says %q", got)
	}
	if got := s.tool(t, "prices", "reprice", "--priced", "--model", "m"); got != "0 bills corrected, 0 still have no price\n" {
		t.Errorf("repricing again says %q", got)
	}
	for _, c := range ledgerOf(t, s.system, id).Calls {
		if got := c.Charge.Cost.String(); got != "4" || c.Charge.PriceVersion != "google/m@2026-11-10" {
			t.Errorf("%s by %s", got, c.Charge.PriceVersion)
		}
	}
	s.reacted(t)
	auditSpending(t, s, tenant)
}

// Above how many tokens a prompt is long is the price row's to say.
func TestPrices_ALongPromptBeginsWhereTheRowSays(t *testing.T) {
	t.Parallel()
	s := newMoneyServer(t)
	tenant := s.budgetOf(t, "jo@acme.example").Tenant
	name := filepath.Join(t.TempDir(), "prices.csv")
	const rows = "provider,model,input,longInput,longAbove,from,source\n" +
		"google,m-272k,1,2,272000,2026-01-01,s\ngoogle,m-128k,1,2,128000,2026-01-01,s\ngoogle,m-old,1,2,,2026-01-01,s\n"
	if err := os.WriteFile(name, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	s.tool(t, "prices", "import", name)
	if got := s.tool(t, "prices", "list", "--model", "m-272k"); !strings.Contains(got, "longAbove") || !strings.Contains(got, `,"yes","272000","2",`) {
		t.Errorf("the list says %s", got)
	}
	id := domain.NewUUID()
	for _, tt := range []struct {
		model  string
		prompt int64
		want   string
	}{
		{"m-272k", 250_000, "0.25"}, {"m-272k", 272_000, "0.272"}, {"m-272k", 272_001, "0.544002"},
		{"m-128k", 128_000, "0.128"}, {"m-128k", 150_000, "0.3"}, {"m-old", 200_000, "0.2"}, {"m-old", 250_000, "0.5"},
	} {
		call := domain.NewUUID()
		s.startCallOf(t, tenant, id, call, tt.model, time.Now())
		s.completeCall(t, tenant, id, call, usage.Meters{InputUncached: tt.prompt})
		if got := ledgerOf(t, s.system, id).Calls[call].Charge.Cost.String(); got != tt.want {
			t.Errorf("%s, a prompt of %d: %s, want %s", tt.model, tt.prompt, got, tt.want)
		}
	}
}

func TestPrices_ListIsWhatImportReads(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	for _, flag := range []string{"--json=false", "--json"} {
		name := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(name, []byte(s.tool(t, "prices", "list", flag)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.tool(t, "prices", "import", name); !strings.HasPrefix(got, "0 rows added") {
			t.Errorf("%s: %s", flag, got)
		}
	}
	var lines []struct{ Model, Output string }
	if err := json.Unmarshal([]byte(s.tool(t, "prices", "list", "--json", "--provider", "google", "--model", "gemini-2.5-pro")), &lines); err != nil || len(lines) != 1 || lines[0].Output != "10" {
		t.Errorf("%+v, %v", lines, err)
	}
	overlap := priceList(t, "a,google,m,1,1,2026-01-01,s,\nb,google,m,2,2,2026-01-01,s,\n")
	if err := s.toolError(t, "prices", "import", overlap); err == nil || !strings.Contains(err.Error(), "hold at the same time") {
		t.Errorf("an overlap: %v", err)
	}
}
