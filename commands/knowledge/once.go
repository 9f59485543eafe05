package knowledge

import (
	"cmp"
	"context"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
)

// AddOnce adds a source unless the tenant has it: one of the same kind at the same
// address, or for files with the same name. That one is returned then, as it is. There are
// the tenant's sources as a read model knows them; if it is behind, two that are added at
// the same time are still one. A source that was removed does not count.
// Pages the agent sees are about the site they are of, unless it is said otherwise.
func (m Manage) AddOnce(ctx context.Context, e knowledge.SourceAdded, there []knowledge.SourceAdded) (Added, error) {
	e.Name = strings.TrimSpace(e.Name)
	if e.Kind == knowledge.Upload {
		e.Name, e.URL = cmp.Or(e.Name, knowledge.DefaultName), ""
	} else {
		url, err := m.Sites.Normalize(e.URL)
		if err != nil {
			return Added{}, err
		}
		e.URL = url
	}
	if e.Kind == knowledge.Seen && len(e.Domains) == 0 {
		e.Domains = []string{hostOf(e.URL)}
	}
	for _, s := range there {
		if s.Kind == e.Kind && s.URL == e.URL && (e.Kind != knowledge.Upload || s.Name == e.Name) {
			return Added{Source: s.Source, Unchanged: true}, nil
		}
	}
	if len(there) >= knowledge.MaxSources {
		return Added{}, domain.Errorf(domain.Conflict, domain.CodeConflict, "there are %d sources, and no more can be added; remove some", len(there))
	}
	e.Source = domain.DeriveUUID("knowledge source", e.Tenant, string(e.Kind), cmp.Or(e.URL, e.Name))
	added, err := m.Add(ctx, e)
	if domain.KindOf(err) == domain.Conflict { // it was there once, and is removed
		e.Source = ""
		return m.Add(ctx, e)
	}
	return added, err
}
