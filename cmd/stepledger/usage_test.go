package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/llm"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// billCall puts a call of a time on the books: a million tokens in.
func (s *server) billCall(t *testing.T, tenant, model string, at time.Time) (id, call string) {
	t.Helper()
	id, call = domain.NewUUID(), domain.NewUUID()
	s.startCallOf(t, tenant, id, call, model, at)
	total := int64(1_000_000)
	if err := s.recorder().Completed(t.Context(), llm.CallCompleted{
		On: llm.On{Tenant: tenant, Task: id}, Call: call, Outcome: llm.OutcomeOK, CompletedAt: at.Add(time.Second),
		Usage: &llm.Usage{InputUncached: total, Total: &total},
	}); err != nil {
		t.Fatal(err)
	}
	return id, call
}

// A month of a tenant goes from the ledger to what finance has of it: over HTTP by
// pages and as a file, from the tool, on a statement; and all of it agrees.
func TestFinance(t *testing.T) {
	t.Parallel()
	s := newMoneyServer(t)
	tenant := s.budgetOf(t, "jo@acme.example", "--time-zone", "Asia/Kolkata").Tenant
	month := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(-5*time.Hour - 30*time.Minute) // March begins there
	s.billCall(t, tenant, "gemini-2.5-flash", month.Add(-time.Second))
	for i := range 5 {
		s.billCall(t, tenant, []string{"gemini-2.5-flash", "gemini-2.5-pro"}[i%2], month.Add(time.Duration(i)*time.Hour))
	}
	s.catchUp(t)

	sum := data[api.UsageData](t, s.get(t, "/api/usage/summary?groupBy=month,model"))
	var groups []string
	for _, g := range sum.Groups {
		groups = append(groups, fmt.Sprintf("%s %d %s", g.Key, g.Calls, g.CostUSD))
	}
	const march = "[2026-02,gemini-2.5-flash 1 0.3 2026-03,gemini-2.5-flash 3 0.9 2026-03,gemini-2.5-pro 2 5]"
	if got := fmt.Sprint(groups); got != march || sum.TimeZone != "Asia/Kolkata" || sum.Totals.CostUSD != "6.2" {
		t.Errorf("summary in %s: %s, %s in all", sum.TimeZone, got, sum.Totals.CostUSD)
	}

	var paged []api.UsageCall
	for next := ""; ; {
		page := data[api.UsageCallsData](t, s.get(t, "/api/usage/calls?limit=4&after="+next))
		paged = append(paged, page.Calls...)
		if next = page.Next; next == "" {
			break
		}
	}
	if len(paged) != 6 || !paged[0].StartedAt.After(paged[5].StartedAt) || *paged[5].CostUSD != "0.3" {
		t.Errorf("calls by pages: %+v", paged)
	}

	over := s.get(t, "/api/usage/export").body
	tool := s.tool(t, "usage", "export", "--tenant", tenant)
	if string(over) != tool {
		t.Errorf("over HTTP\n%s\nfrom the tool\n%s", over, tool)
	}
	file := filepath.Join(t.TempDir(), "focus.csv")
	s.tool(t, "usage", "export", "--tenant", tenant, "--format", "focus", "--from", month.Format(time.RFC3339), "-o", file)
	written, err := os.ReadFile(file)
	if err != nil || strings.Count(string(written), "\n") != 6 {
		t.Errorf("FOCUS rows of March: %v\n%s", err, written)
	}
	if err := s.toolError(t, "usage", "export", "-o", file); err == nil {
		t.Error("a file that was there is written over")
	}

	statement := func(args ...string) (st usage.Statement) {
		t.Helper()
		if err := json.Unmarshal([]byte(s.tool(t, append([]string{"usage", "statement", tenant}, args...)...)), &st); err != nil {
			t.Fatal(err)
		}
		return st
	}
	if st := statement("2026-03"); st.ID != "" || st.Amount != "5.90" || len(st.Lines) != 2 {
		t.Errorf("the draft is %+v", st)
	}
	if err := s.toolError(t, "usage", "statement", tenant, "2026-03", "--issue"); err == nil {
		t.Error("March is issued before February")
	}
	statement("2026-02", "--issue")
	if st := statement("2026-03", "--issue"); st.ID == "" || st.Amount != "5.90" || st.From != month {
		t.Errorf("the statement is %+v", st)
	}
	rows, err := csv.NewReader(strings.NewReader(string(s.get(t, "/api/usage/export?format=focus").body))).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows[1:] {
		if strings.Join(r, ",") == "" || !strings.Contains(strings.Join(r, ","), ",Stepledger,") || strings.Contains(strings.Join(r, ","), ",Stepledger,,") {
			t.Errorf("a row is on no invoice: %v", r)
		}
	}
	if got := s.tool(t, "usage", "reconcile"); !strings.Contains(got, `"calls": 6,`) || !strings.Contains(got, `"differences": 0`) {
		t.Errorf("reconciled: %s", got)
	}
}

