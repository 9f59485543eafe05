package main

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// newModelServer reasons by a model that speaks Gemini's protocol.
func newModelServer(t testing.TB, model *fakeGemini, h hooks) *server {
	t.Helper()
	return newServerWith(t, model.env(), h)
}

// newServerWith reasons by the models of an environment.
func newServerWith(t testing.TB, env map[string]string, h hooks) *server {
	t.Helper()
	return newChangedServer(t, env, h, func(*config) {})
}

// newChangedServer is one with other settings besides.
func newChangedServer(t testing.TB, env map[string]string, h hooks, change func(*config)) *server {
	t.Helper()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.Models = modelsFrom(t, env)
	change(&cfg)
	s := start(t, cfg, h)
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	return s
}

// modelsFrom is what an environment says of models.
func modelsFrom(t testing.TB, env map[string]string) modelsConfig {
	t.Helper()
	c, err := configFrom(env)
	if err != nil {
		t.Fatal(err)
	}
	return c.Models
}

// usageOf is what finance is shown of a task, its last answer included.
func usageOf(t *testing.T, s *server, p *pursuit, more string) api.UsageData {
	t.Helper()
	return data[api.UsageData](t, s.atLeast(t, p.position, "/api/usage/summary?taskId="+p.task+more))
}

// The model is asked for four actions (gemini-3.5-flash: 1.50 USD per million
// tokens read, 9.00 written), the last of which is that the task is done, and one
// verdict (gemini-3.1-pro-preview: 2.00 and 12.00), the third question of five.
// Each writes 50 tokens, 30 of them thinking, and reads 10 more than the one
// before, from 1000 on.
func TestModel_EveryTokenIsOnTheBooks(t *testing.T) {
	t.Parallel()
	for _, adapter := range adapters {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			testEveryToken(t, newServerWith(t, newFakeGemini(t).envFor(adapter), hooks{}))
		})
	}
}

func testEveryToken(t *testing.T, s *server) {
	t.Helper()
	p := newModelPursuit()
	p.finish(t, s.client)
	var told [][2]int64
	for _, a := range p.answers {
		told = append(told, [2]int64{a.Usage.PromptTokens, a.Usage.CompletionTokens})
	}
	if diff := cmp.Diff([][2]int64{{1000, 50}, {1010, 50}, {1020 + 1030, 100}, {1040, 50}}, told); diff != "" {
		t.Errorf("tokens the client was told of (-want +got):\n%s", diff)
	}
	acting := api.UsageTotals{
		Calls: 4, InputTokens: 4080, OutputTokens: 200, TotalTokens: 4280,
		Meters: api.Meters{InputUncached: 4080, Output: 80, Thinking: 120}, CostUSD: "0.00792",
	}
	judging := api.UsageTotals{
		Calls: 1, InputTokens: 1020, OutputTokens: 50, TotalTokens: 1070,
		Meters: api.Meters{InputUncached: 1020, Output: 20, Thinking: 30}, CostUSD: "0.00264",
	}
	want := api.UsageData{
		Totals: api.UsageTotals{
			Calls: 5, InputTokens: 5100, OutputTokens: 250, TotalTokens: 5350,
			Meters: api.Meters{InputUncached: 5100, Output: 100, Thinking: 150}, CostUSD: "0.01056",
		},
		GroupBy: "actionType", TimeZone: "UTC",
		Groups: []api.UsageGroup{
			{Key: "ACTION_GENERATION", Keys: []string{"ACTION_GENERATION"}, UsageTotals: acting},
			{Key: "VERIFICATION", Keys: []string{"VERIFICATION"}, UsageTotals: judging},
		},
	}
	if diff := cmp.Diff(want, usageOf(t, s, p, "&groupBy=actionType")); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if health := s.get(t, "/api/health"); !strings.Contains(string(health.body), `"models":{"status":"healthy"`) {
		t.Errorf("health %s", health.body)
	}
}

func TestModel_Rubbish(t *testing.T) {
	t.Parallel()
	const unknown = "Find out who is the youngest and tell me why"
	for _, c := range []struct {
		name, query, says string
		status            string
	}{
		{"rules take over where they know", clinicTask, "I cannot help with that.", "executing"},
		{"an empty answer", clinicTask, " ", "executing"},
		{"a cut answer is no answer", clinicTask, `{"thought":"I go on.","action":"cli`, "executing"},
		{"two answers are none", clinicTask, `{"action":"click(\"12\")"} or {"action":"click(\"11\")"}`, "executing"},
		{"an element that is not on the page", clinicTask, `{"thought":"I go on.","action":"click(\"999\")","confidence":0.9}`, "executing"},
		{"an action there is not", clinicTask, `{"thought":"I go on.","action":"destroy(\"14\")","confidence":0.9}`, "executing"},
		{"an address of nobody's", clinicTask, `{"thought":"I go on.","action":"navigate(\"https://evil.example/?q=Jas\")","confidence":0.9}`, "executing"},
		{"where nobody knows the user is asked", unknown, "{}", "needs_user_input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			model := newFakeGemini(t)
			model.says = c.says
			s := newModelServer(t, model, hooks{})
			a, position := ask(t, s, c.query)
			if a.Status != c.status || a.Thought == "" || c.status == "executing" && a.Action != `click("14")` {
				t.Errorf("answer %+v", a)
			}
			want := api.UsageTotals{ // one try and one repair, both paid
				Calls: 2, InputTokens: 2010, OutputTokens: 100, TotalTokens: 2110,
				Meters: api.Meters{InputUncached: 2010, Output: 40, Thinking: 60}, CostUSD: "0.003915",
			}
			r := s.atLeast(t, position, "/api/usage/summary?taskId="+a.TaskID)
			if diff := cmp.Diff(want, data[api.UsageData](t, r).Totals); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
		})
	}
}

