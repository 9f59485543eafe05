package usage_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/usage"
)

func TestPico_String(t *testing.T) {
	t.Parallel()
	for p, want := range map[usage.Pico]string{
		0:                         "0",
		1:                         "0.000000000001",
		-1:                        "-0.000000000001",
		2_400_930_000:             "0.00240093",
		1_000_000_000_000:         "1",
		-1_500_000_000_000:        "-1.5",
		usage.Pico(1_615_000_000): "0.001615",
		math.MaxInt64:             "9223372.036854775807",
		math.MinInt64:             "-9223372.036854775808",
	} {
		if got := p.String(); got != want {
			t.Errorf("%d prints as %s, want %s", int64(p), got, want)
		}
	}
}

func TestParsePico(t *testing.T) {
	t.Parallel()
	accepted := map[string]usage.Pico{
		"0.00240093":            2_400_930_000,
		"-1.5":                  -1_500_000_000_000,
		"0.0000000000010000":    1,
		"9223372.036854775807":  math.MaxInt64,
		"-9223372.036854775808": math.MinInt64,
		"10":                    10_000_000_000_000,
	}
	for s, want := range accepted {
		if got, err := usage.ParsePico(s); err != nil || got != want {
			t.Errorf("%s reads as %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", ".", "1.", ".5", "1e3", "0.0000000000001", "--1", "+1", "1.2.3", "0x1", "1_0", " 1", "9223372.036854775808"} {
		if got, err := usage.ParsePico(s); err == nil {
			t.Errorf("%q was read as %d", s, got)
		}
	}
}

func TestPico_roundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := usage.Pico(rapid.Int64().Draw(t, "p"))
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back usage.Pico
		if err := json.Unmarshal(b, &back); err != nil || back != p {
			t.Fatalf("%s read back as %d, %v", b, back, err)
		}
	})
}

func TestPico_refusesJSONNumbers(t *testing.T) {
	t.Parallel()
	var p usage.Pico
	if err := json.Unmarshal([]byte("0.0016150000000000001"), &p); err == nil {
		t.Fatalf("a float was read as %s", p)
	}
}

func TestPico_arithmetic(t *testing.T) {
	t.Parallel()
	if got, err := usage.Pico(300_000).Times(1_000_000); err != nil || got.String() != "0.3" {
		t.Errorf("a million tokens at 3e-7 cost %s, %v; want 0.3", got, err)
	}
	if got, err := usage.Pico(-5).Times(3); err != nil || got != -15 {
		t.Errorf("-5 times 3 is %d, %v", got, err)
	}
	overflows := []func() (usage.Pico, error){
		func() (usage.Pico, error) { return usage.Pico(math.MaxInt64).Times(2) },
		func() (usage.Pico, error) { return usage.Pico(math.MinInt64).Times(-1) },
		func() (usage.Pico, error) { return usage.Pico(1 << 40).Times(1 << 40) },
		func() (usage.Pico, error) { return usage.Pico(math.MaxInt64).Plus(1) },
		func() (usage.Pico, error) { return usage.Pico(math.MinInt64).Plus(-1) },
	}
	for i, f := range overflows {
		if got, err := f(); !errors.Is(err, usage.ErrOverflow) {
			t.Errorf("case %d gave %d, %v", i, got, err)
		}
	}
	if got, err := usage.Pico(7).Plus(0); err != nil || got != 7 {
		t.Errorf("7 plus 0 is %d, %v", got, err)
	}
}
