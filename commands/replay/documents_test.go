package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore/memory"
)

// bench is a handler that decides by what documents say, over fakes.
type bench struct {
	log  *memory.Store
	kept *shelf
	docs *library
}

// library is what documents say today.
type library struct {
	site  []reasoning.Chunk
	value []reasoning.Chunk
	fail  error
	asked int
}

func (l *library) Find(_ context.Context, _, _, what string) ([]reasoning.Chunk, bool, error) {
	if l.asked++; what == "VAT rate" {
		return l.value, true, l.fail
	}
	return l.site, len(l.site) > 0, l.fail
}

// shelf keeps bodies by what they hold.
type shelf struct {
	mu     sync.Mutex
	bodies map[string][]byte
	kinds  map[string]string
}

func (s *shelf) Put(_ context.Context, _, _, kind string, body []byte) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref := domain.DeriveUUID(kind, string(body))
	s.bodies[ref], s.kinds[ref] = body, kind
	return ref, nil
}

func (s *shelf) Get(_ context.Context, _, _, ref string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, ok := s.bodies[ref]
	if !ok {
		return nil, domain.Errorf(domain.NotFound, domain.CodeNotFound, "it is gone")
	}
	return body, nil
}

func (s *shelf) drop(kind string) {
	for ref, k := range s.kinds {
		if k == kind {
			delete(s.bodies, ref)
		}
	}
}

type keys struct{}

func (keys) NewKey(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Sealer{}, nil
}

func (keys) Key(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Sealer{}, nil
}

type alive struct{}

func (alive) Own() string                                 { return "i1" }
func (alive) Alive(context.Context, string) (bool, error) { return true, nil }

type noSkills struct{}

func (noSkills) Find(context.Context, string, string, string) ([]reasoning.Skill, error) {
	return nil, nil
}

// pages reads a capture whose DOM is the JSON of a page.
type pages struct{}

func (pages) ReadRedacted(c page.Capture) (page.Page, page.Capture, error) {
	var p page.Page
	err := json.Unmarshal([]byte(c.DOM), &p)
	p.URL, p.DOMHash = c.URL, c.DOMHash()
	p.MeaningHash = page.MeaningHash(p)
	return p, c, err
}

// reader acts by the documents: it needs the VAT rate, and clicks as often as they say.
type reader struct{}

func (reader) Act(_ context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	var said []string
	for _, c := range q.Knowledge {
		said = append(said, c.ID+" "+c.Text)
	}
	if len(q.Steps) == 0 && !strings.Contains(strings.Join(said, " "), "VAT") {
		return reasoning.ActAnswer{Lacks: "VAT rate", Confidence: 0.8, By: "reader"}, nil
	}
	return reasoning.ActAnswer{Action: action.Action{Name: action.Click, Target: strconv.Itoa(len(said))}, Thought: strings.Join(said, "; "), Confidence: 0.9, By: "reader"}, nil
}

func (reader) Verify(context.Context, reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	return reasoning.Verdict{Confidence: 0.9, Reason: "it worked", Tier: 1, By: "reader"}, nil
}

func (reader) Correct(context.Context, reasoning.CorrectQuestion) (reasoning.Correction, error) {
	return reasoning.Correction{}, errors.New("nothing fails")
}

func (reader) Confirm(context.Context, reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	return reasoning.Verdict{}, errors.New("nothing ends")
}

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

func piece(id, text string) reasoning.Chunk {
	return reasoning.Chunk{ID: id + ".1", Version: id, Document: "doc", Title: "Handbook", At: noon, Text: text}
}

func newBench() *bench {
	return &bench{
		log: memory.New(memory.Options{}), kept: &shelf{bodies: map[string][]byte{}, kinds: map[string]string{}},
		docs: &library{site: []reasoning.Chunk{piece("a", `Use "hunter2".`)}, value: []reasoning.Chunk{piece("b", "The VAT rate is 25 %.")}},
	}
}

