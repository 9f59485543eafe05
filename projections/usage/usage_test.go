package usage_test

import (
	cmp2 "cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/usage"
)

var noon = time.Date(2026, 10, 31, 12, 0, 0, 0, time.UTC)

// call is one call and what became of it.
type call struct {
	ledger.LLMCallStarted
	end []ledger.Event
}

func newCall(change func(*ledger.LLMCallStarted)) *call {
	c := &call{LLMCallStarted: ledger.LLMCallStarted{
		Call: domain.NewUUID(), Tenant: projtest.Tenant, User: projtest.User, Session: "s1", Task: "t1", Turn: 1,
		Purpose: ledger.ActionGeneration, Role: ledger.Smart, Provider: ledger.Google, Model: "m-1", Attempt: 1, StartedAt: noon,
	}}
	if change != nil {
		change(&c.LLMCallStarted)
	}
	return c
}

func cost(usd string) *ledger.Pico {
	p, err := ledger.ParsePico(usd)
	if err != nil {
		panic(err)
	}
	return &p
}

func priced(usd string) ledger.Charge {
	return ledger.Charge{Cost: cost(usd), CostStatus: ledger.Priced, PriceVersion: "v1"}
}

func (c *call) completed(m ledger.Meters, charge ledger.Charge) *call {
	c.end = append(c.end, ledger.LLMCallCompleted{Call: c.Call, TotalMatches: true, Charge: charge, Report: ledger.Report{
		Outcome: ledger.OK, RawUsage: json.RawMessage(`{"totalTokenCount":7,"prompt":7}`), Meters: m, DurationMS: 1200, CompletedAt: noon,
	}})
	return c
}

func (c *call) settled(m ledger.Meters, charge ledger.Charge) *call {
	c.end = append(c.end, ledger.LLMCallSettled{Call: c.Call, Why: "no answer", Meters: m, Charge: charge, SettledAt: noon})
	return c
}

func (c *call) corrected(m ledger.Meters, delta *ledger.Pico, status ledger.CostStatus, late *ledger.Report) *call {
	c.end = append(c.end, ledger.UsageCorrected{
		Call: c.Call, Meters: m, CostDelta: delta, CostStatus: status, PriceVersion: "v2", Late: late, CorrectedAt: noon,
	})
	return c
}

func by(all ...usage.GroupBy) []usage.GroupBy { return all }

func record(e *projtest.Env, calls ...*call) {
	for _, c := range calls {
		projtest.Append(e, ledger.Codec, ledger.Stream(c.Task), append([]ledger.Event{c.LLMCallStarted}, c.end...)...)
	}
	e.CatchUp(usage.Projection)
}

// Postgres holds no NUL, and what is not UTF-8 the codec has replaced: neither may
// stop the books, and rows and sums have to spell it alike.
func TestProjection_TextsPostgresCannotHold(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	odd := newCall(func(s *ledger.LLMCallStarted) {
		s.User, s.Session, s.Model, s.PromptName, s.ServiceTier = "u\x00ser", "s\xff", "\x00m", "p\x00", "\x00flex"
	})
	odd.completed(ledger.Meters{Output: 1}, priced("1"))
	odd.end[0] = withReport(odd.end[0].(ledger.LLMCallCompleted), func(r *ledger.Report) {
		r.ResponseModel, r.ResponseID, r.AnswerRef = "m\x00", "\x00", "a\x00"
	})
	lost := newCall(func(s *ledger.LLMCallStarted) { s.User = "u\x00ser" })
	lost.end = []ledger.Event{
		ledger.LLMCallSettled{Call: lost.Call, Why: "no\x00 answer", Charge: priced("2"), SettledAt: noon},
		ledger.UsageCorrected{Call: lost.Call, Why: "by\x00 hand", CostStatus: ledger.Priced, PriceVersion: "v\x002", CostDelta: cost("1"), CorrectedAt: noon},
	}
	record(e, odd, lost)
	s, err := usage.Queries{DB: e.Pool}.Summary(t.Context(), usage.SummaryFilter{GroupBy: by(usage.ByUser, usage.BySession)})
	if err != nil || s.Calls != 2 || s.Cost != "4" || len(s.Groups) != 2 || s.Groups[1].Keys[0] != "user" || s.Groups[1].Keys[1] != "s\ufffd" {
		t.Fatalf("%+v, %v", s, err)
	}
	if n := e.Count(`select count(*) from read.call where user_id = 'user' and (model = 'm' and service_tier = 'flex' or settled_why = 'no answer' and price_version = 'v2')`); n != 2 {
		t.Errorf("%d rows", n)
	}
}

