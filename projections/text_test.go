package projections_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/sessions"
	"github.com/stepledger/stepledger/projections/skills"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "plain": "plain", "ünïcödé 😀": "ünïcödé 😀", "a\x00b\x00": "ab", "a\xffb": "a\ufffdb",
		"\x01 and \ufffe": "\x01 and \ufffe", `\u0000`: `\u0000`,
	} {
		if got := projections.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	type value struct {
		S string          `json:"s"`
		R json.RawMessage `json:"r,omitempty"`
	}
	for _, tt := range []struct {
		in   *value
		want any
	}{
		{nil, nil},
		{&value{S: "plain"}, json.RawMessage(`{"s":"plain"}`)},
		{&value{S: "a\x00b\x00", R: json.RawMessage(`"\u0000c"`)}, json.RawMessage(`{"s":"ab","r":"c"}`)},
		{&value{S: `a\u0000\` + "\x00\n"}, json.RawMessage(`{"s":"a\\u0000\\\n"}`)},
		{&value{S: "\xff"}, json.RawMessage(`{"s":"\ufffd"}`)},
	} {
		if diff := cmp.Diff(tt.want, projections.JSON(tt.in)); diff != "" {
			t.Errorf("JSON(%+v) (-want +got):\n%s", tt.in, diff)
		}
	}
}

// Pages, users and models say what Postgres refuses; the task is there anyway,
// in every read model.
func TestApply_TextPostgresRefuses(t *testing.T) {
	t.Parallel()
	const url = "https://a.example/\x00x"
	dirty := func(s string) string { return s + "\x00\xff" }
	e := projtest.New(t)
	button := projtest.Target(dirty("b"), "button", dirty("Save"))
	link := projtest.Target("79", dirty("link"), dirty("Store"))
	k := e.Task(e.Session(), url, dirty("keep it"))
	k.Turn(url).Ask(dirty("which one?")).End().Turn(url).Reply(dirty("that one"))
	k.Act(projtest.Set("b", "v"), button).End().Turn(url)
	k.Append(task.ActionVerified{Turn: 2, Confidence: 0.2, Reason: dirty("nothing happened"), Tier: 1, By: "rules"})
	k.Append(task.CorrectionIssued{
		Turn: 3, Attempt: 1, Strategy: reasoning.AlternativeSelector, Kind: action.Click, By: dirty("model"), Reason: dirty("another way"),
		Thought: dirty("try the link"), FailedAction: `setValue("b", "v")`, FailedTarget: button, RetryAction: `click("79")`, RetryTarget: link,
		Before: page.Before{URL: url, Skeleton: page.Skeleton{Elements: []page.Descriptor{{Role: "button", Name: dirty("Save")}}}},
		Skills: []string{dirty("made up")},
	})
	k.Turn(url).Verdict(true).Fail(dirty("GAVE_UP"), dirty("it is gone"))
	projtest.Append(e, ledger.Codec, ledger.Stream(k.ID),
		ledger.Event(ledger.LLMCallStarted{Call: "call", Tenant: k.Tenant, Task: k.ID, Model: dirty("m"), StartedAt: time.Now()}),
		ledger.Event(ledger.LLMCallCompleted{Call: "call", Report: ledger.Report{
			RawUsage: json.RawMessage(`{"note":"\u0000` + "\xff" + `"}`), ResponseModel: dirty("m"), CompletedAt: time.Now(),
		}}))
	e.CatchUp(all...)

	if parked, err := projections.NewRunner(e.Config(all...)).Parked(t.Context(), projections.ParkedFilter{}); err != nil || len(parked) > 0 {
		t.Fatalf("parked: %+v, %v", parked, err)
	}
	seen, err := tasks.Queries{DB: e.Pool}.ByID(t.Context(), k.Tenant, k.User, k.ID)
	if err != nil || seen.Query != "keep it\ufffd" || seen.Message != "it is gone\ufffd" || seen.PageURL != "https://a.example/x" {
		t.Errorf("task: %+v, %v", seen, err)
	}
	q := sessions.Queries{DB: e.Pool}
	if s, err := q.Latest(t.Context(), k.Tenant, k.User, sessions.Failed); err != nil || s.InitialQuery != "keep it\ufffd" {
		t.Errorf("session: %+v, %v", s, err)
	}
	m, err := q.Messages(t.Context(), k.Tenant, k.User, k.Session, sessions.MessageFilter{})
	var said []string
	for _, line := range m.Messages {
		said = append(said, line.Content)
	}
	want := []string{"keep it\ufffd", "which one?\ufffd", "that one\ufffd", "step 0", "try the link\ufffd", "it is gone\ufffd"}
	if diff := cmp.Diff(want, said); diff != "" || err != nil {
		t.Errorf("messages (-want +got), %v:\n%s", err, diff)
	}
	learnt, err := skills.Queries{DB: e.Pool}.Find(t.Context(), k.Tenant, "https://a.example\x00/", dirty("keep it"))
	if err != nil || !slices.ContainsFunc(learnt, func(s reasoning.Skill) bool { return s.UseTarget.Name == "Store\ufffd" }) {
		t.Errorf("skills: %+v, %v", learnt, err)
	}
	sum, err := usage.Queries{DB: e.Pool}.Summary(t.Context(), usage.SummaryFilter{Selection: ledger.Selection{Tenant: k.Tenant, Task: k.ID}, GroupBy: []usage.GroupBy{usage.ByModel}})
	if err != nil || len(sum.Groups) != 1 || strings.ContainsRune(sum.Groups[0].Keys[0], 0) {
		t.Errorf("usage: %+v, %v", sum, err)
	}
}

func TestBatch_TextsOfEveryKind(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	p := projections.Projection{
		Name: "texts", Version: 1,
		Tables: `create table texts (a text, b text, c text, d text[], e jsonb)`, Views: []string{"texts"},
		Apply: func(b *projections.Batch, _ eventstore.Recorded, _ domain.Sealer) error {
			dirty := "x\x00\xff"
			b.Queue(`insert into texts values (@a, @b, @c, @d, @e)`, pgx.NamedArgs{
				"a": dirty, "b": &dirty, "c": (*string)(nil), "d": []string{dirty, "y"}, "e": projections.JSON(&dirty),
			})
			return nil
		},
	}
	e.CatchUp(p)
	const want = "texts\n\t(x\ufffd,x\ufffd,,{x\ufffd,y},x\ufffd)\n"
	if got := strings.ReplaceAll(e.Dump(p), `"`, ""); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPark_AnErrorThatQuotesTheEvent(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	p := tally()
	p.Apply = func(*projections.Batch, eventstore.Recorded, domain.Sealer) error {
		return errors.New(strings.Repeat("é\x00", 1000))
	}
	e.CatchUp(p)
	r := projections.NewRunner(e.Config(p))
	if applied, left, err := r.RetryParked(t.Context(), projections.ParkedFilter{Projection: "tally"}); err != nil || applied != 0 || left != 1 {
		t.Errorf("%d applied, %d left, %v; want the event still parked", applied, left, err)
	}
	if parked, err := r.Parked(t.Context(), projections.ParkedFilter{Projection: "tally"}); err != nil || len(parked) != 1 || !strings.HasPrefix(parked[0].Error, "éé") {
		t.Errorf("parked: %+v, %v", parked, err)
	}
}