// A provider's own list is compared by day and model.
func TestFinance_ReconcilesWithAProvidersList(t *testing.T) {
	t.Parallel()
	s := newMoneyServer(t)
	tenant := s.budgetOf(t, "jo@acme.example").Tenant
	at := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
	s.billCall(t, tenant, "gemini-2.5-flash", at)
	s.billCall(t, tenant, "gemini-2.5-flash", at.Add(time.Hour))
	s.billCall(t, tenant, "gemini-2.5-pro", at)
	list := func(rows string) string {
		name := filepath.Join(t.TempDir(), "list.csv")
		if err := os.WriteFile(name, []byte("Usage Date,Model,Requests,Input Tokens,Cost ($)\n"+rows), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	same := "2026-03-07,gemini-2.5-flash,1,1000000,0.30\n2026-03-07T13:00:00Z,gemini-2.5-flash,1,1000000,3e-1\n2026-03-07,gemini-2.5-pro,1,1000000,$2.501\n"
	s.tool(t, "usage", "reconcile", "--csv", list(same), "--provider", "google", "--tolerance", "0.01")
	for what, rows := range map[string]string{
		"a cost that is off":          same,
		"a call only they have":       same + "2026-03-07,gemini-2.5-lite,1,5,0.01\n",
		"a call only we have":         "2026-03-07,gemini-2.5-flash,2,2000000,0.60\n",
		"a token":                     strings.Replace(same, "1000000", "1000001", 1),
		"a list that is none":         "yesterday,gemini-2.5-flash,2,2000000,0.60\n",
		"a cost that is none":         "2026-03-07,gemini-2.5-flash,2,2000000,much\n",
		"a list without any numbers ": "",
	} {
		if err := s.toolError(t, "usage", "reconcile", "--csv", list(rows), "--provider", "google"); err == nil {
			t.Errorf("%s: nothing was said", what)
		}
	}
	if err := s.toolError(t, "usage", "reconcile", "--csv", list(same)); err == nil {
		t.Error("nobody said whose list it is")
	}
	var d dayDifference
	found, err := comparison{provider: "google", zone: "UTC", tolerance: "0"}.compare(t.Context(), usageview.Queries{DB: s.db}, strings.NewReader("day,model,cost\n2026-03-07,gemini-2.5-flash,0.60\n2026-03-07,gemini-2.5-pro,2\n"),
		func(found dayDifference) error { d = found; return nil })
	if err != nil || found != 1 || d.Model != "gemini-2.5-pro" || *d.Ledger.CostUSD != "2.5" || *d.Provider.CostUSD != "2" {
		t.Errorf("%d differences, %+v, %v", found, d, err)
	}
}

// The read model is the ledger's, whatever was repriced, corrected or settled: the
// tool that says so is right to.
func TestFinance_CorrectionsReachTheNextStatement(t *testing.T) {
	t.Parallel()
	s := newMoneyServer(t)
	tenant := s.budgetOf(t, "jo@acme.example").Tenant
	at := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
	s.billCall(t, tenant, "gemini-99", at) // unpriced
	issue := func(month string) (st usage.Statement) {
		t.Helper()
		if err := json.Unmarshal([]byte(s.tool(t, "usage", "statement", tenant, month, "--issue")), &st); err != nil {
			t.Fatal(err)
		}
		return st
	}
	if st := issue("2026-03"); st.Amount != "0.00" || st.Lines[0].Unpriced != 1 {
		t.Errorf("March is %+v", st)
	}
	s.tool(t, "prices", "import", priceList(t, ",google,gemini-99,2.00,8.00,2026-01-01,their page,\n"))
	if st := issue("2026-04"); st.Amount != "2.00" || st.Lines[0].Kind != usage.LineCorrection || st.Lines[0].Month != "2026-03" || st.Lines[0].Unpriced != -1 {
		t.Errorf("April is %+v", st)
	}
	s.catchUp(t)
	if got := data[api.UsageData](t, s.get(t, "/api/usage/summary?groupBy=month")); len(got.Groups) != 1 || got.Groups[0].Key != "2026-03" || got.Groups[0].CostUSD != "2" {
		t.Errorf("it counts in the month it was made in: %+v", got)
	}
}
