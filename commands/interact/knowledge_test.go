package interact_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// known is what documents say: of a site, and of single values.
type known struct {
	chunks []reasoning.Chunk
	values map[string][]reasoning.Chunk
	fail   error

	asked   []string
	forever bool // it was asked without a bound
}

func (k *known) Find(ctx context.Context, _, address, what string) ([]reasoning.Chunk, bool, error) {
	k.asked = append(k.asked, address+" "+what)
	_, bounded := ctx.Deadline()
	k.forever = k.forever || !bounded
	if of, ok := k.values[what]; ok {
		return of, true, k.fail
	}
	return k.chunks, len(k.chunks) > 0, k.fail
}

func piece(id, text string) reasoning.Chunk {
	return reasoning.Chunk{
		ID: id + ".1", Version: id, Document: "doc-" + id, Title: "Handbook", Section: "Wards", Page: 4,
		At: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC), Text: text,
	}
}

var handbook = []reasoning.Chunk{piece("a", "Wards are named after rivers.")}

// findings are the events that say what was found.
func findings(events []task.Event) (out []task.KnowledgeFound) {
	for _, e := range events {
		if f, ok := e.(task.KnowledgeFound); ok {
			out = append(out, f)
		}
	}
	return out
}

// Given what documents say of a site, when a task begins, then they are asked once,
// whoever plans and acts is shown it, and the client is told only that there is something.
func TestKnowledge(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		known  *known
		shown  int
		events int
	}{
		"some":         {&known{chunks: handbook}, 1, 1},
		"none":         {&known{}, 0, 0},
		"out of reach": {&known{chunks: handbook, fail: errors.New("down")}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &planner{plans: []reasoning.PlanAnswer{planned(0.9)}}
			r := newRig(t, func(d *interact.Deps) { d.Planner, d.Knowledge = p, tt.known })
			r.reasons.acts = []any{clickBy("a-model", "3", 0.95, 1)}
			req := request(t, graphPage(0), "1")
			req.Query = longTask
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			a := answerOf(t, res)
			if len(tt.known.asked) != 1 || len(p.asked[0].Knowledge) != tt.shown || len(r.reasons.asked[0].Knowledge) != tt.shown || a.HasOrgKnowledge != (tt.shown > 0) || len(res.Turn.Shown) != tt.shown {
				t.Errorf("asked %d times, shown %d and %d, answer %v", len(tt.known.asked), len(p.asked[0].Knowledge), len(r.reasons.asked[0].Knowledge), a.HasOrgKnowledge)
			}
			if got := findings(r.eventsOf(t, res.TaskID)); len(got) != tt.events || tt.known.forever {
				t.Errorf("%+v", got)
			}
			if strings.Contains(string(res.Answer), "rivers") || strings.Contains(string(res.Answer), "Handbook") {
				t.Error("what the organisation knows is in the answer")
			}
		})
	}
}

