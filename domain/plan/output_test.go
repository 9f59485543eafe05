package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/plan"
)

func TestSubTask_CheckOutput(t *testing.T) {
	t.Parallel()
	s := plan.SubTask{Goal: "find a flight", Outputs: []string{"flight", "price"}}
	stands := func(v string) bool { return strings.Contains("DY1 for 99 EUR", v) }
	whole := map[string]string{"flight": "DY1", "price": "99"}
	for name, tt := range map[string]struct {
		found      map[string]string
		confidence float64
		retries    int
		want       plan.CheckVerdict
		issue      string
	}{
		"all of it":                  {whole, 0.9, 0, plan.Pass, ""},
		"at the threshold":           {whole, 0.7, 0, plan.Pass, ""},
		"not certain":                {whole, 0.6, 0, plan.Retry, "not certain"},
		"not certain after retries":  {whole, 0.6, 2, plan.Fail, "not certain"},
		"hardly":                     {whole, 0.3, 0, plan.Fail, "not certain"},
		"a value is missing":         {map[string]string{"flight": "DY1"}, 0.95, 0, plan.Retry, `"price" is missing`},
		"and stays so":               {map[string]string{"flight": "DY1", "price": " "}, 0.95, 2, plan.Fail, `"price" is missing`},
		"a value stands nowhere":     {map[string]string{"flight": "DY7", "price": "99"}, 0.95, 1, plan.Retry, `stands nowhere as "DY7"`},
		"a value is missing, unsure": {nil, 0.2, 0, plan.Retry, `"flight" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, issues := s.CheckOutput(tt.found, tt.confidence, tt.retries, stands)
			if got != tt.want || !strings.Contains(strings.Join(issues, " "), tt.issue) || (tt.issue == "") != (len(issues) == 0) {
				t.Errorf("%s %v", got, issues)
			}
		})
	}
	if got, issues := (plan.SubTask{Goal: "save"}).CheckOutput(nil, 0.8, 0, stands); got != plan.Pass || issues != nil {
		t.Errorf("without a contract: %s %v", got, issues)
	}
}

func TestTraceability(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		message, sources string
		score            float64
		unsupported      []string
	}{
		{"It is done.", "", 1, nil},
		{"Flight DY1 is booked for 99.50 EUR.", "flight: DY1\nprice: 99.50", 1, nil},
		{"Flight DY1 costs 89 EUR.", "flight: dy1, price 99", 0.5, []string{"89"}},
		{`The patient "Jas  Miller" is there.`, "Patients: jas miller", 1, nil},
		{`The patient “Ann” has number 12.`, "Patients: jas miller", 0, []string{"Ann", "12"}},
		{"It is 5 and 4.", "order 15, see 14 rows", 0, []string{"5", "4"}},
		{"On 2026-11-28 at 10:30.", "28 November 2026", 0, []string{"2026-11-28", "10:30"}},
	} {
		score, unsupported := plan.Traceability(tt.message, tt.sources)
		if score != tt.score || !slices.Equal(unsupported, tt.unsupported) {
			t.Errorf("%s: %v %v", tt.message, score, unsupported)
		}
	}
}

func TestCheckSynthesis(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		score   float64
		retries int
		want    plan.CheckVerdict
	}{{1, 0, plan.Pass}, {0.7, 2, plan.Pass}, {0.69, 0, plan.Retry}, {0, 1, plan.Retry}, {0.5, 2, plan.Fail}} {
		if got := plan.CheckSynthesis(tt.score, tt.retries); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}
