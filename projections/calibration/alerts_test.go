package calibration

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckpoint_Alerts(t *testing.T) {
	t.Parallel()
	fine := Checkpoint{CatchRate: rateOf(12, 20), FalsePositiveRate: rateOf(15, 100), RetrySuccess: rateOf(10, 20)}
	for name, tt := range map[string]struct {
		given func(*Checkpoint)
		want  []Alert
	}{
		"all at their thresholds":          {func(*Checkpoint) {}, []Alert{}},
		"nothing is known":                 {func(c *Checkpoint) { *c = Checkpoint{} }, []Alert{}},
		"few failures are caught":          {func(c *Checkpoint) { c.CatchRate = rateOf(11, 20) }, []Alert{{"lowCatchRate", "high", 0.55, 0.6, 20}}},
		"of 19 it is not told":             {func(c *Checkpoint) { c.CatchRate = rateOf(0, 19) }, []Alert{}},
		"too much is rejected":             {func(c *Checkpoint) { c.FalsePositiveRate = rateOf(4, 25) }, []Alert{{"highFalsePositiveRate", "medium", 0.16, 0.15, 25}}},
		"of 19 checks it is not told":      {func(c *Checkpoint) { c.FalsePositiveRate = rateOf(19, 19) }, []Alert{}},
		"retries do not help":              {func(c *Checkpoint) { c.RetrySuccess = rateOf(9, 20) }, []Alert{{"lowRetrySuccess", "medium", 0.45, 0.5, 20}}},
		"of 19 retries it is not told":     {func(c *Checkpoint) { c.RetrySuccess = rateOf(0, 19) }, []Alert{}},
		"two of them, the worse one first": {func(c *Checkpoint) { c.CatchRate, c.RetrySuccess = rateOf(0, 20), rateOf(0, 20) }, []Alert{{"lowCatchRate", "high", 0, 0.6, 20}, {"lowRetrySuccess", "medium", 0, 0.5, 20}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := fine
			tt.given(&c)
			if diff := cmp.Diff(tt.want, c.alerts()); diff != "" {
				t.Errorf("alerts (-want +got):\n%s", diff)
			}
		})
	}
}