// Given a task that was shown something, when a later turn finds the same, then nothing is
// recorded; when it finds something else, nothing, or nobody to ask, then that is, once.
func TestKnowledge_IsRecordedWhereItDiffers(t *testing.T) {
	t.Parallel()
	k := &known{}
	r := newRig(t, func(d *interact.Deps) { d.Knowledge = k })
	newer := []reasoning.Chunk{piece("b", "Wards are named after trees."), handbook[0]}
	id := ""
	for i, turn := range []struct {
		chunks []reasoning.Chunk
		fail   error
		want   []string // the pieces of the event; nil for no event
	}{
		{nil, nil, nil},
		{handbook, nil, []string{"a.1"}},
		{handbook, nil, nil},
		{newer, nil, []string{"b.1", "a.1"}},
		{newer, errors.New("down"), []string{"failed"}},
		{newer, errors.New("down"), nil},
		{newer, nil, []string{"b.1", "a.1"}},
		{nil, nil, []string{}},
	} {
		k.chunks, k.fail = turn.chunks, turn.fail
		r.reasons.acts = []any{click([]string{"3", "14"}[i%2])}
		r.reasons.verdicts = []any{worked}
		req := request(t, graphPage(i), string(rune('a'+i)))
		req.TaskID = id
		before := len(findings(eventsOrNone(t, r, id)))
		res, err := r.Interact(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		id = res.TaskID
		fresh := findings(r.eventsOf(t, id))[before:]
		if (len(fresh) == 1) != (turn.want != nil) {
			t.Fatalf("turn %d: %+v", i+1, fresh)
		}
		if a := answerOf(t, res); a.HasOrgKnowledge != (len(turn.chunks) > 0 && turn.fail == nil) {
			t.Errorf("turn %d: %v", i+1, a.HasOrgKnowledge)
		}
		if turn.want == nil {
			continue
		}
		got := append([]string{}, fresh[0].Chunks...)
		if fresh[0].Failed {
			got = append(got, "failed")
		}
		if !slices.Equal(got, turn.want) || fresh[0].Turn != i+1 || fresh[0].For != reasoning.ForContext || len(fresh[0].Citations) != len(fresh[0].Chunks) || (fresh[0].Pieces == "") != (len(fresh[0].Chunks) == 0) {
			t.Errorf("turn %d: %+v", i+1, fresh[0])
		}
		if fresh[0].Pieces == "" {
			continue
		}
		var kept []reasoning.Chunk
		body, err := r.content.Get(t.Context(), "", "", fresh[0].Pieces)
		if err != nil || json.Unmarshal(body, &kept) != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if diff := cmp.Diff(turn.chunks, kept); diff != "" {
			t.Errorf("turn %d keeps other pieces: %s", i+1, diff)
		}
	}
}

func eventsOrNone(t *testing.T, r *rig, id string) []task.Event {
	t.Helper()
	if id == "" {
		return nil
	}
	return r.eventsOf(t, id)
}

// A secret of the user is neither asked for nor shown nor kept, and pieces are bounded.
func TestKnowledge_WithoutSecrets(t *testing.T) {
	t.Parallel()
	said := piece("a", "The old password was hunter2. "+strings.Repeat("It is long. ", 5_000))
	said.Title, said.Section = "hunter2", "On hunter2"
	k := &known{chunks: []reasoning.Chunk{said}}
	r := newRig(t, func(d *interact.Deps) { d.Knowledge = k })
	r.reasons.acts = []any{click("3")}
	req := request(t, graphPage(0), "1")
	req.Query = `log in with the password "hunter2"`
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	shown := r.reasons.asked[0].Knowledge
	if len(shown) != 1 || strings.Contains(shown[0].Title+shown[0].Section+shown[0].Text, "hunter2") || len(shown[0].Text) > 8*reasoning.MaxChunkTokens {
		t.Errorf("%+v", shown)
	}
	found := findings(r.eventsOf(t, res.TaskID))
	if len(found) != 1 || strings.Contains(found[0].Citations[0].Document, "hunter2") || strings.Contains(k.asked[0], "hunter2") {
		t.Errorf("%+v after %q", found, k.asked)
	}
	for _, body := range r.content.bodies {
		if strings.Contains(body, "hunter2") {
			t.Errorf("kept: %s", body)
		}
	}
}

// Pieces that cannot be kept are not shown, and end no turn.
func TestKnowledge_ThatCannotBeKept(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(d *interact.Deps) {
		d.Knowledge, d.Content = &known{chunks: handbook, values: map[string][]reasoning.Chunk{"ward": {piece("b", "South.")}}}, onlyPages{d.Content}
	})
	r.reasons.acts = []any{reasoning.ActAnswer{Lacks: "ward", Confidence: 0.8, By: "a-model"}}
	res, err := r.Interact(t.Context(), request(t, graphPage(0), "1"))
	if err != nil {
		t.Fatal(err)
	}
	found := findings(r.eventsOf(t, res.TaskID))
	if a := answerOf(t, res); len(r.reasons.asked) != 1 || len(r.reasons.asked[0].Knowledge) != 0 || len(found) != 1 || !found[0].Failed || found[0].Pieces != "" || a.HasOrgKnowledge {
		t.Errorf("%+v: %+v", a, found)
	}
}

// onlyPages keeps nothing that documents say.
type onlyPages struct {
	contentStore
}

type contentStore interface {
	Put(ctx context.Context, tenant, subject, kind string, body []byte) (string, error)
	Get(ctx context.Context, tenant, subject, ref string) ([]byte, error)
}

func (o onlyPages) Put(ctx context.Context, tenant, subject, kind string, body []byte) (string, error) {
	if kind == "knowledge" {
		return "", errors.New("the disk is full")
	}
	return o.contentStore.Put(ctx, tenant, subject, kind, body)
}

