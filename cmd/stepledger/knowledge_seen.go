package main

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/commands/reactions"
	of "github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/weburl"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

// seenFor is how long it is remembered which sites a tenant wants the pages of.
const seenFor = 5 * time.Second

// seenPages keeps pages the agent sees. It implements reactions.Pages.
type seenPages struct {
	manage knowledge.Manage
	views  knowledgeview.Queries // of operators: nobody's request
	mu     sync.Mutex
	sites  map[string]seenSites
}

type seenSites struct {
	at      time.Time
	sources []knowledgeview.Source
}

// Wants implements reactions.Pages.
func (p *seenPages) Wants(ctx context.Context, tenant string) (bool, error) {
	sites, err := p.of(ctx, tenant)
	return len(sites) > 0, err
}

func (p *seenPages) of(ctx context.Context, tenant string) ([]knowledgeview.Source, error) {
	p.mu.Lock()
	known, ok := p.sites[tenant]
	p.mu.Unlock()
	if ok && time.Since(known.at) < seenFor {
		return known.sources, nil
	}
	all, err := p.views.Sources(ctx, tenant)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s knowledgeview.Source) bool { return s.Kind != of.Seen })
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.sites) > 10_000 {
		clear(p.sites)
	}
	p.sites[tenant] = seenSites{time.Now(), all}
	return all, nil
}

// See implements reactions.Pages.
func (p *seenPages) See(ctx context.Context, page reactions.SeenPage) error {
	sites, err := p.of(ctx, page.Tenant)
	if err != nil {
		return err
	}
	for _, s := range sites {
		if !below(s.URL, page.URL) || page.At.Before(s.AddedAt) {
			continue
		}
		err := p.manage.See(ctx, knowledge.Seen{
			Tenant: page.Tenant, Source: s.ID, URL: page.URL, HTML: page.HTML, Task: page.Task, Turn: page.Turn, Trigger: page.Trigger,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Unsee implements reactions.Pages.
func (p *seenPages) Unsee(ctx context.Context, tenant, task string) error {
	sites, err := p.of(ctx, tenant)
	if err != nil {
		return err
	}
	for _, s := range sites {
		if err := p.manage.ForgetTask(ctx, tenant, operatorName, s.ID, task); err != nil {
			return err
		}
	}
	return nil
}

// operatorName acts where no user does.
const operatorName = "operator"

// below reports whether a page is of a site's host and under its path.
func below(site, page string) bool {
	s, err := weburl.Parse(site)
	if err != nil {
		return false
	}
	p, err := weburl.Parse(page)
	return err == nil && s.Scheme == p.Scheme && s.Host == p.Host && inFolder(s, p)
}

func inFolder(site, page *url.URL) bool {
	folder := strings.TrimSuffix(site.EscapedPath(), "/")
	rest, ok := strings.CutPrefix(page.EscapedPath(), folder)
	return ok && (rest == "" || rest[0] == '/')
}
