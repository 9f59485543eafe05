package usage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

var samples = filepath.Join("..", "..", "domain", "usage", "testdata", "events")

// row is what an event that is a call's whole story makes of its row.
func row(t testing.TB, event usage.Event, name string) *Call {
	t.Helper()
	at := &eventstore.Recorded{Type: name, Stream: usage.Stream("s"), Position: 7}
	if c := started(event, at); c != nil {
		return c
	}
	c := &Call{State: Open}
	if err := c.evolve(event, at); err != nil {
		t.Fatal(err)
	}
	return c
}

// What is scanned is what the codec reads, and the events that are written now are
// scanned: else a catch-up takes twice as long and nobody sees why.
func TestScan_ReadsWhatTheCodecReads(t *testing.T) {
	t.Parallel()
	total, cost := int64(3), usage.Pico(-1)
	events := []usage.Event{
		usage.LLMCallStarted{
			Call: "c", Tenant: "t", User: "u", Session: "s", Task: "k", Turn: 2, Request: "r", Purpose: usage.Planning, Role: usage.Smart,
			Provider: usage.Google, Model: "m", ServiceTier: usage.Flex, Attempt: 3, PromptName: "p/1", PromptHash: "h", PromptRef: "pr",
			EstimatedInputTokens: 1, EstimatedOutputTokens: 2, EstimatedCost: &cost, Reserved: &cost, BudgetMonth: "2026-11", Instance: "i",
			StartedAt: time.Date(2026, 11, 3, 1, 2, 3, 456789012, time.UTC),
		},
		usage.LLMCallCompleted{
			Call: "c", TotalMatches: true, Charge: usage.Charge{Cost: &cost, CostStatus: usage.Priced, PriceVersion: "v", UnitPrices: usage.UnitPrices{usage.Output: 5, usage.InputAudio: 6}},
			Report: usage.Report{
				Outcome: usage.OK, RawUsage: json.RawMessage(`{"a":{"b":"}{\\\"","c":[1.5e3,null]}}`), UsageMissing: true, UsageUnclear: true, ProviderTotal: &total, ResponseModel: "rm", ServiceTier: "standard",
				ResponseID: "id", DurationMS: 9, AnswerRef: "ar", CompletedAt: time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC),
				Meters: usage.Meters{InputUncached: 1, InputCached: 2, InputTool: 3, InputAudio: 4, Output: 5, Thinking: 6},
			},
		},
	}
	for _, e := range events {
		name, data, err := usage.Codec.Encode(e, "id", nil)
		if err != nil {
			t.Fatal(err)
		}
		if !scanned(name, data) {
			t.Errorf("%s is not scanned: %s", name, data)
		}
		compareReads(t, name, data)
	}
	files, err := filepath.Glob(filepath.Join(samples, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f[:len(f)-len(".json")])
		if name == usage.NameLLMCallStarted || name == usage.NameLLMCallCompleted {
			if !scanned(name, data) {
				t.Errorf("%s is not scanned", f)
			}
			compareReads(t, name, data)
		}
	}
}

func scanned(name string, data []byte) bool {
	s := scanner{data: data, text: string(data)}
	if name == usage.NameLLMCallStarted {
		return s.started(&usage.LLMCallStarted{})
	}
	return s.completed(&scannedCompleted{})
}

// compareReads compares an event scanned, where it can be, with the codec's.
func compareReads(t testing.TB, name string, data []byte) {
	t.Helper()
	if !scanned(name, data) {
		return
	}
	want, err := usage.Codec.Decode(name, data, "id", nil)
	if err != nil {
		t.Fatalf("the codec refuses what was scanned: %v\n%s", err, data)
	}
	event := []eventstore.Recorded{{Type: name, Data: data}}
	got, err := newReader(event).read(&event[0])
	if err != nil {
		t.Fatal(err)
	}
	prices := cmpopts.IgnoreFields(Call{}, "UnitPrices")
	a, b := row(t, want, name), row(t, got, name)
	if diff := cmp.Diff(a, b, prices, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-codec +scanned):\n%s\n%s", name, diff, data)
	}
	var x, y usage.UnitPrices
	if errX, errY := decodePrices(a.UnitPrices, &x), decodePrices(b.UnitPrices, &y); errX != nil || errY != nil {
		t.Fatalf("prices %s, %s: %v, %v", a.UnitPrices, b.UnitPrices, errX, errY)
	}
	if diff := cmp.Diff(x, y); diff != "" {
		t.Errorf("prices (-codec +scanned):\n%s\n%s", diff, data)
	}
}

func decodePrices(text json.RawMessage, into *usage.UnitPrices) error {
	if len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, into)
}

func FuzzScan(f *testing.F) {
	for _, name := range []string{usage.NameLLMCallStarted, usage.NameLLMCallCompleted} {
		data, err := os.ReadFile(filepath.Join(samples, name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(name == usage.NameLLMCallStarted, data)
	}
	f.Add(false, []byte(`{"call":"c","meters":{"output":-0},"rawUsage":{"a":"\""},"unitPrices":{},"cost":"1.50","totalMatches":false,"completedAt":"2026-11-03T12:00:02+05:30"}`))
	f.Fuzz(func(t *testing.T, start bool, data []byte) {
		name := usage.NameLLMCallCompleted
		if start {
			name = usage.NameLLMCallStarted
		}
		compareReads(t, name, data)
	})
}
