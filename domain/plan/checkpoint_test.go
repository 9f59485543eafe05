package plan_test

import (
	"math"
	"testing"

	"github.com/stepledger/stepledger/domain/plan"
)

func TestScores(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		scores  plan.Scores
		retries int
		overall float64
		want    plan.CheckVerdict
	}{
		"all of it":                  {plan.Scores{1, 1, 1, 1}, 0, 1, plan.Pass},
		"at the threshold":           {plan.Scores{0.7, 0.7, 0.7, 0.7}, 0, 0.7, plan.Pass},
		"completeness counts double": {plan.Scores{0.4, 0.9, 0.9, 0.9}, 0, 0.7, plan.Pass},
		"just under it":              {plan.Scores{0.6, 0.7, 0.7, 0.7}, 0, 0.66, plan.Retry},
		"once more":                  {plan.Scores{0.5, 0.5, 0.5, 0.5}, 1, 0.5, plan.Retry},
		"no more retries":            {plan.Scores{0.6, 0.7, 0.7, 0.7}, 2, 0.66, plan.Fail},
		"good after two retries":     {plan.Scores{0.8, 0.8, 0.8, 0.8}, 2, 0.8, plan.Pass},
		"of the spec's example":      {plan.Scores{0.3, 0.6, 0.4, 0.5}, 0, 0.42, plan.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.scores.Overall(); got != tt.overall {
				t.Errorf("overall %v, want %v", got, tt.overall)
			}
			if got := tt.scores.Check(tt.retries); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	for _, bad := range []plan.Scores{{1.1, 1, 1, 1}, {1, -0.1, 1, 1}, {1, 1, math.NaN(), 1}, {1, 1, 1, math.Inf(1)}} {
		if bad.Sane() {
			t.Errorf("%+v passes for scores", bad)
		}
	}
}
