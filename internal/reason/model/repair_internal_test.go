package model

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Kinds of broken JSON models have been seen to write (mangiucugna/json_repair,
// alibaba/page-agent, nanobrowser#291, hindsight#645 and #2542, browser-use#3656),
// and what becomes of each. Mended is what loses no meaning; the rest is refused
// and asked for once more.
func TestReadObject_kinds(t *testing.T) {
	t.Parallel()
	const ok = "click(17)"
	tests := []struct{ name, text, want string }{
		// read
		{"a trailing comma", `{"action":"click(17)",}`, ok},
		{"trailing commas all over", `{"action":"click(17)","missing":["a",],}`, ok},
		{"a trailing comma and a comment", "{\"action\":\"click(17)\", // done\n}", ok},
		{"a line comment", "{\n// } the action\n\"action\":\"click(17)\"}", ok},
		{"a comment with a hash", "{\"action\":\"click(17)\" # it's }\n}", ok},
		{"a block comment", `{/* {"action":"click(1)"} */"action":/* x */"click(17)"}`, ok},
		{"single quotes", `{'action':'click(17)'}`, ok},
		{"single quotes around double ones", `{'action':'click("17")'}`, `click("17")`},
		{"a single quote that is escaped", `{'action':'say(\'x\')'}`, "say('x')"},
		{"an escape JSON does not have", `{"action":"say(\'x\')"}`, "say('x')"},
		{"curly quotes", "{\u201caction\u201d:\u201cclick(17)\u201d}", ok},
		{"curly quotes within a text", "{\"action\":\"say(\u201cx\u201d)\"}", "say(\u201cx\u201d)"},
		{"keys without quotes", `{thought:"t", action : "click(17)"}`, ok},
		{"Python's constants", `{"action":"click(17)","a":True,"b":[None,False]}`, ok},
		{"not a number", `{"action":"click(17)","confidence":NaN}`, ok},
		{"undefined", `{"action":"click(17)","question":undefined}`, ok},
		{"words for constants within a text", `{"action":"say(True, None)",}`, "say(True, None)"},
		{"keys within a text", `{"action":"a, b: c",}`, "a, b: c"},
		{"a raw line break", "{\"action\":\"one\ntwo\ttabs\"}", "one\ntwo\ttabs"},
		{"an address within a text", `{"action":"https://a.example/#x",}`, "https://a.example/#x"},
		{"a code fence", "```json\n{\"action\":\"click(17)\"}\n```", ok},
		{"a fence within a value", "```\n{\"action\":\"```x```\"}\n```", "```x```"},
		{"prose with braces before it", `Of {those} I take {"action":"click(17)"}`, ok},
		{"a colon in the prose", `{note: this} {"action":"click(17)"}`, ok},
		{"the object in a string", `"{\"action\":\"click(17)\"}"`, ok},
		{"in a string in a string", `"\"{\\\"action\\\":\\\"click(17)\\\"}\""`, ok},
		{"a function call around it", `{"type":"function","function":{"name":"answer","arguments":"{\"action\":\"click(17)\"}"}}`, ok},
		{"a list around it", `[{"action":"click(17)"}]`, ok},
		{"the same key twice with the same value", `{"action":"click(17)","action":"click(17)"}`, ok},
		{"the same object twice", `{"action":"click(17)"}{"action":"click(17)"}`, ok},
		{"a byte order mark", "\ufeff{\"action\":\"click(17)\"}", ok},

		// refused
		{"nothing", "", "no JSON object"},
		{"prose only", "I'll help you with that.", "no JSON object"},
		{"a list of something else", "[1, 2]", "no JSON object"},
		{"quotes within quotes", `{"action":"say "hi" now"}`, "no valid JSON"},
		{"a value without quotes", `{"action":click(17)}`, "no valid JSON"},
		{"no comma between members", `{"action":"click(17)" "thought":"t"}`, "no valid JSON"},
		{"no value", `{"action": , "thought":"t"}`, "no valid JSON"},
		{"dots for the rest", `{"action":"click(17)", ...}`, "no valid JSON"},
		{"a bracket too many", `{"action":"click(17)"]}`, "no valid JSON"},
		{"a tuple", `{"action":"click(17)","missing":("a","b")}`, "no valid JSON"},
		{"an unknown escape", `{"action":"C:\data"}`, "no valid JSON"},
		{"the same key twice with two values", `{"action":"click(17)","action":"click(18)"}`, "two different"},
		{"two answers", `{"action":"click(17)"} or {'action':'click(18)'}`, "two different"},
		{"other keys", `{"act":"click(17)"}`, "lacks the keys"},

		// cut off
		{"a brace missing", `{"action":"click(17)"`, "no end"},
		{"a quote missing", `{"action":"click(17)}`, "no end"},
		{"a quote too many", `{"action":"v"alue"}`, "no end"}, // or one that is missing: nobody can tell
		{"a list that is open", `{"action":"click(17)","missing":["a"`, "no end"},
		{"a comment that is open", `{"action":"click(17)" /* }`, "no end"},
		{"a fence after the cut", "```json\n{\"action\":\"cli\n```", "no end"},
		{"a key", `{"act`, "no end"},
		{"a brace", `{`, "no end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := readObject(tt.text, "action")
			var got string
			if err == nil {
				_ = json.Unmarshal(o["action"], &got)
			} else {
				got = err.Error()
			}
			if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
				t.Errorf("%s is read as %q, want %q", tt.text, got, tt.want)
			}
			if cut := tt.want == "no end"; errors.Is(err, llm.ErrCutOff) != cut {
				t.Errorf("cut off: %t (%v)", !cut, err)
			}
		})
	}
}

