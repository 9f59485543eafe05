package model_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Given an answer with the words that show it, they are handed on as they stand,
// without the quotation marks models put around them. What cannot be read as words
// is no evidence, and no reason to ask again.
func TestReasoner_evidence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ said, want string }{
		{`"Patient Jas was added"`, "Patient Jas was added"},
		{`"“Patient Jas was added”"`, "Patient Jas was added"},
		{`"\"Order 4711 placed.\""`, "Order 4711 placed."},
		{`"患者を追加しました"`, "患者を追加しました"},
		{`""`, ""}, {`null`, ""}, {`true`, ""}, {`["added"]`, ""}, {`{"text":"added"}`, ""},
		{`"` + strings.Repeat("added ", 200) + `"`, "added"},
	} {
		t.Run(tt.said[:min(len(tt.said), 30)], func(t *testing.T) {
			t.Parallel()
			ask := func(text string) *bench {
				return newBench(t, answer(strings.Replace(text, "EVIDENCE", tt.said, 1)), answer("no repair should be needed"))
			}
			quoted := map[string]string{}
			v, err := ask(`{"reason":"r","actionSucceeded":true,"taskCompleted":true,"evidence":EVIDENCE,"confidence":0.9}`).Verify(t.Context(), verifyQuestion())
			if quoted["verify"] = v.Proof.Quote; err != nil {
				t.Error(err)
			}
			v, err = ask(`{"reason":"r","evidence":EVIDENCE,"shown":true,"confidence":0.9}`).Confirm(t.Context(), confirmQuestion())
			if quoted["confirm"] = v.Proof.Quote; err != nil {
				t.Error(err)
			}
			a, err := ask(`{"thought":"t","action":"finish(\"done\")","evidence":EVIDENCE,"confidence":0.9}`).Act(t.Context(), actQuestion())
			if quoted["act"] = a.Proof; err != nil {
				t.Error(err)
			}
			for of, got := range quoted {
				if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" || len(got) > 1_000 {
					t.Errorf("%s: %q, want %q", of, got, tt.want)
				}
			}
		})
	}
}

// Only the end of a task needs to be shown.
func TestReasoner_Act_evidenceIsForTheEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(`{"thought":"t","action":"click(17)","evidence":"Patient Jas was added","confidence":0.9}`))
	got, err := b.Act(t.Context(), actQuestion())
	if err != nil || got.Proof != "" || got.Action.Name != action.Click {
		t.Errorf("%+v, %v", got, err)
	}
}

// Every prompt whose answer can end a task asks for the words that show it, and so
// does its schema.
func TestPrompt_asksForEvidence(t *testing.T) {
	t.Parallel()
	final, part := verifyQuestion(), verifyQuestion()
	final.Final, part.SubTask = true, "save the patient"
	for name, ask := range map[string]func(*bench) error{
		"act":     func(b *bench) error { _, err := b.Act(t.Context(), actQuestion()); return err },
		"verify":  func(b *bench) error { _, err := b.Verify(t.Context(), verifyQuestion()); return err },
		"light":   func(b *bench) error { _, err := b.Verify(t.Context(), final); return err },
		"part":    func(b *bench) error { _, err := b.Verify(t.Context(), part); return err },
		"confirm": func(b *bench) error { _, err := b.Confirm(t.Context(), confirmQuestion()); return err },
	} {
		b := newBench(t, answer(anything))
		if err := ask(b); err != nil {
			t.Fatal(err)
		}
		system, _ := b.prompt(t, 0)
		if schema := string(b.fake.Requests()[0].Schema); !strings.Contains(system, `"evidence"`) || !strings.Contains(schema, `"evidence"`) {
			t.Errorf("%s does not ask for it", name)
		}
	}
}

// What is not known of a step is told apart from what failed and from what nobody
// has looked at.
func TestPrompt_tellsWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(save))
	q := actQuestion()
	q.Steps = []reasoning.Step{
		{Action: action.Action{Name: action.Click, Target: "17"}, Target: `button "Save"`, Undecided: true, Reason: "no answer yet"},
	}
	if _, err := b.Act(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	_, user := b.prompt(t, 0)
	if !strings.Contains(user, "not known whether it worked") || strings.Contains(user, "failed") || strings.Contains(user, "not checked") {
		t.Error(user)
	}
}
