package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/usage"
)

// fakeGemini answers in Gemini's wire format as a model would that knows the
// clinic: by what the prompt shows. No two of its answers have the same id or
// the same number of tokens, so that none can be billed in the place of another.
type fakeGemini struct {
	url string
	// latency is how long it thinks, unless the asker goes away.
	latency time.Duration

	mu      sync.Mutex
	asked   func()                     // when set, hears of every question before it is answered
	says    string                     // when set, what it answers to everything
	speaks  func(prompt string) string // when set, in the place of modelText
	refuses func(prompt string) int    // when set, the status in the place of an answer; 0 for none
	silent  bool                       // about what an answer used
	vague   bool                       // about its thinking, as Google's OpenAI-compatible endpoint is
	account string                     // when set, what it says in the place of what an answer used
	outage  outage
	answers []modelAnswer
	prompts []string // as promptOf has them
	forgets bool     // the questions: there may be many
}

// modelAnswer is what the provider would have on its own books.
type modelAnswer struct {
	id, model string
	meters    usage.Meters
}

// hangs is the status of an outage in which nothing is answered at all.
const hangs = -1

// outage is a status in the place of answers. Of, when set, limits it to
// questions of one kind.
type outage struct {
	status int
	of     func(prompt string) bool
}

func newFakeGemini(t testing.TB) *fakeGemini {
	t.Helper()
	f := &fakeGemini{}
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	f.url = srv.URL
	return f
}

// env is what makes a server ask this model.
func (f *fakeGemini) env() map[string]string {
	return map[string]string{"GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": f.url}
}

// envFor is the same by any adapter. The models and their prices are Google's.
func (f *fakeGemini) envFor(adapter string) map[string]string {
	env := f.env()
	env["SMART_MODEL_PROVIDER"], env["FAST_MODEL_PROVIDER"] = adapter, adapter
	if adapter == byOpenAI {
		env["OPENAI_BASE_URL"], env["OPENAI_PRICED_AS"] = f.url+"/v1", usage.Google
		env["SMART_MODEL_NAME"], env["FAST_MODEL_NAME"] = defaultSmartModel, defaultFastModel
	}
	return env
}

// set changes how it answers from now on.
func (f *fakeGemini) set(change func(*fakeGemini)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// given are the answers so far, those nobody received any more included.
func (f *fakeGemini) given() []modelAnswer {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.answers)
}

// ServeHTTP implements http.Handler.
func (f *fakeGemini) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	model, prompt, err := promptOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest) // or nobody: the asker was killed
		return
	}
	f.think(r.Context())
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.forgets {
		f.prompts = append(f.prompts, prompt)
	}
	w.Header().Set("Content-Type", "application/json")
	o := f.outage
	if f.refuses != nil {
		o = outage{status: f.refuses(prompt)}
	}
	if o.status == hangs {
		f.mu.Unlock()
		<-r.Context().Done()
		f.mu.Lock()
		return
	}
	if o.status != 0 && (o.of == nil || o.of(prompt)) {
		w.WriteHeader(o.status)
		_ = json.NewEncoder(w).Encode(o.wire())
		return
	}
	speak := f.answer
	if strings.HasSuffix(r.URL.Path, chatPath) {
		speak = f.chat
	}
	_ = json.NewEncoder(w).Encode(speak(model, prompt))
}

// chatPath is where OpenAI's protocol is spoken.
const chatPath = "/chat/completions"

func (f *fakeGemini) think(ctx context.Context) {
	f.mu.Lock()
	asked, latency := f.asked, f.latency
	f.mu.Unlock()
	if asked != nil {
		asked()
	}
	timer := time.NewTimer(latency)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// promptOf is the model asked and the text of the question, under the first line of
// what it is told to be; a picture in it is a line with its type and data.
func promptOf(r *http.Request) (model, prompt string, err error) {
	type content struct {
		Parts []struct {
			Text       string
			InlineData struct{ MIMEType, Data string }
		}
	}
	var q struct {
		SystemInstruction content
		Contents          []content
		Model             string
		Messages          []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		return "", "", err
	}
	model, _, _ = strings.Cut(path.Base(r.URL.Path), ":")
	var b strings.Builder
	tell := func(system string) {
		first, _, _ := strings.Cut(system, "\n")
		b.WriteString(first + "\n")
	}
	for _, p := range q.SystemInstruction.Parts {
		tell(p.Text)
	}
	for _, c := range q.Contents {
		for _, p := range c.Parts {
			b.WriteString(p.Text + p.InlineData.MIMEType + p.InlineData.Data + "\n")
		}
	}
	for _, m := range q.Messages {
		model = q.Model
		if m.Role == "user" {
			b.WriteString(m.Content + "\n")
		} else {
			tell(m.Content)
		}
	}
	return model, b.String(), nil
}

// outageSeconds is longer than a server waits for a model, so that an outage
// takes a test no time.
const outageSeconds = 60

func (o outage) wire() any {
	return map[string]any{"error": map[string]any{
		"code": o.status, "message": "not now", "status": "UNAVAILABLE", "details": []any{map[string]any{
			"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%ds", outageSeconds),
		}},
	}}
}

