package fork_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/fork"
	"github.com/stepledger/stepledger/domain/usage"
)

const id = "11111111-1111-4111-8111-111111111111"

var (
	cost    = usage.Pico(12_000_000)
	samples = map[string]fork.Event{
		fork.NameForkStarted: fork.ForkStarted{
			Tenant: "acme", Actor: "operator", Task: id, Turn: 2, Revision: 7, Settings: map[string]string{"STEPLEDGER_MAX_STEPS": "3"},
			Live: true, NewPage: true, NewAnswer: true, Estimate: &cost, StartedAt: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC),
		},
		fork.NameModelCalled: fork.ModelCalled{Call: id, Purpose: "PLANNING", Provider: "p", Model: "m", Outcome: "ok", Meters: usage.Meters{Output: 5}, Cost: &cost},
		fork.NameForkEnded:   fork.ForkEnded{Same: true, Spent: &cost, Error: "the page of Jas is gone", Decided: json.RawMessage(`[{"name":"Jas"}]`)},
	}
)

// Files are added, never edited.
func TestEvents_frozenSamplesAreReadForEver(t *testing.T) {
	t.Parallel()
	for _, name := range fork.Codec.Names() {
		data, err := os.ReadFile(filepath.Join("testdata", "events", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := fork.Codec.Decode(name, data, id, domaintest.Sealer{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(samples[name], got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if bytes.Contains(data, []byte("Jas")) {
			t.Errorf("%s shows what is personal", name)
		}
		if _, err := fork.Codec.Decode(name, data, id, domaintest.Erased{}); err != nil {
			t.Errorf("%s cannot be read without its key: %v", name, err)
		}
	}
}

func TestDecide_AnEndedForkIsOver(t *testing.T) {
	t.Parallel()
	s := fork.Decider.Fold(fork.Decider.Initial(), samples[fork.NameForkStarted], samples[fork.NameForkEnded])
	if _, err := fork.Decider.Decide(samples[fork.NameModelCalled], s); err == nil || !s.Started {
		t.Errorf("%+v", s)
	}
}