// visit sends the nth request of a task.
func (b *bench) visit(t *testing.T, id string, n int) string {
	t.Helper()
	h := interact.New(interact.Deps{
		Log: b.log, Keys: keys{}, Content: b.kept, Pages: pages{}, Reasoner: reader{}, Skills: noSkills{}, Knowledge: b.docs,
		Instances: alive{}, Clock: func() time.Time { return noon }, IDs: domain.NewUUID, Limits: task.DefaultLimits,
	})
	var shown page.Page
	for i := range 4 {
		shown.Elements = append(shown.Elements, page.Element{ID: strconv.Itoa(i), Key: strconv.Itoa(i), Role: "button", Name: "Button " + strconv.Itoa(i)})
	}
	shown.Alerts = []page.Alert{{Kind: page.AlertOther, Text: "Visit " + strconv.Itoa(n)}}
	dom, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	res, err := h.Interact(t.Context(), interact.Request{
		Tenant: "acme", User: "jo", TaskID: id, Key: strconv.Itoa(n), BodyHash: strconv.Itoa(n), Query: `log in with the password "hunter2"`,
		Capture: page.Capture{URL: "https://clinic.example/", DOM: string(dom)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return res.TaskID
}

// minds decide by the recorded documents alone.
func (b *bench) minds(turn replay.Turn) (replay.Mind, error) {
	said := turn.Documents(nil)
	return replay.Mind{Handler: interact.New(interact.Deps{
		Content: said, Knowledge: said, Pages: pages{}, Reasoner: reader{}, Skills: noSkills{},
		Clock: func() time.Time { return turn.At }, IDs: domain.NewUUID, Limits: task.DefaultLimits,
	})}, nil
}

func (b *bench) source() replay.Source {
	return replay.Source{Log: b.log, Keys: keys{}, Content: b.kept}
}

// Given a task that was decided by what documents said, when it is replayed after they
// have changed, then it is decided by what they said then, and nobody is asked; so is its
// export; and a turn whose pieces are gone is said not to be replayed.
func TestRun_ByRecordedDocuments(t *testing.T) {
	t.Parallel()
	b := newBench()
	id := b.visit(t, "", 1) // shown a, then b for the value
	b.visit(t, id, 2)       // shown a alone
	b.visit(t, id, 3)       // shown the same, which no event says
	b.docs.fail = errors.New("down")
	b.visit(t, id, 4)
	b.docs.fail, b.docs.site = nil, []reasoning.Chunk{piece("z", "All is new.")}
	asked := b.docs.asked
	loaded, err := b.source().Load(t.Context(), "acme", id)
	if err != nil {
		t.Fatal(err)
	}
	exported, err := b.source().Export(t.Context(), "acme", id, noon)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(exported); err != nil || strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), "The VAT rate is 25 %.") {
		t.Errorf("%s: %v", text, err)
	}
	imported, err := replay.Import(exported)
	if err != nil {
		t.Fatal(err)
	}
	for name, recorded := range map[string]replay.Task{"from the log": loaded, "from an export": imported} {
		report, err := replay.Run(t.Context(), recorded, b.minds)
		if err != nil {
			t.Fatal(err)
		}
		var clicked []string
		for _, turn := range report.Turns {
			clicked = append(clicked, turn.Action.Now)
			if !turn.Same {
				t.Errorf("%s, turn %d: %+v", name, turn.Turn, turn)
			}
		}
		if diff := cmp.Diff([]string{`click("2")`, `click("1")`, `click("1")`, `click("0")`}, clicked); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if b.docs.asked != asked {
		t.Error("a replay asked what documents say today")
	}

	b.kept.drop("knowledge")
	if loaded, err = b.source().Load(t.Context(), "acme", id); err != nil {
		t.Fatal(err)
	}
	report, err := replay.Run(t.Context(), loaded, b.minds)
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range report.Turns {
		if gone := turn.Turn < 4; strings.HasPrefix(turn.Skipped, "what documents said is gone") != gone || !gone && !turn.Same {
			t.Errorf("turn %d: %+v", turn.Turn, turn)
		}
	}
	if exported, err = b.source().Export(t.Context(), "acme", id, noon); err != nil || len(exported.Missing) != 3 {
		t.Errorf("%q: %v", exported.Missing, err)
	}
}

// A fork that needs a value nobody looked for gets nothing, and what it would keep is kept
// nowhere.
func TestDocuments_OfWhatIsNotRecorded(t *testing.T) {
	t.Parallel()
	b := newBench()
	id := b.visit(t, "", 1)
	loaded, err := b.source().Load(t.Context(), "acme", id)
	if err != nil {
		t.Fatal(err)
	}
	turn, err := loaded.At(1)
	if err != nil {
		t.Fatal(err)
	}
	said := turn.Documents(b.kept)
	site, known, err := said.Find(t.Context(), "acme", "", "log in")
	if err != nil || !known || len(site) != 1 || site[0].ID != "a.1" {
		t.Errorf("%+v, %v, %v", site, known, err)
	}
	if other, _, err := said.Find(t.Context(), "acme", "", "height"); err != nil || !reasoning.HasAll(site, other) {
		t.Errorf("%+v, %v", other, err)
	}
	if value, _, err := said.Find(t.Context(), "acme", "", "vat rate"); err != nil || len(value) != 2 || value[0].ID != "b.1" {
		t.Errorf("%+v, %v", value, err)
	}
	before := len(b.kept.bodies)
	if ref, err := said.Put(t.Context(), "acme", id, "knowledge", []byte(`[]`)); ref != "" || err != nil || len(b.kept.bodies) != before {
		t.Errorf("kept as %q, %v", ref, err)
	}
	if _, err := said.Get(t.Context(), "acme", id, turn.Observed.Page); err != nil {
		t.Error(err)
	}
	if _, err := turn.Documents(nil).Get(t.Context(), "acme", id, turn.Observed.Page); domain.KindOf(err) != domain.NotFound {
		t.Error(err)
	}
}
