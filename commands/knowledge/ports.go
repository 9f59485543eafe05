package knowledge

import (
	"context"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/eventstore"
)

// Content keeps the bytes of documents, addressed by hash under their source's key.
type Content interface {
	commands.Content
	// Delete deletes what is stored under a reference. What is not there is deleted.
	Delete(ctx context.Context, tenant, subject, ref string) error
	// Drop destroys the subject's key and what is stored under it, for good.
	Drop(ctx context.Context, tenant, subject string) error
}

// Reader turns bytes into text. It returns a *knowledge.RefusedError or
// *knowledge.EmptyError for a document it cannot read; any other error is trouble that
// may pass. Progress is told of pages, by the same goroutine.
type Reader interface {
	Read(ctx context.Context, in knowledge.Input, progress func(page, of int)) (knowledge.Extracted, error)
}

// Sites fetches pages, politely and from public addresses only.
type Sites interface {
	// Visit fetches a page. The error is that of the context only.
	Visit(ctx context.Context, f knowledge.Fetch) (knowledge.Fetched, error)
	// List returns the addresses a site lists in its sitemaps, at most so many.
	List(ctx context.Context, address string, most int) (knowledge.Listing, error)
	// Normalize returns the form of an address by which pages are told apart, or a
	// validation error.
	Normalize(address string) (string, error)
}

// Texts are to become vectors.
type Texts struct {
	// Tenant and Subject are whom the calls are billed to, and under what.
	Tenant, Subject string
	// Key names the texts: what was paid for under it is not paid again.
	Key   string
	Texts []string
}

// Embedder turns texts into vectors, a vector for each, in order, and names the model that
// made them. Its calls are on the ledger.
type Embedder interface {
	Embed(ctx context.Context, t Texts) (vectors [][]float32, model string, err error)
}

// Sources is the aggregate of sources.
var Sources = commands.Aggregate[knowledge.State, knowledge.Command, knowledge.Event]{Decider: knowledge.Decider, Codec: knowledge.Codec}

// Deps are what the use cases need.
type Deps struct {
	Log     eventstore.Log
	Keys    commands.Keys
	Content Content
	Reader  Reader
	Sites   Sites
	// Embedder is nil without a model for it.
	Embedder Embedder
	Clock    commands.Clock
	IDs      commands.IDs
	// Hook, if set, is called at named points of the work. It is for crash tests.
	Hook func(point string)
	// Wake, if set, is called when there is new work.
	Wake func()
}

// version is a source as it is held while it is worked on.
type version = commands.Version[knowledge.State]

func (d Deps) hook(point string) {
	if d.Hook != nil {
		d.Hook(point)
	}
}

func (d Deps) wake() {
	if d.Wake != nil {
		d.Wake()
	}
}

// load folds a source. A source of another tenant is NotFound.
func (d Deps) load(ctx context.Context, tenant, source string, from version) (version, domain.Sealer, error) {
	key, err := d.Keys.Key(ctx, tenant, source)
	if err != nil {
		return version{}, nil, err
	}
	v, err := Sources.Load(ctx, d.Log, knowledge.SourceStream(source), key, from)
	if err != nil {
		return v, nil, err
	}
	if !v.State.Exists || v.State.Tenant != tenant {
		return version{}, nil, knowledge.NotFound("source")
	}
	return v, key, nil
}

// blind folds a source without its texts: for what needs none of them, and must work
// whatever is in them.
type blind struct{}

// Seal implements domain.Sealer.
func (blind) Seal([]byte, []byte) ([]byte, error) { return nil, domain.ErrErased }

// Open implements domain.Sealer.
func (blind) Open([]byte, []byte) ([]byte, error) { return nil, domain.ErrErased }

// loadBlind folds a source without its texts.
func (d Deps) loadBlind(ctx context.Context, tenant, source string) (version, error) {
	v, err := Sources.Load(ctx, d.Log, knowledge.SourceStream(source), blind{}, Sources.Start())
	if err == nil && (!v.State.Exists || v.State.Tenant != tenant) {
		return version{}, knowledge.NotFound("source")
	}
	return v, err
}

func (d Deps) writing(tenant, by, source string) commands.Writing {
	return commands.Writing{
		Meta: eventstore.Metadata{Tenant: tenant, Actor: by, Correlation: source, Schema: 1}, ID: commands.RandomIDs(d.IDs),
	}
}
