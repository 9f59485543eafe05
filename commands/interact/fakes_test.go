package interact_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

// rig is a handler over fakes. Whatever a test leaves out has a harmless default.
type rig struct {
	*interact.Handler
	log     *memory.Store
	reasons *script
	alive   map[string]bool
	now     time.Time
	content *contents
	reads   atomic.Int32
	deps    interact.Deps
}

func newRig(t *testing.T, change ...func(*interact.Deps)) *rig {
	t.Helper()
	r := &rig{log: memory.New(memory.Options{}), reasons: &script{}, alive: map[string]bool{}, now: noon, content: &contents{}}
	r.deps = interact.Deps{
		Log: r.log, Keys: keys{}, Content: r.content, Pages: pages{&r.reads}, Reasoner: r.reasons, Skills: noSkills{},
		Instances: instances{"i1", r.alive},
		Clock:     func() time.Time { return r.now }, IDs: domain.NewUUID, Limits: task.DefaultLimits,
	}
	for _, c := range change {
		c(&r.deps)
	}
	r.Handler = interact.New(r.deps)
	return r
}

// other is another process on the same log.
func (r *rig) other(instance string) *interact.Handler {
	deps := r.deps
	deps.Instances = instances{instance, r.alive}
	return interact.New(deps)
}

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

type keys struct{}

func (keys) NewKey(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Sealer{}, nil
}

func (keys) Key(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Sealer{}, nil
}

// erasedKeys are those of a task whose key was dropped.
type erasedKeys struct{}

func (erasedKeys) NewKey(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Erased{}, nil
}

func (erasedKeys) Key(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Erased{}, nil
}

// contents keeps bodies under ref1, ref2 and so on. Fail is what Put answers,
// lost what Get does.
type contents struct {
	mu         sync.Mutex
	bodies     []string
	fail, lost error
}

func (c *contents) Put(_ context.Context, _, _, _ string, body []byte) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, string(body))
	return fmt.Sprintf("ref%d", len(c.bodies)), c.fail
}

func (c *contents) Get(_ context.Context, _, _, ref string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var n int
	if _, err := fmt.Sscanf(ref, "ref%d", &n); err != nil || n > len(c.bodies) {
		return nil, fmt.Errorf("no body %q", ref)
	}
	return []byte(c.bodies[n-1]), c.lost
}

// pages reads a capture whose DOM is the JSON of a page, and counts how often.
// The name of a password field stands for what redaction cuts out: without it
// the page reads as the same.
type pages struct{ reads *atomic.Int32 }

func (r pages) ReadRedacted(c page.Capture) (page.Page, page.Capture, error) {
	r.reads.Add(1)
	var p page.Page
	if err := json.Unmarshal([]byte(strings.ReplaceAll(c.DOM, "[cut]", "Password")), &p); err != nil {
		return p, c, domain.Errorf(domain.Invalid, "VALIDATION_ERROR", "unreadable").At("dom")
	}
	p.URL, p.ActiveElement = c.URL, string(c.ActiveElement)
	p.MeaningHash = page.MeaningHash(p)
	p.DOMHash = c.DOMHash()
	c.DOM = strings.ReplaceAll(c.DOM, "Password", "[cut]")
	return p, c, nil
}

type noSkills struct{}

func (noSkills) Find(context.Context, string, string, string) ([]reasoning.Skill, error) {
	return nil, errors.New("the skills are out of reach, which must not matter")
}

// web is a search of the web that finds one page, or fails.
type web struct{ fail error }

func (w web) Find(_ context.Context, q reasoning.WebQuery) ([]reasoning.WebResult, error) {
	return []reasoning.WebResult{{Title: "About " + q.Text, URL: "https://a.example/", Snippet: "It is 42."}}, w.fail
}

type instances struct {
	own   string
	alive map[string]bool
}

func (i instances) Own() string { return i.own }

func (i instances) Alive(_ context.Context, id string) (bool, error) { return i.alive[id], nil }