// ask sends the first request of a task and gives its position with the answer.
func ask(t *testing.T, s *server, query string) (interact.Answer, string) {
	t.Helper()
	p := newPursuit()
	p.query = query
	key, body := p.request()
	r := s.post(t, "/api/agent/interact", body, map[string]string{"Idempotency-Key": key})
	return data[interact.Answer](t, r), r.header.Get("X-Event-Position")
}

// An answer whose use the provider does not tell is on the books by estimate,
// never as free.
func TestModel_AnswerWithoutUsage(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	model.silent = true
	s := newModelServer(t, model, hooks{})
	p := newModelPursuit()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	got := usageOf(t, s, p, "").Totals
	if got.Calls != 1 || got.EstimatedCalls != 1 || got.UnpricedCalls != 0 || got.CostUSD == "0" {
		t.Errorf("usage %+v", got)
	}
	for _, c := range ledgerOf(t, s.system, p.task).Calls {
		if c.Charge.Cost.String() != got.CostUSD || !c.Settled || !c.Report.UsageMissing || c.Report.Outcome != usage.OK {
			t.Errorf("the call is %+v", c)
		}
	}
}

// Thinking that only the total tells of is billed, and the books say that it was
// worked out.
func TestModel_ThinkingThatWasNotTold(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	model.vague = true
	s := newServerWith(t, model.envFor(byOpenAI), hooks{})
	p := newPursuit()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	for _, c := range ledgerOf(t, s.system, p.task).Calls {
		want := usage.Meters{InputUncached: 1000, Output: 20, Thinking: 30}
		if c.Meters != want || !c.Report.ThinkingDerived || c.Charge.Cost == nil || c.Started.PromptName == "" || len(c.Started.PromptHash) != 64 {
			t.Errorf("the call is %+v, its report %+v", c, c.Report)
		}
	}
}

// visit is a task whose words only the model understands. It is long enough for a plan.
func visit() *pursuit {
	p := newModelPursuit()
	p.query = "Jas came in today for the first time, see to that"
	return p
}

// What the browser could not do and no rule has another way for is asked of the
// model, and so is whether the task is done after that: both are on the books
// under what they were for, and so is the plan. Whether it still fits when the page has
// changed costs no call.
func TestModel_CorrectionAndProofAreOnTheBooks(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{})
	p := visit()
	turn := func(says, status string, more map[string]any) interact.Answer {
		t.Helper()
		model.set(func(f *fakeGemini) { f.says = says })
		fields := map[string]any{"url": p.page.url(), "dom": p.page.dom(), "query": p.query, "clientCapabilities": abilities}
		if p.task != "" {
			fields["taskId"], fields["sessionId"] = p.task, p.session
		}
		maps.Copy(fields, more)
		r := s.post(t, "/api/agent/interact", fields, nil)
		a := data[interact.Answer](t, r)
		if a.Status != status {
			t.Fatalf("%s, want %s: %+v", a.Status, status, a)
		}
		p.task, p.session, p.position = a.TaskID, a.SessionID, r.header.Get("X-Event-Position")
		return a
	}
	turn(`{`+modelPlan+`,"thought":"I close the notice.","action":"press(\"Escape\")","confidence":0.9}`, "executing", nil)
	a := turn(`{"reason":"There is no notice.","strategy":"UPDATE_PLAN","action":"click(\"14\")","thought":"I open the form."}`, "correcting", map[string]any{
		"lastActionStatus": "failure", "lastActionError": map[string]string{"message": "no page took the key", "code": "NO_FOCUS"},
	})
	if c := a.Correction; c == nil || c.Strategy != "UPDATE_PLAN" || c.RetryAction != `click("14")` {
		t.Errorf("corrected by %+v", a.Correction)
	}
	if err := p.page.execute(a.Action); err != nil {
		t.Fatal(err)
	}
	turn(`{"thought":"It is open.","action":"finish(\"The form is open\")","evidence":"New patient","confidence":0.9,"shown":true,"reason":"The form is there."}`, "completed", nil)
	calls := map[string]int64{}
	for _, g := range usageOf(t, s, p, "&groupBy=actionType").Groups {
		calls[g.Key] = g.Calls
	}
	if diff := cmp.Diff(map[string]int64{"PLANNING": 1, "ACTION_GENERATION": 2, "SELF_CORRECTION": 1, "VERIFICATION": 1}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// An outage of the model is no failure of the task: the client is told when to
// come back, and the same request goes on then.
func TestModel_Outage(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			model := newFakeGemini(t)
			model.outage.status = status
			s := newModelServer(t, model, hooks{})
			p := visit()
			key, body := p.request()
			for range 2 {
				refusedForNow(t, s, key, body)
			}
			if health := s.get(t, "/api/health"); !strings.Contains(string(health.body), `"models":{"status":"unhealthy"`) {
				t.Errorf("health %s", health.body)
			}
			model.set(func(f *fakeGemini) { f.outage = outage{} })
			p.finish(t, s.client)
			if p.page.screen != "saved" || p.exchanges[0].key != key {
				t.Errorf("the page is %q; the first answer is to the request %s, not %s", p.page.screen, p.exchanges[0].key, key)
			}
			auditTask(t, s, p)
			// Two requests asked each of a role's three models once: for a plan, which
			// is done without, and for an action, which is not.
			const refused = 2 * (3 + 3)
			got, want := usageOf(t, s, p, "").Totals, int64(len(model.given())+refused)
			if got.Calls != want || got.UnpricedCalls != 0 || got.EstimatedCalls != 0 || got.InputTokens != inputOf(model) {
				t.Errorf("%d answers came and %d attempts were refused, the usage is %+v", len(model.given()), refused, got)
			}
		})
	}
}

