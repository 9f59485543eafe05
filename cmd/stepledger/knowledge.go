package main

import (
	"context"

	"github.com/stepledger/stepledger/api"
	knowing "github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/weburl"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

// knowledgeLibrary implements api.Library.
type knowledgeLibrary struct {
	knowing.Manage
	knowledgeview.Queries
}

var _ api.Library = knowledgeLibrary{}

// forOperators is the library, and what finds in it, for commands, which have no wall
// around them.
func (k *knowledgeSystem) forOperators() (api.Library, api.Knowledge) {
	finder := k.finder
	finder.Index = knowledgeIndex{own: k.pending, public: k.pending}
	return knowledgeLibrary{k.manage, k.pending}, operatorsFinder{finder}
}

// operatorsFinder finds as a tenant does, and also for knowledge.PublicTenant, which is not
// among the tenants that have domains: what is public is searched on every site.
type operatorsFinder struct{ knowing.Finder }

// Find implements api.Knowledge.
func (f operatorsFinder) Find(ctx context.Context, w knowing.Wanted) (knowing.Answer, error) {
	if w.Tenant == knowledge.PublicTenant {
		f.Allowed = func(context.Context, string) ([]string, error) {
			u, err := weburl.Parse(w.URL)
			if err != nil {
				return nil, err
			}
			return []string{u.Hostname()}, nil
		}
	}
	return f.Finder.Find(ctx, w)
}
