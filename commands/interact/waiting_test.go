package interact_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Whatever a verdict waits for, the user is told why in a sentence of its own.
func TestWait_says_why(t *testing.T) {
	t.Parallel()
	seen := map[string]reasoning.Missing{}
	for _, m := range []reasoning.Missing{"", reasoning.MissingAnswer, reasoning.MissingRest, reasoning.MissingEffect, reasoning.MissingSign} {
		why := interact.WaitingFor[m]
		if !strings.Contains(why, "I am waiting") || !strings.HasSuffix(why, ".") {
			t.Errorf("%q: %q", m, why)
		}
		if other, twice := seen[why]; twice {
			t.Errorf("%q and %q are explained alike", m, other)
		}
		seen[why] = m
	}
}
