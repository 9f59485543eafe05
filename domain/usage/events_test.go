package usage_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/usage"
)

// want is what the frozen samples say.
var want = map[string]usage.Event{
	usage.NameLLMCallStarted: func() usage.LLMCallStarted {
		s := started()
		s.Instance = "i"
		return s
	}(),
	usage.NameLLMCallCompleted: completed(),
	usage.NameLLMCallSettled:   settled(),
	usage.NameUsageCorrected:   lateCorrection(),
}

// Files are added, never edited.
func TestEvents_frozenSamplesAreReadForEver(t *testing.T) {
	t.Parallel()
	for _, name := range usage.Codec.Names() {
		data, err := os.ReadFile(filepath.Join("testdata", "events", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		e, err := usage.Codec.Decode(name, data, call, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[name], e); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestEvents_everyFileHasAName(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(usage.Codec.Names()) {
		t.Errorf("%d samples for %d events", len(files), len(usage.Codec.Names()))
	}
	for _, f := range files {
		name := filepath.Base(f[:len(f)-len(".json")])
		if want[name] == nil {
			t.Errorf("%s belongs to no event", f)
		}
	}
}

func TestEvents_surviveTheStore(t *testing.T) {
	t.Parallel()
	for name, e := range want {
		stored, data, err := usage.Codec.Encode(e, call, nil)
		if err != nil || stored != name {
			t.Fatalf("stored as %s, %v; want %s", stored, err, name)
		}
		back, err := usage.Codec.Decode(stored, data, call, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, back); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Fields that came later are left out of the stored form where they say nothing:
// the samples above are of before.
func TestEvents_laterFieldsSurviveTheStore(t *testing.T) {
	t.Parallel()
	s, c, e := started(), completed(), settled()
	s.ServiceTier, s.Reserved, s.BudgetMonth = "flex", pico("0.00055"), "2026-11"
	c.ServiceTier = "standard"
	r := reportWith(func(r *usage.Report) { r.Outcome, r.Meters, r.UsageMissing = usage.Timeout, usage.Meters{}, true })
	e.Report = &r
	for _, e := range []usage.Event{s, c, e} {
		name, data, err := usage.Codec.Encode(e, call, nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := usage.Codec.Decode(name, data, call, nil)
		if diff := cmp.Diff(e, back); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestEvents_holdNoPersonalText(t *testing.T) {
	t.Parallel()
	for name, e := range want {
		for i := range reflect.TypeOf(e).NumField() {
			if f := reflect.TypeOf(e).Field(i); f.Tag.Get("sealed") != "" {
				t.Errorf("%s.%s is sealed: the bill would go with the key", name, f.Name)
			}
		}
	}
}

// TestDecide_completionReadBackIsTheSame: a completion repeated after its
// first telling went through the store must be recognised.
func TestDecide_completionReadBackIsTheSame(t *testing.T) {
	t.Parallel()
	r := reportWith(func(r *usage.Report) {
		r.RawUsage = json.RawMessage("{ \"promptTokenCount\" : 11125,\n\"model\": \"<a&b>\" }")
		r.CompletedAt = done.Local()
	})
	cmd := usage.CompleteCall{Call: call, Report: r, Prices: usage.Seed()}
	first, err := usage.Decide(cmd, usage.Decider.Fold(usage.Initial(), started()))
	if err != nil || len(first) != 1 {
		t.Fatalf("%d events, %v", len(first), err)
	}
	name, data, err := usage.Codec.Encode(first[0], call, nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := usage.Codec.Decode(name, data, call, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := usage.Decide(cmd, usage.Decider.Fold(usage.Initial(), started(), back))
	if err != nil || len(again) != 0 {
		t.Fatalf("%d events, %v", len(again), err)
	}
}