// An answer in a form that has to be mended is not acted on either when it is cut
// off anywhere.
func TestReadAct_noPrefixOfAMendedAnswerIsAnAnswer(t *testing.T) {
	t.Parallel()
	q := reasoning.ActQuestion{Page: page.Page{Elements: []page.Element{{ID: "14", Role: "textbox"}}}}
	for _, text := range []string{
		`{'thought': 'I type {the} name', 'action': 'setValue("14", "Jas, {x}")', 'confidence': 0.9}`,
		`{thought: "t", /* } */ action: "setValue(\"14\", \"Jas\")", confidence: 0.9,}`,
		"{\u201cthought\u201d: \u201ct\u201d, \u201caction\u201d: \u201csetValue(14, 'Jas')\u201d, \u201cconfidence\u201d: 1}",
	} {
		if _, err := readAct(text, q); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i := range len(text) {
			if got, err := readAct(text[:i], q); err == nil {
				t.Fatalf("%q was read as %s", text[:i], got.Action)
			}
		}
	}
}

// What is JSON is read as it is, whatever stands in its texts.
func TestMend_leavesJSONAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("{}[]\"'\\/*#,: \n\u201c\u201dTruNonea"))))
		o := map[string]any{"action": texts.Draw(t, "action")}
		for range rapid.IntRange(0, 4).Draw(t, "more") {
			o[texts.Draw(t, "key")] = []any{texts.Draw(t, "value"), true, nil, 1.5, map[string]any{"x": texts.Draw(t, "inner")}}
		}
		b, err := json.MarshalIndent(o, "", rapid.SampledFrom([]string{"", " "}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		mended, n, closed := repairJSON(string(b))
		var again map[string]any
		if err := json.Unmarshal([]byte(mended), &again); err != nil || !closed || n != len(b) {
			t.Fatalf("%s is mended to %s: %v", b, mended, err)
		}
		want, _ := json.Marshal(o)
		if got, _ := json.Marshal(again); string(got) != string(want) {
			t.Fatalf("%s is mended to %s", want, got)
		}
	})
}

// Nothing a model writes takes long to read.
func TestReadObject_isFast(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{
		"comments": "{/*", "line comments": "{//", "keys": "{a:", "quotes": "{'", "commas": "{\"a\",   ", "names": "{aaaa ", "escapes": `{"\`,
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = readObject(strings.Repeat(part, maxAnswer/len(part)), "action")
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s take too long", name)
		}
	}
}