// addressed keeps bodies by what they hold, as content stores do.
type addressed struct{ *contents }

func (a addressed) Put(_ context.Context, _, _, kind string, body []byte) (string, error) {
	return domain.DeriveUUID(kind, string(body)), nil
}

// A turn that a crash ended, run again, records the same.
func TestKnowledge_RunAgainAfterACrash(t *testing.T) {
	t.Parallel()
	k := &known{chunks: handbook, values: map[string][]reasoning.Chunk{"VAT rate": {piece("b", "It is 25 %.")}}}
	lacks := reasoning.ActAnswer{Lacks: "VAT rate", Thought: "I need it.", Confidence: 0.8, By: "a-model"}
	var turns [][]task.KnowledgeFound
	for _, crashes := range []bool{false, true} {
		r := newRig(t, func(d *interact.Deps) { d.Knowledge, d.Content = k, addressed{&contents{}} })
		req := request(t, graphPage(0), "1")
		if crashes {
			died(t, r, "i2", req)
		}
		r.reasons.acts = []any{lacks, click("3")}
		res, err := r.Interact(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		found := findings(r.eventsOf(t, res.TaskID))
		for i := range found {
			found[i].Turn = 0 // the claim of the dead turn has a number too
		}
		turns = append(turns, found)
	}
	if diff := cmp.Diff(turns[0], turns[1]); diff != "" || len(turns[0]) != 2 {
		t.Errorf("%d events: %s", len(turns[0]), diff)
	}
}

// Whether the organisation knows anything about the site is in every answer.
func TestKnowledge_IsToldInEveryAnswer(t *testing.T) {
	t.Parallel()
	k := &known{chunks: handbook}
	r := newRig(t, func(d *interact.Deps) { d.Knowledge = k })
	r.reasons.acts = []any{click("3"), reasoning.ActAnswer{UserQuestion: "Which ward?", By: "script"}, click("14")}
	r.reasons.verdicts, r.reasons.fixes = []any{didNot, worked, isDone}, []any{retryWith("14")}
	id := ""
	for i, want := range []string{"executing", "correcting", "needs_full_dom", "needs_user_input"} {
		req := request(t, graphPage(i), string(rune('a'+i)))
		req.TaskID = id
		if want == "needs_full_dom" {
			req.PageHash, req.Capture.DOM = "unknown", ""
		}
		res, err := r.Interact(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		id = res.TaskID
		if a := answerOf(t, res); a.Status != want || !a.HasOrgKnowledge {
			t.Errorf("%d: %s, knows %v", i, a.Status, a.HasOrgKnowledge)
		}
	}
	if len(k.asked) != 3 { // there is no site without a page
		t.Errorf("%q", k.asked)
	}
}

// Given documents that have what a task needs, when whoever plans says that memory has it,
// then they were shown them, as is whoever checks the plan, and neither the web nor the
// user is asked.
func TestKnowledge_IsMemory(t *testing.T) {
	t.Parallel()
	web, p := &sites{here: 3}, &planner{plans: []reasoning.PlanAnswer{planned(0.95, reasoning.FromMemory)}}
	r := newRig(t, func(d *interact.Deps) { d.Planner, d.Search, d.Knowledge = p, web, &known{chunks: handbook} })
	r.reasons.acts = []any{clickBy("a-model", "3", 0.95, 1)}
	req := request(t, graphPage(0), "1")
	req.Query = longestTask
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	events := r.eventsOf(t, res.TaskID)
	if _, routes := research(events); len(web.asked) > 0 || !slices.Equal(routes, []string{"proceed"}) || len(p.asked[0].Knowledge) != 1 || len(p.checked) != 1 || len(p.checked[0].Knowledge) != 1 {
		t.Errorf("searched %d times, %q, shown %d", len(web.asked), routes, len(p.asked[0].Knowledge))
	}
	found := slices.Index(names(events), task.NameKnowledgeFound)
	if found < 0 || found > slices.Index(names(events), task.NameContextAnalyzed) {
		t.Errorf("%q", names(events))
	}
}

// A value that is missing in the middle of a task is looked for in documents first, once a
// turn; what they say of it comes first with the same question, which is put again. Where
// they say nothing new the web is searched, and then the user is asked.
func TestMissingInfo_DocumentsFirst(t *testing.T) {
	t.Parallel()
	lacks := func(what string) reasoning.ActAnswer {
		return reasoning.ActAnswer{Lacks: what, Thought: "I need it for the form.", Confidence: 0.8, By: "a-model"}
	}
	vat := piece("b", "The VAT rate is 25 %.")
	values := map[string][]reasoning.Chunk{"VAT rate": {vat, handbook[0]}, "capital": handbook, "river": {piece("c", "It is the Akerselva.")}, "tax office": nil, "house number": {piece("d", "It is 7.")}}
	for name, tt := range map[string]struct {
		acts     []any
		status   string
		sought   int
		searched []string
		pieces   [][]string // of the events
	}{
		"they have it":                {[]any{lacks("VAT rate"), click("3")}, "executing", 1, nil, [][]string{{"a.1"}, {"b.1", "a.1"}}},
		"they have not, the web may":  {[]any{lacks("tax office"), click("3")}, "executing", 1, []string{"missing 3"}, [][]string{{"a.1"}}},
		"they say what they did":      {[]any{lacks("capital"), click("3")}, "executing", 1, []string{"missing 3"}, [][]string{{"a.1"}}},
		"it is not what was needed":   {[]any{lacks("VAT rate"), lacks("vat rate"), lacks("VAT rate")}, "needs_user_input", 1, []string{"missing 3"}, [][]string{{"a.1"}, {"b.1", "a.1"}}},
		"a private value they have":   {[]any{lacks("house number"), click("3")}, "executing", 1, nil, [][]string{{"a.1"}, {"d.1", "a.1"}}},
		"a private value is not told": {[]any{lacks("house number"), lacks("house number")}, "needs_user_input", 1, nil, [][]string{{"a.1"}, {"d.1", "a.1"}}},
		"one after the other": {
			[]any{lacks("VAT rate"), lacks("river"), lacks("house number"), lacks("room"), click("3")}, "needs_user_input", 3, nil,
			[][]string{{"a.1"}, {"b.1", "a.1"}, {"c.1", "b.1", "a.1"}, {"d.1", "c.1", "b.1", "a.1"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &known{chunks: handbook, values: values}
			r := newRig(t, func(d *interact.Deps) { d.Search, d.Knowledge = &sites{here: 3}, k })
			r.reasons.acts = tt.acts
			res, err := r.Interact(t.Context(), request(t, graphPage(0), "1"))
			if err != nil {
				t.Fatal(err)
			}
			events := r.eventsOf(t, res.TaskID)
			var pieces [][]string
			for _, f := range findings(events) {
				pieces = append(pieces, f.Chunks)
			}
			if diff := cmp.Diff(tt.pieces, pieces); diff != "" {
				t.Error(diff)
			}
			searched, _ := research(events)
			if a := answerOf(t, res); a.Status != tt.status || len(k.asked) != 1+tt.sought || !slices.Equal(searched, tt.searched) {
				t.Errorf("%s after %q, searched %q", a.Status, k.asked, searched)
			}
			last := r.reasons.asked[len(r.reasons.asked)-1].Knowledge
			if want := tt.pieces[len(tt.pieces)-1]; len(last) != len(want) || last[0].ID != want[0] {
				t.Errorf("the last question shows %+v", last)
			}
		})
	}
}

// What documents say supports the last message of a task in parts, as what searches found
// does.
func TestKnowledge_SupportsWhatIsSaid(t *testing.T) {
	t.Parallel()
	first := planned(0.95, reasoning.FromPage)
	first.SubTasks = []plan.SubTask{{Goal: "Find out the ward", Outputs: []string{"ward"}}}
	r := newRig(t, func(d *interact.Deps) {
		d.Planner, d.Knowledge = &planner{plans: []reasoning.PlanAnswer{first}}, &known{chunks: []reasoning.Chunk{piece("a", "The newest ward is Danube.")}}
	})
	r.reasons.acts = []any{clickBy("a-model", "3", 0.95, 1), finishes(`The ward is "Danube".`, map[string]string{"ward": "Danube"})}
	r.reasons.verdicts = []any{worked}
	req := request(t, graphPage(0), "1")
	req.Query = longestTask
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	next := request(t, page.Page{Title: "Form", Elements: form.Elements}, "2")
	next.TaskID = res.TaskID
	if res, err = r.Interact(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, res); a.Status != "completed" {
		t.Errorf("%s: %s", a.Status, a.Thought)
	}
}
