package usage_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/usage"
)

func TestParseRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]usage.Pico{
		"0.30": 300_000, "2": 2_000_000, "0": 0, " 0.000001 ": 1, "3e-1": 300_000, "-0.5": -500_000,
		// The noise of floats in price lists, per million tokens.
		"0.30001999999999996": 300_020, "0.09999999999999999": 100_000,
	} {
		if got, err := usage.ParseRate(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "free", "0x10", "1/3", "NaN", "Inf", "1_000", "0.0000005", "0.30000000101", "1e999999999", "1e-999999999", "--1", "."} {
		if got, err := usage.ParseRate(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
	if _, err := usage.ParseRate("1e30"); !errors.Is(err, usage.ErrOverflow) {
		t.Errorf("too much is %v", err)
	}
}

func TestParseRate_ReadsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := usage.Pico(rapid.Int64Range(0, 9_000_000_000_000).Draw(t, "rate"))
		printed, err := p.PerMillion()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := usage.ParseRate(printed); err != nil || back != p {
			t.Fatalf("%d prints as %s and reads as %d, %v", p, printed, back, err)
		}
	})
}