// script is a reasoner that says what it was told to say, one answer per
// question, and keeps the questions.
type script struct {
	mu       sync.Mutex
	acts     []any // reasoning.ActAnswer or error
	verdicts []any
	fixes    []any
	proofs   []any

	asked    []reasoning.ActQuestion
	verified []reasoning.VerifyQuestion
	failures []reasoning.CorrectQuestion
	claims   []reasoning.ConfirmQuestion
}

func next[T any](list *[]any, what string) (T, error) {
	var none T
	if len(*list) == 0 {
		return none, fmt.Errorf("the script has no %s left", what)
	}
	head := (*list)[0]
	*list = (*list)[1:]
	if err, ok := head.(error); ok {
		return none, err
	}
	return head.(T), nil
}

func (s *script) Act(_ context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	return next[reasoning.ActAnswer](&s.acts, "action")
}

func (s *script) Verify(_ context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verified = append(s.verified, q)
	return next[reasoning.Verdict](&s.verdicts, "verdict")
}

func (s *script) Correct(_ context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, q)
	return next[reasoning.Correction](&s.fixes, "correction")
}

func (s *script) Confirm(_ context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims = append(s.claims, q)
	return next[reasoning.Verdict](&s.proofs, "proof")
}

// The page of most tests.
var (
	saveButton = page.Element{ID: "14", Key: "save", Role: "button", Name: "Save"}
	menuLink   = page.Element{ID: "3", Key: "menu", Role: "link", Name: "Add"}
	password   = page.Element{ID: "5", Key: "pw", Role: "textbox", Name: "Password", State: page.State{Secret: true}}
	hidden     = page.Element{ID: "6", Key: "gone", Role: "button", Name: "Hidden", State: page.State{Hidden: true}}
	form       = page.Page{Title: "Form", Elements: []page.Element{saveButton, menuLink, password, hidden}}
)

func click(id string) reasoning.ActAnswer {
	return reasoning.ActAnswer{
		Action: action.Action{Name: action.Click, Target: id}, Thought: "I click.", Confidence: 0.9, By: "script",
		Expected: page.Outcome{Description: "something happens"},
	}
}

var (
	worked = reasoning.Verdict{Confidence: 0.9, Reason: "it worked", Tier: 1, By: "script"}
	didNot = reasoning.Verdict{Confidence: 0.2, Reason: "it did not work", Tier: 1, By: "script"}
	isDone = reasoning.Verdict{Confidence: 0.95, TaskCompleted: true, Reason: "Jas was added", Proof: reasoning.Proof{Quote: "Form"}, Tier: 1, By: "script"}
)

func retryWith(id string) reasoning.Correction {
	return reasoning.Correction{
		Strategy: reasoning.AlternativeSelector, Action: action.Action{Name: action.Click, Target: id},
		Reason: "the other one", Thought: "I try the other one.", By: "script",
	}
}

// able is a client that presses and hovers.
var able = action.Declared([]string{"press", "hover"})

// request is a request of jo at acme about a page.
func request(t *testing.T, p page.Page, body string) interact.Request {
	t.Helper()
	dom, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return interact.Request{
		Tenant: "acme", User: "jo", Key: "key-" + body, BodyHash: body, Query: "save it", Client: able,
		Capture: page.Capture{URL: "https://clinic.example/form", DOM: string(dom)},
	}
}

// eventsOf is a task's stream, decoded.
func (r *rig) eventsOf(t *testing.T, id string) []task.Event {
	t.Helper()
	slice, err := r.log.ReadStream(t.Context(), task.Stream(id), eventstore.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var events []task.Event
	for _, e := range slice.Events {
		decoded, err := task.Codec.Decode(e.Type, e.Data, e.ID, domaintest.Sealer{})
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, decoded)
	}
	return events
}

func names(events []task.Event) []string {
	var out []string
	for _, e := range events {
		out = append(out, task.Codec.Name(e))
	}
	return out
}

func answerOf(t *testing.T, r interact.Result) interact.Answer {
	t.Helper()
	var a interact.Answer
	if err := json.Unmarshal(r.Answer, &a); err != nil {
		t.Fatal(err)
	}
	return a
}