func withReport(e ledger.LLMCallCompleted, change func(*ledger.Report)) ledger.Event {
	change(&e.Report)
	return e
}

func TestSummary_OfOneCall(t *testing.T) {
	t.Parallel()
	some := ledger.Meters{InputUncached: 3684, InputCached: 7441, Output: 20, Thinking: 409}
	tests := []struct {
		name string
		call *call
		want usage.Totals
	}{
		{"open: counted, costs nothing yet", newCall(nil),
			usage.Totals{Calls: 1, OpenCalls: 1, Cost: "0"}},
		{"completed", newCall(nil).completed(some, priced("0.00240093")),
			usage.Totals{Calls: 1, Meters: some, Cost: "0.00240093"}},
		{"unpriced is not zero", newCall(nil).completed(some, ledger.Charge{CostStatus: ledger.Unpriced}),
			usage.Totals{Calls: 1, UnpricedCalls: 1, Meters: some, Cost: "0"}},
		{"free is zero", newCall(nil).completed(ledger.Meters{}, ledger.Charge{Cost: cost("0"), CostStatus: ledger.Free}),
			usage.Totals{Calls: 1, Cost: "0"}},
		{"settled by estimate", newCall(nil).settled(ledger.Meters{InputUncached: 100}, priced("0.5")),
			usage.Totals{Calls: 1, EstimatedCalls: 1, Meters: ledger.Meters{InputUncached: 100}, Cost: "0.5"}},
		{"a late report takes the estimate's place", newCall(nil).settled(ledger.Meters{InputUncached: 100, Output: 50}, priced("0.5")).
			corrected(ledger.Meters{InputUncached: -10, Output: -45}, cost("-0.2"), ledger.Priced, &ledger.Report{Outcome: ledger.OK, CompletedAt: noon}),
			usage.Totals{Calls: 1, Meters: ledger.Meters{InputUncached: 90, Output: 5}, Cost: "0.3"}},
		{"a price found later is the whole cost", newCall(nil).completed(some, ledger.Charge{CostStatus: ledger.Unpriced}).
			corrected(ledger.Meters{}, cost("0.00240093"), ledger.Priced, nil),
			usage.Totals{Calls: 1, Meters: some, Cost: "0.00240093"}},
		{"a price withdrawn leaves none", newCall(nil).completed(some, priced("7")).
			corrected(ledger.Meters{}, nil, ledger.Unpriced, nil),
			usage.Totals{Calls: 1, UnpricedCalls: 1, Meters: some, Cost: "0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			record(e, tt.call)
			got, err := usage.Queries{DB: e.Pool}.Summary(t.Context(), usage.SummaryFilter{Selection: ledger.Selection{Tenant: projtest.Tenant}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(usage.Summary{Totals: tt.want}, got); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSummary_Groups(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	one := ledger.Meters{InputUncached: 1}
	at := func(s string) time.Time {
		p, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	record(e,
		newCall(nil).completed(one, priced("1")),
		newCall(func(s *ledger.LLMCallStarted) { s.Model, s.Purpose = "m-2", ledger.Verification }).completed(one, priced("2")),
		newCall(func(s *ledger.LLMCallStarted) { s.Task, s.User, s.Session = "t2", "bob", "s2" }).completed(one, priced("4")),
		newCall(func(s *ledger.LLMCallStarted) { s.Tenant, s.Provider = "globex", ledger.OpenAI }).completed(one, priced("8")),
		newCall(func(s *ledger.LLMCallStarted) { s.StartedAt = at("2026-10-31T16:00:00Z") }).completed(one, priced("16")),
		newCall(func(s *ledger.LLMCallStarted) { s.StartedAt = at("2026-11-01T03:00:00Z") }).completed(one, priced("32")),
	)
	tests := []struct {
		name   string
		filter usage.SummaryFilter
		total  string
		want   map[string]string
	}{
		{"everything", usage.SummaryFilter{}, "63", nil},
		{"by tenant", usage.SummaryFilter{GroupBy: by(usage.ByTenant)}, "63", map[string]string{"acme": "55", "globex": "8"}},
		{"by user of a tenant", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "acme"}, GroupBy: by(usage.ByUser)}, "55", map[string]string{"ann": "51", "bob": "4"}},
		{"by session", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "acme"}, GroupBy: by(usage.BySession)}, "55", map[string]string{"s1": "51", "s2": "4"}},
		{"by task", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "acme"}, GroupBy: by(usage.ByTask)}, "55", map[string]string{"t1": "51", "t2": "4"}},
		{"by model", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "acme"}, GroupBy: by(usage.ByModel)}, "55", map[string]string{"m-1": "53", "m-2": "2"}},
		{"by provider", usage.SummaryFilter{GroupBy: by(usage.ByProvider)}, "63", map[string]string{"google": "55", "openai": "8"}},
		{"by action type", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "acme"}, GroupBy: by(usage.ByActionType)}, "55",
			map[string]string{"ACTION_GENERATION": "53", "VERIFICATION": "2"}},
		{"by month", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "acme"}, GroupBy: by(usage.ByMonth)}, "55", map[string]string{"2026-10": "23", "2026-11": "32"}},
		{"by month where it began earlier", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "acme"}, GroupBy: by(usage.ByMonth), Zone: "Asia/Shanghai"}, "55",
			map[string]string{"2026-10": "7", "2026-11": "48"}},
		{"by month where it had not begun", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "acme"}, GroupBy: by(usage.ByMonth), Zone: "America/Los_Angeles"}, "55",
			map[string]string{"2026-10": "55"}},
		{"by day", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "acme"}, GroupBy: by(usage.ByDay)}, "55", map[string]string{"2026-10-31": "23", "2026-11-01": "32"}},
		{"one user's", usage.SummaryFilter{Selection: ledger.Selection{User: "bob"}}, "4", nil},
		{"one session's", usage.SummaryFilter{Selection: ledger.Selection{Session: "s2"}}, "4", nil},
		{"one task's", usage.SummaryFilter{Selection: ledger.Selection{Task: "t2"}}, "4", nil},
		{"one model's", usage.SummaryFilter{Selection: ledger.Selection{Model: "m-2"}}, "2", nil},
		{"one action type's", usage.SummaryFilter{Selection: ledger.Selection{Purpose: "VERIFICATION"}}, "2", nil},
		{"from is inclusive", usage.SummaryFilter{Selection: ledger.Selection{From: at("2026-11-01T03:00:00Z")}}, "32", nil},
		{"to is exclusive", usage.SummaryFilter{Selection: ledger.Selection{To: at("2026-11-01T03:00:00Z")}}, "31", nil},
		{"nothing", usage.SummaryFilter{Selection: ledger.Selection{Tenant: "initech"}, GroupBy: by(usage.ByMonth)}, "0", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := usage.Queries{DB: e.Pool}.Summary(t.Context(), tt.filter)
			if err != nil || got.Cost != tt.total {
				t.Fatalf("got %+v, %v; want %s", got.Totals, err, tt.total)
			}
			var groups map[string]string
			for _, g := range got.Groups {
				if groups == nil {
					groups = map[string]string{}
				}
				groups[strings.Join(g.Keys, "/")] = g.Cost
			}
			if diff := cmp.Diff(tt.want, groups); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

// A float sum of these is 0.0030000000000000… (BerriAI/litellm#8867).
func TestSummary_IsExact(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	var calls []*call
	for range 1000 {
		calls = append(calls, newCall(nil).completed(ledger.Meters{InputUncached: 3}, priced("0.0000003")))
	}
	calls = append(calls, newCall(nil).completed(ledger.Meters{Output: 1}, priced("0.000000000001")),
		newCall(nil).completed(ledger.Meters{Output: 1}, priced("9000000")))
	record(e, calls...)
	got, err := usage.Queries{DB: e.Pool}.Summary(t.Context(), usage.SummaryFilter{})
	if err != nil || got.Cost != "9000000.000300000001" || got.InputUncached != 3000 || got.Calls != 1002 {
		t.Errorf("got %+v, %v; want 9000000.000300000001 for 1002 calls", got.Totals, err)
	}
}

func TestSummary_Refuses(t *testing.T) {
	t.Parallel()
	for field, f := range map[string]usage.SummaryFilter{
		"groupBy":  {GroupBy: by("1; drop table call")},
		"timeZone": {Zone: "Mars/Olympus"},
		"from":     {Selection: ledger.Selection{From: noon.Add(time.Minute)}},
		"to":       {Selection: ledger.Selection{To: noon.Add(time.Second)}},
		"after":    {GroupBy: by(usage.ByTask, usage.ByUser), After: []string{"t1"}},
	} {
		_, err := usage.Queries{}.Summary(t.Context(), f)
		var e *domain.Error
		if !errors.As(err, &e) || e.Kind != domain.Invalid || e.Field != field {
			t.Errorf("%+v: got %v; want an invalid %s", f, err, field)
		}
	}
}

func TestQueries_Open(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	old := newCall(func(s *ledger.LLMCallStarted) { s.EstimatedCost, s.Instance = cost("0.25"), "i-1" })
	young := newCall(func(s *ledger.LLMCallStarted) { s.StartedAt = noon.Add(time.Hour) })
	record(e, old, young, newCall(nil).completed(ledger.Meters{}, priced("1")), newCall(nil).settled(ledger.Meters{}, priced("1")))
	got, err := usage.Queries{DB: e.Pool}.Open(t.Context(), noon.Add(time.Minute))
	if err != nil || len(got) != 1 {
		t.Fatalf("got %+v, %v; want one call", got, err)
	}
	c := got[0]
	if c.ID != old.Call || c.Subject != "t1" || c.Instance != "i-1" || c.Cost != nil || c.EstimatedCost == nil || *c.EstimatedCost != *cost("0.25") || c.EndedAt != nil {
		t.Errorf("got %+v", c)
	}
}

func TestQueries_Calls(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	var calls []*call
	for i := range 7 { // some of one moment
		calls = append(calls, newCall(func(s *ledger.LLMCallStarted) { s.StartedAt = noon.Add(time.Duration(i/3) * time.Hour) }).
			completed(ledger.Meters{Output: int64(i)}, priced(fmt.Sprintf("0.%d", i))))
	}
	calls = append(calls,
		newCall(func(s *ledger.LLMCallStarted) { s.StartedAt = noon.Add(24 * time.Hour) }), // open
		newCall(func(s *ledger.LLMCallStarted) { s.Tenant = "globex" }).completed(ledger.Meters{}, priced("9")),
	)
	record(e, calls...)
	slices.SortFunc(calls, func(a, b *call) int {
		return cmp2.Or(b.StartedAt.Compare(a.StartedAt), strings.Compare(b.Call, a.Call))
	})
	var want []string
	for _, c := range calls {
		if c.Tenant == projtest.Tenant {
			want = append(want, c.Call)
		}
	}
	var got []string
	f := usage.CallFilter{Selection: ledger.Selection{Tenant: projtest.Tenant}, Limit: 2}
	for {
		page, err := usage.Queries{DB: e.Pool}.Calls(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Calls {
			got = append(got, c.ID)
			f.Before = &usage.CallMark{StartedAt: c.StartedAt, ID: c.ID}
			if c.State != usage.Open && string(c.RawUsage) != `{"totalTokenCount":7,"prompt":7}` {
				t.Errorf("raw usage %s is not as it came", c.RawUsage)
			}
		}
		if !page.More {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls by pages, newest first (-want +got):\n%s", diff)
	}
}

func TestQueries_CallsAreChosen(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	open, unpriced := newCall(nil), newCall(func(s *ledger.LLMCallStarted) { s.Task = "t2" }).completed(ledger.Meters{Output: 1}, ledger.Charge{CostStatus: ledger.Unpriced})
	guessed := newCall(func(s *ledger.LLMCallStarted) { s.StartedAt = noon.Add(time.Minute) }).settled(ledger.Meters{Output: 1}, priced("1"))
	record(e, open, unpriced, guessed)
	for name, tt := range map[string]struct {
		filter usage.CallFilter
		want   string
	}{
		"by state":       {usage.CallFilter{State: usage.Open}, open.Call},
		"by cost status": {usage.CallFilter{CostStatus: string(ledger.Unpriced)}, unpriced.Call},
		"by task":        {usage.CallFilter{Selection: ledger.Selection{Task: "t2"}}, unpriced.Call},
		"by time":        {usage.CallFilter{Selection: ledger.Selection{From: noon.Add(time.Second)}}, guessed.Call},
	} {
		tt.filter.Limit = 10
		got, err := usage.Queries{DB: e.Pool}.Calls(t.Context(), tt.filter)
		if err != nil || len(got.Calls) != 1 || got.Calls[0].ID != tt.want {
			t.Errorf("%s: %+v, %v; want %s", name, got, err, tt.want)
		}
	}
}
