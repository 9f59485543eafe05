package reactions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// SeenPage is a page the agent saw in a task.
type SeenPage struct {
	Tenant, URL, HTML, Task string
	Turn                    int
	// At is when it was seen.
	At time.Time
	// Trigger is the action that brought it, "" for a page as it came.
	Trigger string
}

// Pages keeps pages of sites that a tenant wants kept.
type Pages interface {
	// Wants reports whether the tenant wants pages of any site.
	Wants(ctx context.Context, tenant string) (bool, error)
	// See keeps a page where one of the tenant's sources is about its site. It may be
	// repeated.
	See(ctx context.Context, p SeenPage) error
	// Unsee forgets what was kept of a task.
	Unsee(ctx context.Context, tenant, task string) error
}

// seePages passes on the pages the agent sees: as they came, and what an action brought
// (spec interact-flow § B). Pages that only a value was typed into are left out: what is
// new in them is the user's.
func (d Deps) seePages() Reaction {
	const name = "see-pages"
	return Reaction{name, []string{task.NamePageObserved}, func(ctx context.Context, e eventstore.Recorded) error {
		wants, err := d.Pages.Wants(ctx, e.Metadata().Tenant)
		if err != nil || !wants {
			return err
		}
		return d.see(ctx, e)
	}}
}

func (d Deps) see(ctx context.Context, e eventstore.Recorded) error {
	tenant, id := e.Metadata().Tenant, subject(e.Stream)
	if erased, err := d.erased(ctx, e.Stream); err != nil || erased {
		return d.unsee(ctx, tenant, id, err) // a try before this one may have kept its page
	}
	before, now, err := d.foldTo(ctx, e)
	if err != nil || now.Observed.Page == "" {
		return err
	}
	trigger, wanted := triggerOf(before, now)
	if !wanted {
		return nil
	}
	html, err := d.html(ctx, tenant, id, now)
	if err != nil || html == "" {
		return err
	}
	if err := d.Pages.See(ctx, SeenPage{tenant, now.Observed.URL, html, id, now.Turn.Number, e.RecordedAt, trigger}); err != nil {
		return fmt.Errorf("see a page of task %s: %w", id, err)
	}
	// The task may have been erased between the look at it and the keeping of its page.
	if erased, err := d.erased(ctx, e.Stream); err != nil || erased {
		return d.unsee(ctx, tenant, id, err)
	}
	return nil
}

func (d Deps) unsee(ctx context.Context, tenant, id string, err error) error {
	if err != nil {
		return err
	}
	return d.Pages.Unsee(ctx, tenant, id)
}

// erased reports whether a task was erased: nothing follows that.
func (d Deps) erased(ctx context.Context, stream string) (bool, error) {
	last, err := d.Log.ReadStream(ctx, stream, eventstore.ReadOptions{Direction: eventstore.Backwards, From: eventstore.End, Limit: 1})
	if err != nil {
		return false, fmt.Errorf("the end of %s: %w", stream, err)
	}
	return len(last.Events) == 1 && last.Events[0].Type == task.NameTaskErased, nil
}

// foldTo folds a task to before an event and to the event itself.
func (d Deps) foldTo(ctx context.Context, e eventstore.Recorded) (before, now task.State, err error) {
	key, err := d.Keys.Key(ctx, e.Metadata().Tenant, subject(e.Stream))
	if err != nil {
		return before, now, err
	}
	now = task.Initial()
	for from := int64(0); ; {
		slice, err := d.Log.ReadStream(ctx, e.Stream, eventstore.ReadOptions{From: from})
		if err != nil {
			return before, now, fmt.Errorf("fold %s: %w", e.Stream, err)
		}
		for _, r := range slice.Events {
			event, err := task.Codec.Decode(r.Type, r.Data, r.ID, key)
			if err != nil {
				return before, now, fmt.Errorf("fold %s: %w", e.Stream, err)
			}
			before, now, from = now, task.Evolve(now, event), r.Revision+1
			if r.Revision == e.Revision {
				return before, now, nil
			}
		}
		if !slice.More {
			return before, now, nil
		}
	}
}

// triggerOf is the action that brought a page, "" if it came by itself. A page of the
// same address that no action, or only typing, led to is not wanted.
func triggerOf(before, now task.State) (string, bool) {
	if before.Observed.URL != now.Observed.URL {
		return "", true
	}
	if len(before.Steps) == 0 {
		return "", false
	}
	attempts := before.Steps[len(before.Steps)-1].Attempts
	if len(attempts) == 0 {
		return "", false
	}
	a := attempts[len(attempts)-1]
	switch a.Kind {
	case action.SetValue, action.Type, action.Wait:
		return "", false
	}
	return a.Action, true
}

// html is that of the page a task is on, without its secrets; "" if the capture has none
// or is not kept any more.
func (d Deps) html(ctx context.Context, tenant, id string, s task.State) (string, error) {
	body, err := d.Content.Get(ctx, tenant, id, s.Observed.Page)
	if domain.KindOf(err) == domain.NotFound || errors.Is(err, domain.ErrErased) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var c page.Capture
	if err := json.Unmarshal(body, &c); err != nil {
		return "", fmt.Errorf("the page of task %s: %w", id, err)
	}
	return c.MapText(secret.New(s.Secrets...).Cut).DOM, nil
}
