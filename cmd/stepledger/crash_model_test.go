package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/usage"
)

// modelScript is every append of the task below, in order: "call" is an attempt
// put on the ledger, "bill" its end. The third turn has two, since only the
// model can tell whether the name was taken; in the last the rules read the success
// message, and the model says that the task is done. TestCrash_ModelScript holds it
// to the facts.
var modelScript = []string{
	"claim", "call", "bill", "end",
	"claim", "call", "bill", "end",
	"claim", "call", "bill", "call", "bill", "end",
	"claim", "call", "bill", "end",
}

// modelCalls is how often the task asks the model when nothing crashes.
const modelCalls = 5

// loss is what a crash costs: answers that were paid for and lost, and calls
// whose end nobody saw, which are billed by estimate. Where an answer had been
// kept, it is none of either.
type loss struct{ answers, estimates int }

var (
	nothing    = loss{}
	neverAsked = loss{0, 1} // on the ledger, and then the process died
	lost       = loss{1, 1} // the answer came and was not kept
)

// stations of a model call, in order, and what dying there costs. Between them
// are the appends of modelScript. Nothing became durable between one that is the
// same and the one before, or the append before.
var stations = []struct {
	point string
	cost  loss
	same  bool
}{
	{"prompt.keep", nothing, true}, {"prompt.kept", nothing, false},
	{"call.start", nothing, true}, {"budget.reserve", nothing, true}, {"budget.reserved", nothing, false},
	{"call.started", neverAsked, true}, {"model.asking", neverAsked, false}, {"model.answered", lost, false},
	{"answer.keep", lost, true}, {"answer.kept", nothing, false},
	{"bill.note", nothing, true}, {"budget.charge", nothing, true}, {"budget.charged", nothing, false}, {"bill.noted", nothing, true},
}

// thoroughCall is the one at which every station is tried, and thoroughTurn the
// turn it is in; at the others those that are the same as another are left out.
const thoroughCall, thoroughTurn = 3, 3

// modelCrashPoints are the places at which a bill could get lost or doubled, and
// what dying there may cost: whether an append that was sent and not answered
// counts is the server's decision.
func modelCrashPoints() map[string][]loss {
	points := map[string][]loss{}
	for n := 1; n <= modelCalls; n++ {
		for _, s := range stations {
			if !s.same || n == thoroughCall {
				points[s.point+"@"+strconv.Itoa(n)] = []loss{s.cost}
			}
		}
	}
	turn, call := 0, 0
	for i, what := range modelScript {
		n, noted, thorough := strconv.Itoa(i+1), nothing, call == thoroughCall
		switch what {
		case "claim":
			turn++
			points["append.partly@"+n] = []loss{nothing}
			continue
		case "call":
			call++
			noted, thorough = neverAsked, call == thoroughCall
		case "end":
			thorough = turn == thoroughTurn
		}
		points["append.begin@"+n], points["append.committed@"+n] = []loss{nothing}, []loss{noted}
		if thorough {
			points["append.sent@"+n], points["append.acknowledged@"+n] = []loss{nothing, noted}, []loss{noted}
		}
	}
	points["turn.decided@"+strconv.Itoa(thoroughTurn)] = []loss{nothing}
	points["turn.ended@"+strconv.Itoa(thoroughTurn)] = []loss{nothing}
	return points
}

func newModelPursuit() *pursuit {
	p := newPursuit()
	p.page.chips = true
	return p
}

func TestCrash_EveryModelCallHasOneBill(t *testing.T) {
	t.Parallel()
	for point, cost := range modelCrashPoints() {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			model := newFakeGemini(t)
			rig := newCrashRig(t, model)
			p := newModelPursuit()
			pursueAcross(t, p, rig, point)
			s := audit(t, rig, p)
			b := auditBills(t, s, model, p)
			if got := (loss{len(model.given()) - modelCalls, b.estimated}); !slices.Contains(cost, got) {
				t.Errorf("the crash cost %+v, want one of %+v", got, cost)
			}
		})
	}
}

// Nothing crashes here: the task makes the appends and asks the questions that
// the crash points count on.
func TestCrash_ModelScript(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	reached := map[string]int{}
	count := func(point string) {
		mu.Lock()
		defer mu.Unlock()
		reached[point]++
	}
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{append: count, model: count})
	p := newModelPursuit()
	p.finish(t, s.client)
	mu.Lock()
	defer mu.Unlock()
	if reached["append.begin"] != len(modelScript) {
		t.Errorf("%d appends; the script has %d", reached["append.begin"], len(modelScript))
	}
	for _, s := range stations {
		if reached[s.point] != modelCalls {
			t.Errorf("%s was reached %d times by %d calls", s.point, reached[s.point], modelCalls)
		}
	}
	verdict := p.answers[2].Verification
	if verdict == nil || verdict.Tier != 3 {
		t.Errorf("the model was not asked for a verdict: %+v", verdict)
	}
}

