package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
)

// oneCall is a budget in USD with room for one call of the clinic's tasks, which
// sets some 0.04 aside, and not for two.
const oneCall = "0.06"

// budgetOf sets a tenant's budget by the tool and gives how its month stands.
func (s *server) budgetOf(t *testing.T, tenant string, flags ...string) (now usage.Standing) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.tool(t, append([]string{"tenant", "budget", tenant}, flags...)...)), &now); err != nil {
		t.Fatal(err)
	}
	return now
}

// A budget that is used up ends no task: the client is told why and until when,
// nothing is asked of the model, and the same request goes on once there is room.
func TestBudget_UsedUp(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{})
	s.budgetOf(t, "jo@acme.example", "--amount", "0.01")
	p := visit()
	key, body := p.request()
	for range 2 {
		r, err := s.interact(t.Context(), key, body)
		if err != nil {
			t.Fatal(err)
		}
		var refusal struct {
			Message    string
			RetryAfter int
			Details    struct{ Month, BudgetUSD, SpentUSD, HeldUSD string }
		}
		if err := json.Unmarshal(r.body, &refusal); err != nil {
			t.Fatal(err)
		}
		d := refusal.Details
		if r.status != http.StatusTooManyRequests || r.code() != domain.CodeQuotaExceeded || d.BudgetUSD != "0.01" || d.SpentUSD != "0" || d.HeldUSD != "0" ||
			d.Month != time.Now().UTC().Format("2006-01") || r.header.Get("Retry-After") != strconv.Itoa(refusal.RetryAfter) || refusal.Message == "" {
			t.Errorf("status %d, Retry-After %s: %s", r.status, r.header.Get("Retry-After"), r.body)
		}
	}
	if n := len(model.given()); n != 0 {
		t.Fatalf("the model was asked %d times", n)
	}
	s.budgetOf(t, "jo@acme.example", "--amount", "5")
	p.finish(t, s.client)
	auditTask(t, s, p)
	if p.exchanges[0].key != key {
		t.Error("the first answer is not to the request that was refused")
	}
	for _, e := range streamOf(t, s.system, p.task) {
		if e, failed := e.(task.TaskFailed); failed {
			t.Errorf("the task failed: %+v", e)
		}
	}
	// What was spent is what the ledger says, to the last digit; nothing is held.
	var cost usage.Pico
	for _, c := range ledgerOf(t, s.system, p.task).Calls {
		cost += *c.Charge.Cost
		if c.Started.Reserved == nil || *c.Started.Reserved < *c.Charge.Cost || c.Started.BudgetMonth == "" {
			t.Errorf("set aside for %s: %v in %q", c.Charge.Cost, c.Started.Reserved, c.Started.BudgetMonth)
		}
	}
	if now := s.budgetOf(t, "jo@acme.example"); now.Spent != cost.String() || now.Held != "0" {
		t.Errorf("the month stands at %+v, the ledger at %s", now, cost)
	}
}

// What costs nothing needs no budget: where the rules know what to do, the task
// goes on.
func TestBudget_RulesNeedNone(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{})
	s.budgetOf(t, "jo@acme.example", "--amount", "0")
	p := newPursuit()
	p.finish(t, s.client)
	if p.page.screen != "saved" || len(model.given()) != 0 {
		t.Errorf("the page is %q, the model was asked %d times", p.page.screen, len(model.given()))
	}
}

// Eight tasks of a tenant at once on two servers, with a budget for one call.
func TestBudget_EightAtOnceOnTwoServers(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	asking, answer := make(chan struct{}, 8), make(chan struct{})
	model.asked = func() {
		asking <- struct{}{}
		<-answer
	}
	rig := newCrashRig(t, model)
	s := rig.serve(t)
	s.budgetOf(t, rig.tenant, "--amount", oneCall)
	servers := []client{rig.client(rig.start(t, "")), rig.client(rig.start(t, ""))}
	tasks, replies := make([]*pursuit, 8), make(chan reply, 8)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i := range tasks {
		tasks[i] = visit()
		key, body := tasks[i].request()
		go func() {
			r, err := servers[i%2].interact(ctx, key, body)
			if err != nil {
				r.body = []byte(err.Error())
			}
			replies <- r
		}()
	}
	await(t, "one is admitted", asking)
	for range 7 {
		if r := await(t, "the others are refused", replies); r.status != http.StatusTooManyRequests || r.code() != domain.CodeQuotaExceeded {
			t.Errorf("status %d: %s", r.status, r.body)
		}
	}
	close(answer)
	if r := await(t, "an answer", replies); r.status != http.StatusOK {
		t.Errorf("status %d: %s", r.status, r.body)
	}
	// It was asked by the one task for a plan and, when that was booked, for an action.
	if n := len(model.given()); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A reservation of a process that died is given back when its call is settled;
// one for a call that was never noted when nobody can be about to note it.
func TestBudget_OutlivesACrash(t *testing.T) {
	t.Parallel()
	for point, settled := range map[string]bool{"budget.reserved@1": false, "model.asking@1": true, "budget.charge@1": false} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			model := newFakeGemini(t)
			rig := newCrashRig(t, model)
			s := rig.serve(t)
			s.budgetOf(t, rig.tenant, "--amount", oneCall)
			c := rig.start(t, point)
			p := visit()
			key, body := p.request()
			if _, err := rig.client(c).interact(t.Context(), key, body); err == nil {
				t.Fatal("the server was not killed")
			}
			await(t, "it dies", c.dead)
			if now := s.budgetOf(t, rig.tenant); now.Held == "0" || now.Spent != "0" {
				t.Fatalf("after the crash: %+v", now)
			}
			s.catchUp(t)
			if err := s.sweep(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
			if now := s.budgetOf(t, rig.tenant); now.Held == "0" {
				t.Errorf("a call that may still be under way lost its reservation: %+v", now)
			}
			for range 2 { // the task is never taken up again
				s.catchUp(t)
				if err := s.sweep(t.Context(), time.Now().Add(openCall+time.Minute)); err != nil {
					t.Fatal(err)
				}
			}
			auditSpending(t, s, rig.tenant)
			if n := s.settled(t); (n == 1) != settled {
				t.Errorf("%d calls were settled", n)
			}
		})
	}
}

