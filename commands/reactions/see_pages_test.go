package reactions_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/reactions"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

// Put implements commands.Content.
func (r *rig) Put(context.Context, string, string, string, []byte) (string, error) { return "", nil }

// Get implements commands.Content: a page is its reference; some are not kept.
func (r *rig) Get(_ context.Context, _, _, ref string) ([]byte, error) {
	if strings.HasPrefix(ref, "lost") {
		return nil, domain.Errorf(domain.NotFound, domain.CodeNotFound, "not kept")
	}
	return json.Marshal(page.Capture{DOM: "<p>" + ref + " of hunter2</p>"})
}

// Wants implements reactions.Pages.
func (r *rig) Wants(context.Context, string) (bool, error) { return r.wants, nil }

// See implements reactions.Pages.
func (r *rig) See(_ context.Context, p reactions.SeenPage) error {
	r.seen = append(r.seen, p)
	if r.during != nil {
		r.during()
	}
	return nil
}

// Unsee implements reactions.Pages.
func (r *rig) Unsee(_ context.Context, _, task string) error {
	r.unseen = append(r.unseen, task)
	return nil
}

// at is a page of a turn.
func at(turn int, url, ref string) task.PageObserved {
	return task.PageObserved{Tenant: "acme", User: "jo", Session: sessionID, Turn: turn, URL: url, Page: ref, Secrets: []string{"hunter2"}, LeaseUntil: noon}
}

func did(turn int, name action.Name, text string) task.ActionGenerated {
	return task.ActionGenerated{StepIndex: turn, Kind: name, Action: text}
}

func TestSeePages(t *testing.T) {
	t.Parallel()
	const orders, order = "https://app.acme.com/orders", "https://app.acme.com/orders/7"
	r := newRig()
	r.wants = true
	r.begin(t, "t1",
		at(2, orders, "list"), did(0, action.Click, `click("1")`), // another address: as it came
		at(3, orders, "menu"), did(1, action.SetValue, `setValue("2", "x")`), // brought by the click
		at(4, orders, "typed"), did(2, action.Click, `click("3")`), // only typed into
		at(5, order, "detail"), did(3, action.Click, `click("4")`),
		at(6, order, "lost"),
	)
	r.everything(t)
	seen := func(turn int, url, html, trigger string) reactions.SeenPage {
		return reactions.SeenPage{Tenant: "acme", URL: url, HTML: "<p>" + html + "</p>", Task: "t1", Turn: turn, Trigger: trigger}
	}
	var got []reactions.SeenPage
	for _, p := range r.seen {
		if strings.Contains(p.HTML, "hunter2") {
			t.Errorf("a secret is kept with a page: %s", p.HTML)
		}
		if p.At.IsZero() {
			t.Error("it is not said when a page was seen")
		}
		p.At = time.Time{}
		p.HTML = "<p>" + strings.Fields(strings.TrimPrefix(p.HTML, "<p>"))[0] + "</p>"
		got = append(got, p)
	}
	want := []reactions.SeenPage{seen(2, orders, "list", ""), seen(3, orders, "menu", `click("1")`), seen(5, order, "detail", "")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSeePages_NobodyWants(t *testing.T) {
	t.Parallel()
	r := newRig()
	r.begin(t, "t1", at(2, "https://app.acme.com/", "list"))
	r.everything(t)
	if len(r.seen) > 0 {
		t.Errorf("%+v", r.seen)
	}
}

// A task that is erased while its page is being kept loses that page too.
func TestSeePages_ErasedMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRig()
	r.wants = true
	r.begin(t, "t1", at(2, "https://app.acme.com/", "list"))
	r.during = func() {
		r.during = nil
		r.add(t, "t1", task.TaskErased{Erasure: "e"})
	}
	r.everything(t)
	if len(r.seen) != 1 || cmp.Diff([]string{"t1"}, r.unseen) != "" {
		t.Errorf("seen %d, taken back %v", len(r.seen), r.unseen)
	}
	// Whoever kept it may have died before taking it back: the event comes again.
	r.everything(t)
	if len(r.seen) != 1 || len(r.unseen) != 3 {
		t.Errorf("seen %d, taken back %v", len(r.seen), r.unseen)
	}
}