// What was learnt between a crash and the repeated request changes what the
// model would be asked. The answer that was paid for counts all the same.
func TestCrash_KeptAnswerOutlivesNewSkills(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	rig := newCrashRig(t, model)
	c := rig.start(t, "append.begin@3") // the bill of the first call: its answer is kept
	p := newModelPursuit()
	if err := p.step(t.Context(), rig.client(c)); !errors.Is(err, errGone) {
		t.Fatalf("the server was not killed: %v", err)
	}
	c = rig.start(t, "")
	teacher := newModelPursuit()
	teacher.page.dead = true // a correction is what is learnt from
	teacher.finish(t, rig.client(c))
	rig.serve(t).catchUp(t)
	before := len(model.given())
	if err := p.step(t.Context(), rig.client(c)); err != nil {
		t.Fatal(err)
	}
	if asked := len(model.given()) - before; asked != 0 {
		t.Errorf("the model was asked %d times for what it had answered", asked)
	}
	p.finish(t, rig.client(c))
	s := audit(t, rig, p, teacher)
	auditBills(t, s, model, p, teacher)
}

// bills are the sums of ledgers.
type bills struct {
	totals    api.UsageTotals
	estimated int
}

// auditBills checks the ledgers of all tasks against the provider's books and
// against what finance is shown: no call without a bill, no answer on two, each
// billed as the provider counts it, those that are missing covered by an
// estimate, sums that are exact, and a budget that has spent just that.
func auditBills(t *testing.T, s *server, model *fakeGemini, done ...*pursuit) bills {
	t.Helper()
	given := map[string]modelAnswer{}
	for _, a := range model.given() {
		given[a.id] = a
	}
	var b bills
	var cost usage.Pico
	tenants := map[string]string{}
	for _, p := range done {
		for _, c := range ledgerOf(t, s.system, p.task).Calls {
			tenants[c.Started.Tenant] = c.Started.Tenant
			b.add(t, c, given)
			cost += *c.Charge.Cost
		}
	}
	if len(given) > b.estimated {
		t.Errorf("%d answers are on no bill, %d calls were billed by estimate", len(given), b.estimated)
	}
	b.totals.CostUSD = cost.String()
	s.catchUp(t)
	shown := data[api.UsageData](t, s.get(t, "/api/usage/summary")).Totals
	if diff := cmp.Diff(b.totals, shown); diff != "" {
		t.Errorf("usage (-ledgers +shown):\n%s", diff)
	}
	// What a process that died has not booked is booked once nobody can be about to.
	if err := s.reconcileBudgets(t.Context(), time.Now().Add(openCall+time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, tenant := range tenants {
		auditSpending(t, s, tenant)
	}
	return b
}

// add puts a call on the sum and takes its answer off the provider's books.
func (b *bills) add(t *testing.T, c usage.Call, given map[string]modelAnswer) {
	t.Helper()
	switch {
	case !c.Billed() || c.Charge.Cost == nil:
		t.Fatalf("call %s has no bill: %+v", c.Started.Call, c)
	case c.Settled:
		b.estimated++
		b.totals.EstimatedCalls++
	default:
		if err := billedAsGiven(c, given); err != nil {
			t.Error(err)
		}
		delete(given, c.Report.ResponseID)
	}
	m := c.Meters
	b.totals.Calls++
	b.totals.InputTokens += m.Input()
	b.totals.OutputTokens += m.Outputs()
	b.totals.TotalTokens += m.Total()
	b.totals.Meters = api.Meters(usage.Meters(b.totals.Meters).Plus(m))
}

// billedAsGiven compares a bill with what the provider has on its books. An
// answer that is not there any more is on another bill already.
func billedAsGiven(c usage.Call, given map[string]modelAnswer) error {
	a, ok := given[c.Report.ResponseID]
	if !ok {
		return fmt.Errorf("call %s: the answer %q was never given, or is on two bills", c.Started.Call, c.Report.ResponseID)
	}
	m := a.meters
	price := map[string]usage.Pico{ // of the seeded book, in pico-USD per token
		"gemini-3.5-flash":       usage.Pico(1_500_000*m.Input() + 9_000_000*m.Outputs()),
		"gemini-3.1-pro-preview": usage.Pico(2_000_000*m.Input() + 12_000_000*m.Outputs()),
		"gemini-2.5-flash":       usage.Pico(300_000*m.Input() + 2_500_000*m.Outputs()),
		"gemini-2.5-pro":         usage.Pico(1_250_000*m.Input() + 10_000_000*m.Outputs()),
	}[a.model]
	if c.Meters != m || *c.Charge.Cost != price {
		return fmt.Errorf("call %s is billed as %+v for %s, the answer %s of %s used %+v, which is %s",
			c.Started.Call, c.Meters, c.Charge.Cost, a.id, a.model, m, price)
	}
	return nil
}