// refusedForNow sends a request to a server whose model is out of reach.
func refusedForNow(t *testing.T, s *server, key string, body []byte) {
	t.Helper()
	r, err := s.interact(t.Context(), key, body)
	if err != nil {
		t.Fatal(err)
	}
	if r.status != http.StatusServiceUnavailable || r.code() != "LLM_ERROR" || r.header.Get("Retry-After") != strconv.Itoa(outageSeconds) {
		t.Errorf("status %d, Retry-After %q: %s", r.status, r.header.Get("Retry-After"), r.body)
	}
}

func inputOf(model *fakeGemini) (tokens int64) {
	for _, a := range model.given() {
		tokens += a.meters.Input()
	}
	return tokens
}

// The third turn needs a verdict and an action. When the model goes away
// between the two, the verdict is not paid for again.
func TestModel_OutageAfterAVerdict(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{})
	p := visit()
	for range 2 {
		if err := p.step(t.Context(), s.client); err != nil {
			t.Fatal(err)
		}
	}
	model.set(func(f *fakeGemini) { f.outage = outage{http.StatusServiceUnavailable, asksForAction} })
	key, body := p.request()
	for range 2 {
		refusedForNow(t, s, key, body)
	}
	model.set(func(f *fakeGemini) { f.outage = outage{} })
	p.finish(t, s.client)
	auditTask(t, s, p)
	verdicts := 0
	for _, c := range ledgerOf(t, s.system, p.task).Calls {
		if c.Started.Purpose == usage.Verification {
			verdicts++
		}
	}
	if verdicts != 1 {
		t.Errorf("the verdict was asked for %d times", verdicts)
	}
	for _, e := range streamOf(t, s.system, p.task) {
		if e, failed := e.(task.TaskFailed); failed {
			t.Errorf("the task failed: %+v", e)
		}
	}
}

// Where the model that thinks is out of reach, another provider's stands in: the
// task is done, its verdict says that it is degraded, and the attempts that
// reached nobody cost nothing.
func TestModel_AnotherProviderStandsIn(t *testing.T) {
	t.Parallel()
	env := newFakeGemini(t).env()
	for name, value := range map[string]string{
		"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "SMART_MODEL_PROVIDER": byOpenAI, "SMART_MODEL_NAME": "nobody",
		"SMART_MODEL_FALLBACK_PROVIDER": byGemini, "SMART_MODEL_FALLBACK": defaultSmartFallback,
	} {
		env[name] = value
	}
	s := newServerWith(t, env, hooks{})
	p := newModelPursuit()
	p.finish(t, s.client)
	var degraded []bool
	for _, e := range streamOf(t, s.system, p.task) {
		if v, ok := e.(task.ActionVerified); ok && v.Tier > 1 {
			degraded = append(degraded, v.Degraded && v.Succeeded && v.By == defaultSmartFallback)
		}
	}
	if diff := cmp.Diff([]bool{true}, degraded); diff != "" {
		t.Errorf("verdicts by the model that stood in: %s", diff)
	}
	attempts := map[string]int{}
	for _, c := range ledgerOf(t, s.system, p.task).Calls {
		attempts[c.Started.Model]++
		if c.Started.Model == "nobody" && (c.Report.Outcome != usage.Unavailable || c.Meters != usage.Meters{}) {
			t.Errorf("an attempt that reached nobody is %+v", c)
		}
	}
	if attempts["nobody"] != 3 || attempts[defaultSmartFallback] != 1 {
		t.Errorf("attempts by model: %v", attempts)
	}
}
