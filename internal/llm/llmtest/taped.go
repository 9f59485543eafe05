package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
)

// Taped is an adapter that is tested on a recording.
type Taped struct {
	// File is the tape. Key names the variable that holds a real key, Upstream is
	// the provider's address and Model the one asked there, for recording it anew:
	// with -record and no key the local server of the adapter is recorded.
	File, Key, Upstream, Model string
	// Local starts that server, Open the adapter at an address.
	Local func(t testing.TB, s Script) *Server
	Open  func(t *testing.T, url, key string) llm.Generator
}

// Run asks the questions of the tape, of the tape or of the provider.
func (p Taped) Run(t *testing.T) {
	t.Helper()
	t.Parallel()
	if !Recording() {
		p.ask(t, p.Open(t, Replay(t, p.File).URL, "another-key"))
		return
	}
	key, upstream := os.Getenv(p.Key), p.Upstream
	if key == "" {
		key, upstream = "a-key-that-is-not-written", p.Local(t, Steps(
			Step{Text: `{"answer":"four"}`}, Step{Text: "red"}, Step{Text: "One, two, three", Finish: llm.MaxTokens},
		)).URL
	}
	p.ask(t, p.Open(t, Record(t, p.File, upstream, key).URL, key))
}

func (p Taped) ask(t *testing.T, g llm.Generator) {
	t.Helper()
	cold := 0.0
	questions := []llm.Request{
		{
			System: "Answer in JSON.", User: llm.Text("How much is two and two, in one word?"), Temperature: &cold, SchemaName: "sum",
			Schema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`),
		},
		{User: []llm.Part{{Text: "Which colour is this, in one word?"}, {MIME: "image/png", Data: redSquare}}},
		{User: llm.Text("Count from one to a thousand, in words."), MaxOutputTokens: 16},
	}
	for i, q := range questions {
		q.Model = p.Model
		got, err := g.Generate(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if got.Usage == nil || got.Usage.Total == nil || *got.Usage.Total != got.Usage.Input()+got.Usage.Outputs() {
			t.Errorf("question %d: the meters of %s are %+v", i, got.RawUsage, got.Usage)
		}
		want := llm.Stop
		if q.MaxOutputTokens != 0 {
			want = llm.MaxTokens
		}
		if got.Finish != want || got.Model == "" || got.ID == "" {
			t.Errorf("question %d is answered with %+v", i, got)
		}
		var sum map[string]string
		if q.Schema != nil && (json.Unmarshal([]byte(got.Text), &sum) != nil || sum["answer"] == "") {
			t.Errorf("the answer is %s", got.Text)
		}
	}
}

// redSquare is a picture: sixteen by sixteen, all of it red.
var redSquare = func() []byte {
	b, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==")
	if err != nil {
		panic("llmtest: the picture is a constant: " + err.Error())
	}
	return b
}()

// TestTape is what tapes promise, for any adapter: what was recorded is replayed
// without the provider and by anybody, and holds no secret, wherever the
// provider repeats it.
func (p Taped) TestTape(t *testing.T, key string) {
	t.Helper()
	t.Parallel()
	file := t.TempDir() + "/x.tape.json"
	question := llm.Request{Model: "m", User: llm.Text("my key is " + key)}
	ask := func(t *testing.T, g llm.Generator) (out []string) {
		t.Helper()
		for range 3 {
			r, err := g.Generate(t.Context(), question)
			if err != nil {
				out = append(out, string(llm.KindOf(err)))
				continue
			}
			out = append(out, r.Text)
		}
		return out
	}
	var recorded []string
	t.Run("record", func(t *testing.T) {
		srv := p.Local(t, Steps(Step{Status: 429, Message: "too many with " + key}, Step{Text: "one " + key}, Step{Text: "two"}))
		recorded = ask(t, p.Open(t, Record(t, file, srv.URL, key).URL, key))
	})
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); len(s) < 100 || secretShapes.MatchString(s) || strings.Contains(s, key) {
		t.Errorf("the tape is %s", s)
	}
	question.User = llm.Text("my key is ***")
	replayed := ask(t, p.Open(t, Replay(t, file).URL, "the-key-of-another"))
	if diff := cmp.Diff([]string{"rate_limited", "one ***", "two"}, replayed); diff != "" {
		t.Errorf("recorded %q, replayed: %s", recorded, diff)
	}
}