// settled counts the calls that were billed by estimate.
func (s *server) settled(t *testing.T) (n int) {
	t.Helper()
	for _, l := range s.ledgers(t) {
		for _, c := range l.Calls {
			if c.Settled {
				n++
			}
		}
	}
	return n
}

// auditSpending checks that a tenant's month says what its ledgers do: the same
// sum, and nothing set aside for calls that have ended.
func auditSpending(t *testing.T, s *server, tenant string) {
	t.Helper()
	var cost usage.Pico
	for _, l := range s.ledgers(t) {
		for _, c := range l.Calls {
			switch {
			case !c.Billed():
				t.Errorf("call %s has no bill", c.Started.Call)
			case c.Started.Tenant == tenant:
				cost += *c.Charge.Cost
			}
		}
	}
	now := s.budgetOf(t, tenant)
	if now.Spent != cost.String() || now.Held != "0" {
		t.Errorf("the month has spent %s and holds %s, the ledgers say %s", now.Spent, now.Held, cost)
	}
}

func TestTenantBudget(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	const name = "jo@acme.example"
	if now := s.budgetOf(t, name); now.Budget != nil || now.Spent != "0" || now.Zone != "UTC" {
		t.Errorf("at first: %+v", now)
	}
	now := s.budgetOf(t, name, "--amount", "99.50", "--warn-at", "70,90", "--time-zone", "Asia/Tokyo")
	if now.Budget == nil || *now.Budget != "99.5" || now.Zone != "Asia/Tokyo" || len(now.WarnAt) != 2 || now.WarnAt[1] != 90 {
		t.Errorf("set: %+v", now)
	}
	if now := s.budgetOf(t, now.Tenant, "--amount", "7", "--from", "2999-01"); *now.Budget != "99.5" {
		t.Errorf("a budget of the future holds now: %+v", now)
	}
	if all := s.tool(t, "tenant", "budget"); !strings.Contains(all, now.Tenant) {
		t.Errorf("all with a budget: %s", all)
	}
	if now := s.budgetOf(t, name, "--amount", "none"); now.Budget != nil {
		t.Errorf("taken away: %+v", now)
	}
	for want, args := range map[string][]string{
		"there is no tenant":          {"nobody"},
		"no decimal amount":           {name, "--amount", "1e3"},
		"not negative":                {name, "--amount", "-1"},
		"no month like":               {name, "--amount", "1", "--from", "next"},
		"there is no time zone":       {name, "--time-zone", "Mars/Olympus"},
		"belong to an --amount":       {name, "--warn-at", "50"},
		"name a tenant":               {"--amount", "50"},
		"a percentage from 1 to 1000": {name, "--amount", "1", "--warn-at", "0"},
	} {
		if err := s.toolError(t, append([]string{"tenant", "budget"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestMetrics_OfMoney(t *testing.T) {
	t.Parallel()
	s := newMoneyServer(t)
	tenant := s.budgetOf(t, "jo@acme.example", "--amount", "2").Tenant
	id, call := domain.NewUUID(), domain.NewUUID()
	s.startCallOf(t, tenant, id, call, "gemini-2.5-pro", time.Now())
	s.completeCall(t, tenant, id, call, usage.Meters{Output: 100_000})
	unpriced := domain.NewUUID()
	s.startCallOf(t, tenant, id, unpriced, "gemini-99", time.Now())
	s.completeCall(t, tenant, id, unpriced, usage.Meters{Output: 1})
	if err := s.ledger.Start(t.Context(), startedCall(tenant, id, domain.NewUUID(), "gemini-2.5-pro", time.Now(), 1_000_000)); domain.KindOf(err) != domain.Limited {
		t.Fatal(err)
	}
	for _, want := range []string{
		`stepledger_budget_usd{tenant="` + tenant + `"} 2`,
		`stepledger_budget_spent_usd{tenant="` + tenant + `"} 1`,
		`stepledger_budget_refused_calls_total{tenant="` + tenant + `"} 1`,
		`stepledger_unpriced_calls_total{model="gemini-99",provider="google"} 1`,
	} {
		if got := s.scrape(t); !strings.Contains(got, want+"\n") {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}
