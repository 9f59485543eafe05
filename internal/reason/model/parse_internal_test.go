package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

const whole = `{"thought":"I type {the} name","action":"setValue(\"14\", \"Jas, \\\"J\\\" {x}\")","confidence":0.9,"missing":[]}`

// TestReadAct_noPrefixIsAnAnswer: an answer cut off anywhere is never acted on.
func TestReadAct_noPrefixIsAnAnswer(t *testing.T) {
	t.Parallel()
	q := reasoning.ActQuestion{Page: page.Page{Elements: []page.Element{{ID: "14", Role: "textbox"}}}}
	if _, err := readAct(whole, q); err != nil {
		t.Fatal(err)
	}
	wrapped := `{"name":"answer","arguments":` + whole + `}`
	if _, err := readAct(wrapped, q); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{whole, wrapped, "```json\n" + whole} {
		for i := range len(text) {
			if got, err := readAct(text[:i], q); err == nil {
				t.Fatalf("%q was read as %s", text[:i], got.Action)
			}
		}
	}
}

func TestReadObject_bounds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a huge answer":         strings.Repeat(" ", maxAnswer) + "{}",
		"many braces":           strings.Repeat("{", 100_000),
		"many objects":          strings.Repeat("{}", 10_000),
		"strings in strings":    nested(8),
		"an unterminated quote": `{"action":"` + strings.Repeat(`\`, 10_001),
	} {
		if o, err := readObject(text, "action"); err == nil {
			t.Errorf("%s was read as %v", name, o)
		}
	}
}

func nested(n int) string {
	s := `{"action":"click(1)"}`
	for range n {
		b, _ := json.Marshal(s)
		s = string(b)
	}
	return s
}

func FuzzReadAct(f *testing.F) {
	for _, s := range []string{whole, "```json\n{}\n```", `{"a":1,}`, `"{\"action\":\"x\"}"`, `{"action":{"click":[1]}}`, "\xff{", `{"name":"x","arguments":"{}"}`,
		`{"actionSucceeded":true,"taskCompleted":true,"subTaskCompleted":"no","confidence":2}`, `{"shown":true,"confidence":0.7}`,
		`{"strategy":"ALTERNATIVE_TOOL","action":"click(14)"}`, `{"strategy":"retry_with_delay","action":"","reason":"r"}`,
	} {
		f.Add(s)
	}
	q := reasoning.ActQuestion{Page: page.Page{URL: "https://a.example", Elements: []page.Element{{ID: "14", Role: "textbox"}}}}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := readAct(s, q)
		again, err2 := readAct(s, q)
		if (err == nil) != (err2 == nil) || got.Action != again.Action {
			t.Fatal("the same text is read in two ways")
		}
		if err == nil && got.UserQuestion == "" {
			if err := got.Action.Validate(); err != nil {
				t.Fatalf("read an invalid action: %v", err)
			}
		}
		if v, err := readVerdict(s, true, false); err == nil && v.GoalAchieved() && !v.ActionSucceeded {
			t.Fatalf("a verdict at odds with itself: %+v", v)
		}
		if v, err := readProof(s, false); err == nil && v.ActionSucceeded && (v.Confidence < reasoning.SuccessThreshold || v.Confidence > 1) {
			t.Fatalf("shown, though not surely: %+v", v)
		}
		fix, err := readCorrection(s, reasoning.CorrectQuestion{Page: q.Page, Failed: action.Action{Name: action.Click, Target: "14"}})
		if err == nil && fix.Action.Name != "" && (fix.Action.Validate() != nil || fix.Action == action.Action{Name: action.Click, Target: "14"}) {
			t.Fatalf("read the correction %+v", fix)
		}
	})
}
