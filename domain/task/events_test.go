package task_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

const sampleID = "11111111-1111-4111-8111-111111111111"

// Files are added, never edited.
func TestEvents_frozenSamplesAreReadForEver(t *testing.T) {
	t.Parallel()
	for _, name := range task.Codec.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", "events", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := task.Codec.Decode(name, data, sampleID, domaintest.Sealer{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(samples[name], got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEvents_everyFileHasAName(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".json"); samples[name] == nil {
			t.Errorf("%s belongs to no event", f)
		}
	}
}

// personal are texts of the samples that no stored byte may show.
var personal = []string{
	"Jas", "clinic.example", "Open the form", "two things", "01/01/1990", "New patient", "Add patient", "Which one?", "the first", "hunter2", "finish()",
	"nothing changed", "URL did not change", "does nothing", "Welcome", "no answer",
}

func TestEvents_holdNoPersonalTextInClear(t *testing.T) {
	t.Parallel()
	for name, e := range samples {
		_, data, err := task.Codec.Encode(e, sampleID, opaque{})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range personal {
			if bytes.Contains(data, []byte(text)) {
				t.Errorf("%s shows %q: %s", name, text, data)
			}
		}
	}
}

// opaque seals to something that shows nothing.
type opaque struct{ domaintest.Sealer }

func (opaque) Seal([]byte, []byte) ([]byte, error) { return []byte("sealed"), nil }

func TestEvents_foldWithoutTheirKey(t *testing.T) {
	t.Parallel()
	state := task.Initial()
	for _, e := range append(refusedOnce(), issued) {
		name, data, err := task.Codec.Encode(e, sampleID, domaintest.Sealer{})
		if err != nil {
			t.Fatal(err)
		}
		blind, err := task.Codec.Decode(name, data, sampleID, domaintest.Erased{})
		if err != nil {
			t.Fatal(err)
		}
		state = task.Evolve(state, blind)
	}
	if state.Query != domain.Erased || state.Tenant != "acme" || state.Steps[0].Corrections() != 1 {
		t.Errorf("folded to %+v", state)
	}
}

// later are events with what was added to them after their samples were frozen.
func later() []task.Event {
	seen, act, verdict, retry := observedFor(2, second), generated, unsure, issued
	seen.Alerts = []page.Alert{{Kind: page.AlertError, Text: "Jas exists already"}}
	act.MaySubmit, retry.MaySubmit, retry.Clears = true, true, true
	verdict.Proof = reasoning.Proof{Source: reasoning.OnPage, Quote: "Jas was added"}
	chain := confirmed
	chain.Items = []reasoning.ItemVerdict{{Index: 0, Outcome: reasoning.Succeeded, Reason: "Jas is there"}}
	return []task.Event{
		seen, act, verdict, retry,
		task.UserInputRequested{Turn: 2, Judges: true, Question: "Was Jas added?"},
		task.TaskCompleted{Turn: 3, Confidence: 0.9, Message: "Jas was added", Proof: verdict.Proof},
		filling, chain,
	}
}

func TestEvents_whatWasAddedLater(t *testing.T) {
	t.Parallel()
	for _, e := range later() {
		name, data, err := task.Codec.Encode(e, sampleID, domaintest.Sealer{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := task.Codec.Decode(name, data, sampleID, domaintest.Sealer{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if _, shut, _ := task.Codec.Encode(e, sampleID, opaque{}); bytes.Contains(shut, []byte("Jas")) {
			t.Errorf("%s shows what is personal: %s", name, shut)
		}
		if _, err := task.Codec.Decode(name, data, sampleID, domaintest.Erased{}); err != nil {
			t.Errorf("%s cannot be read without its key: %v", name, err)
		}
	}
}

// What was submitted and judged is known without the key of what it was.
func TestEvents_foldToTheSameJudgementWithoutTheirKey(t *testing.T) {
	t.Parallel()
	blind, seeing := task.Initial(), task.Initial()
	for _, e := range append([]task.Event{observedFor(1, first), started}, later()[1], answered, later()[0], later()[2], later()[4]) {
		name, data, err := task.Codec.Encode(e, sampleID, domaintest.Sealer{})
		if err != nil {
			t.Fatal(err)
		}
		shut, err := task.Codec.Decode(name, data, sampleID, domaintest.Erased{})
		if err != nil {
			t.Fatal(err)
		}
		blind, seeing = task.Evolve(blind, shut), task.Evolve(seeing, e)
	}
	b, open := blind.UnderJudgement()
	s, _ := seeing.UnderJudgement()
	if !open || b.Step != s.Step || !blind.SubmitUndecided || !blind.Judging || b.Verdict.Missing != reasoning.MissingAnswer {
		t.Errorf("%v %+v", open, blind)
	}
}
