package knowledge

import (
	"context"
	"errors"
	"slices"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/eventstore"
)

// Erase forgets for whoever erases tasks and tenants. It finds sources in the log, not in
// a read model, and returns once their keys are destroyed.
type Erase struct {
	Manage
	Worker Worker
	Feed   eventstore.Feed
}

// operator acts where no user does.
const operator = "operator"

// ForgetTasks destroys what was learnt from the pages of tasks.
func (e Erase) ForgetTasks(ctx context.Context, tenant string, tasks []string) ([]erasure.Count, error) {
	sources, err := e.sources(ctx, tenant, func(s knowledge.SourceAdded) bool { return s.Kind == knowledge.Seen })
	if err != nil {
		return nil, err
	}
	pages := 0
	for _, source := range sources {
		n, err := e.forgetSeen(ctx, tenant, source, tasks)
		if err != nil {
			return nil, err
		}
		pages += n
	}
	return []erasure.Count{{Store: "knowledge", What: "pages seen", Count: int64(pages)}}, nil
}

func (e Erase) forgetSeen(ctx context.Context, tenant, source string, tasks []string) (pages int, err error) {
	v, err := e.loadBlind(ctx, tenant, source)
	if err != nil {
		return 0, err
	}
	for _, task := range tasks {
		n := v.State.SeenIn(task)
		if n == 0 {
			continue
		}
		pages += n
		if err := e.ForgetTask(ctx, tenant, operator, source, task); err != nil {
			return pages, err
		}
	}
	if pages == 0 {
		return 0, nil
	}
	return pages, e.Worker.Forget(ctx, tenant, source)
}

// ForgetTenant removes all sources of a tenant and destroys what they hold.
func (e Erase) ForgetTenant(ctx context.Context, tenant string) ([]erasure.Count, error) {
	sources, err := e.sources(ctx, tenant, func(knowledge.SourceAdded) bool { return true })
	if err != nil {
		return nil, err
	}
	var removed int64
	for _, source := range sources {
		switch _, err := e.Remove(ctx, tenant, operator, source); {
		case err == nil:
			removed++
		case domain.KindOf(err) != domain.NotFound:
			return nil, err
		}
		if err := e.Worker.Forget(ctx, tenant, source); err != nil {
			return nil, err
		}
	}
	return []erasure.Count{{Store: "knowledge", What: "sources", Count: removed}}, nil
}

// sources lists those of a tenant that were ever added.
func (e Erase) sources(ctx context.Context, tenant string, want func(knowledge.SourceAdded) bool) ([]string, error) {
	var out []string
	filter := eventstore.Filter{Categories: []string{knowledge.SourceCategory}, Types: []string{knowledge.NameSourceAdded}}
	for after := int64(0); ; {
		page, err := e.Feed.ReadAll(ctx, after, 0, filter)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Events {
			event, err := knowledge.Codec.Clear(r.Type, r.Data)
			if err != nil {
				return nil, err
			}
			if s, ok := event.(knowledge.SourceAdded); ok && s.Tenant == tenant && want(s) {
				out = append(out, s.Source)
			}
		}
		if page.Scanned <= after {
			slices.Sort(out)
			return out, nil
		}
		after = page.Scanned
	}
}

// Forget does of a source's work only what destroys, and returns when none is left.
func (w Worker) Forget(ctx context.Context, tenant, source string) error {
	at, err := w.loadBlind(ctx, tenant, source)
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	s := &worker{Worker: w, ctx: ctx, tenant: tenant, source: source, key: blind{}, at: at}
	for {
		next := s.at.State.Next(s.Clock())
		if !next.ForgetSource && len(next.Forget) == 0 {
			return nil
		}
		if err := errors.Join(s.do(next), ctx.Err()); err != nil {
			return err
		}
	}
}