// next is what it would put on its books, and what it says.
func (f *fakeGemini) next(model, prompt string) (modelAnswer, string) {
	n := len(f.answers)
	a := modelAnswer{fmt.Sprintf("answer-%d", n), model, usage.Meters{InputUncached: 1000 + 10*int64(n%1000), Output: 20, Thinking: 30}}
	f.answers = append(f.answers, a)
	if f.says != "" {
		return a, f.says
	}
	if f.speaks != nil {
		return a, f.speaks(prompt)
	}
	return a, modelText(prompt)
}

// chat is an answer in OpenAI's words.
func (f *fakeGemini) chat(model, prompt string) any {
	a, text := f.next(model, prompt)
	usage := map[string]any{
		"prompt_tokens": a.meters.InputUncached, "completion_tokens": a.meters.Output + a.meters.Thinking, "total_tokens": a.meters.Total(),
		"completion_tokens_details": map[string]any{"reasoning_tokens": a.meters.Thinking},
	}
	if f.vague {
		usage["completion_tokens"] = a.meters.Output
		delete(usage, "completion_tokens_details")
	}
	var account any = usage
	if f.account != "" {
		account = json.RawMessage(f.account)
	}
	return map[string]any{
		"id": a.id, "object": "chat.completion", "model": model, "usage": account,
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}},
	}
}

func (f *fakeGemini) answer(model, prompt string) any {
	a, text := f.next(model, prompt)
	wire := map[string]any{
		"responseId": a.id, "modelVersion": model,
		"candidates": []any{map[string]any{
			"finishReason": "STOP",
			"content":      map[string]any{"role": "model", "parts": []any{map[string]any{"text": text}}},
		}},
	}
	if !f.silent {
		wire["usageMetadata"] = map[string]int64{
			"promptTokenCount": a.meters.InputUncached, "candidatesTokenCount": a.meters.Output,
			"thoughtsTokenCount": a.meters.Thinking, "totalTokenCount": a.meters.Total(),
		}
	}
	if f.account != "" {
		wire["usageMetadata"] = json.RawMessage(f.account)
	}
	return wire
}

// The kinds of question are told apart by the heading that only they have; those
// about plans, which need not have one, by what the model is told to be.
func asksForVerdict(prompt string) bool { return strings.Contains(prompt, "\nACTION AND CHANGES\n") }

func asksForCorrection(prompt string) bool { return strings.Contains(prompt, "\nWHAT FAILED\n") }

func asksForProof(prompt string) bool { return strings.Contains(prompt, "\nCLAIM\n") }

func asksForCritique(prompt string) bool { return strings.Contains(prompt, "\nPROPOSED ACTION\n") }

func asksForPlan(prompt string) bool { return strings.HasPrefix(prompt, "You prepare a task ") }

func asksForPlanCheck(prompt string) bool {
	return strings.HasPrefix(prompt, "An agent will do a task ")
}

func asksForAction(prompt string) bool {
	return strings.HasPrefix(prompt, "You operate a web browser ")
}

// modelPlan is its plan for a new patient, and what it thinks of it.
const (
	modelPlan = `"sources":["PAGE"],"steps":[{"description":"Open the form for a new patient","toolType":"DOM"},` +
		`{"description":"Enter the name Jas","toolType":"DOM"},{"description":"Save","toolType":"DOM"}]`
	modelScores = `"scores":{"completeness":0.9,"consistency":0.9,"groundedness":0.9,"routability":0.9},"issues":[]`
)

func modelText(prompt string) string {
	shows := func(what string) bool { return strings.Contains(prompt, what) }
	switch {
	case asksForVerdict(prompt) && shows("Page content did not change"):
		return `{"reason":"Nothing happened.","actionSucceeded":false,"taskCompleted":false,"confidence":0.1}`
	case asksForVerdict(prompt):
		return `{"reason":"The name was taken.","actionSucceeded":true,"taskCompleted":false,"confidence":0.9}`
	case asksForCorrection(prompt) && shows(`12 link "Add patient"`):
		return `{"reason":"The button is dead.","strategy":"ALTERNATIVE_SELECTOR","action":"click(\"12\")","thought":"I take the link.","expected":"the form"}`
	case asksForCorrection(prompt):
		return `{"reason":"I cannot help with that.","strategy":"FAIL","action":"","thought":"I give up."}`
	case asksForProof(prompt):
		return fmt.Sprintf(`{"reason":"I looked at the list.","shown":%t,"confidence":0.9}`, shows("Patient Jas was added"))
	case asksForPlan(prompt):
		return fmt.Sprintf(`{%s,%s,"fits":%t,"confidence":0.95}`, modelPlan, modelScores, shows("\nTHE PLAN SO FAR\n"))
	case asksForPlanCheck(prompt):
		return "{" + modelScores + "}"
	case asksForCritique(prompt):
		return `{"approved":true,"reason":""}`
	}
	act := func(a string) string {
		return fmt.Sprintf(`{"thought":"I go on.","action":%q,"expected":"a change","confidence":0.9}`, a)
	}
	switch {
	case !shows("Jas"):
		return `{"thought":"I need a name.","action":"","question":"What is the patient's name?","missing":["name"]}`
	case shows("Patient Jas was added"):
		return act(`finish("Jas was added")`)
	case shows(` "Remove Jas"`), shows(` v="Jas"`):
		return act(`click("23")`)
	case shows("\n21 inp "):
		return act(`setValue("21", "Jas")`)
	}
	return act(`click("14")`)
}
