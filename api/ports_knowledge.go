package api

import (
	"context"

	"github.com/stepledger/stepledger/commands/knowledge"
	known "github.com/stepledger/stepledger/domain/knowledge"
	view "github.com/stepledger/stepledger/projections/knowledge"
)

// Knowledge finds in what is known: of the tenant for sites that one of its host patterns
// stands for, and what is public. It ends with its context.
type Knowledge interface {
	Find(ctx context.Context, w knowledge.Wanted) (knowledge.Answer, error)
}

// Library is the sources tenants have, and their documents: what changes them, and how
// they stand. A source or document the tenant does not have, or has removed, is NOT_FOUND.
type Library interface {
	LibraryKeeper
	LibraryReader
}

// LibraryKeeper changes what is known. What was removed is found no more when that
// returns. Errors have the codes NOT_FOUND, VALIDATION_ERROR, RESOURCE_CONFLICT and for a
// file that is too large INVALID_REQUEST, and name a field of the domain.
type LibraryKeeper interface {
	// AddOnce adds a source unless one like it is among those there.
	AddOnce(ctx context.Context, e known.SourceAdded, there []known.SourceAdded) (knowledge.Added, error)
	// Receive takes a file. The same bytes under the same name change nothing.
	Receive(ctx context.Context, f knowledge.File) (knowledge.Added, error)
	// Recrawl begins the next crawl, unless one is running.
	Recrawl(ctx context.Context, tenant, by, source string) (knowledge.Added, error)
	RemoveDocument(ctx context.Context, tenant, by, source, document string) (knowledge.Added, error)
	Remove(ctx context.Context, tenant, by, source string) (knowledge.Added, error)
}

// LibraryReader are the queries of the knowledge projection.
type LibraryReader interface {
	// Sources returns a tenant's, added last first.
	Sources(ctx context.Context, tenant string) ([]view.Source, error)
	Source(ctx context.Context, tenant, source string) (view.Source, error)
	// Documents returns a page of those of a source, received last first, and whether there
	// are more.
	Documents(ctx context.Context, tenant, source string, f view.Filter) ([]view.Document, bool, error)
	Document(ctx context.Context, tenant, document string) (view.Document, error)
}
