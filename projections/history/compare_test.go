package history_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

// Two tasks: the second needs a correction, which the first does not, and pays for a
// verdict.
func TestReader_Compare(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	open, save := projtest.Target("1", "link", "New patient"), projtest.Target("2", "button", "Save")
	begin := func() *projtest.Task {
		return e.Task(e.Session(), url, "add").Turn(url).Act(projtest.Click("1"), open).End()
	}
	a := begin().
		Turn(url+"/form?v=1").Verdict(true).Act(projtest.Click("2"), save).End().
		Turn(url + "/list").Verdict(true).Complete("saved")
	b := begin().
		Turn(url).Verdict(false).Correct(reasoning.AlternativeSelector, projtest.Click("9"), projtest.Target("9", "button", "Add")).End().
		Turn(url+"/form?v=2#top").Verdict(true).Act(projtest.Click("7"), save).End().
		Turn(url + "/list/").Verdict(true).Complete("saved")
	cost := ledger.Pico(2_640_000_000)
	projtest.Append[ledger.Event](e, ledger.Codec, ledger.Stream(b.ID), ledger.LLMCallStarted{Call: "c", Task: b.ID, Turn: 3, StartedAt: firstRecorded},
		ledger.LLMCallCompleted{Call: "c", Charge: ledger.Charge{Cost: &cost, CostStatus: ledger.Priced}})
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	got, err := r.Compare(t.Context(), projtest.Tenant, a.ID, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		kind    string
		a, b    int
		differs []string
	}
	var rows []row
	for _, r := range got.Rows {
		shown := row{kind: r.Kind, differs: r.Differs}
		if r.A != nil {
			shown.a = r.A.Turn
		}
		if r.B != nil {
			shown.b = r.B.Turn
		}
		rows = append(rows, shown)
	}
	want := []row{
		{"same", 1, 1, []string{"verdict"}},
		{"onlyB", 0, 2, nil},
		{"same", 2, 3, []string{"cost"}},
		{"same", 3, 4, nil},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got.Same != 3 || got.OnlyB != 1 || got.OnlyA+got.Replaced != 0 || got.A.Totals.CostUSD != "0" || got.B.Totals.CostUSD != "0.00264" ||
		got.A.Turns != 3 || got.B.Turns != 4 || got.A.Status != task.Completed || got.Rows[3].A.Kind != "completed" || got.Rows[1].B.TargetName != "Add" {
		t.Errorf("got %+v", got)
	}
	for name, args := range map[string][3]string{
		"another tenant":  {"globex", a.ID, b.ID},
		"an unknown task": {projtest.Tenant, a.ID, domain.NewUUID()},
	} {
		var e *domain.Error
		if _, err := r.Compare(t.Context(), args[0], args[1], args[2]); !errors.As(err, &e) || e.Kind != domain.NotFound {
			t.Errorf("%s: %v; want not found", name, err)
		}
	}
}
