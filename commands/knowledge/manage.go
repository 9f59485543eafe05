package knowledge

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
)

// Manage adds and removes sources and documents for a tenant's people.
type Manage struct{ Deps }

// Added is a source or document as a command left it.
type Added struct {
	Source, Document, Version string
	// Unchanged: the document has these bytes already, or the source was there.
	Unchanged bool
	// Position is the log's after the command.
	Position int64
}

// Add adds a source. Its address is normalized. A request with the id of a source that is
// there is that request again; "" draws an id.
func (m Manage) Add(ctx context.Context, e knowledge.SourceAdded) (Added, error) {
	if e.Source == "" {
		e.Source = m.IDs()
	}
	e.At = m.Clock().UTC()
	if e.URL != "" {
		url, err := m.Sites.Normalize(e.URL)
		if err != nil {
			return Added{}, err
		}
		e.URL = url
	}
	key, err := m.Keys.NewKey(ctx, e.Tenant, e.Source)
	if err != nil {
		return Added{}, fmt.Errorf("add a source: %w", err)
	}
	v, err := Sources.Transact(ctx, m.Log, knowledge.SourceStream(e.Source), key, m.writing(e.Tenant, e.By, e.Source), knowledge.Add{SourceAdded: e})
	if err != nil {
		return Added{}, fmt.Errorf("add a source: %w", err)
	}
	m.wake()
	return Added{Source: e.Source, Position: v.Position}, nil
}

// File is a file to be received.
type File struct {
	Tenant, Source, By string
	Name, Media        string
	Body               []byte
}

// Check refuses a file without a name or bytes, and one that has too many of them.
func (f File) Check() error {
	switch {
	case f.Name == "" || len(f.Name) > knowledge.MaxPath:
		return domain.Errorf(domain.Invalid, domain.CodeValidation, "a file has a name of at most %d bytes", knowledge.MaxPath).At("name")
	case len(f.Body) == 0:
		return domain.Errorf(domain.Invalid, domain.CodeValidation, "the file is empty").At("content")
	case len(f.Body) > knowledge.MaxBytes:
		return domain.Errorf(domain.TooLarge, domain.CodeInvalidRequest, "a file has at most %d bytes", knowledge.MaxBytes).At("content")
	}
	return nil
}

// Receive takes a file into a source. The same bytes under the same name change nothing.
func (m Manage) Receive(ctx context.Context, f File) (Added, error) {
	if err := f.Check(); err != nil {
		return Added{}, err
	}
	v, key, err := m.load(ctx, f.Tenant, f.Source, Sources.Start())
	if err != nil {
		return Added{}, err
	}
	receive := knowledge.Receive{Path: f.Name, Size: len(f.Body), Media: f.Media, By: f.By, At: m.Clock().UTC()}
	if _, err := knowledge.Decide(receive, v.State); err != nil {
		return Added{}, err // before anything is stored
	}
	if receive.Bytes, err = m.Content.Put(ctx, f.Tenant, f.Source, kindDocument, f.Body); err != nil {
		return Added{}, fmt.Errorf("receive a file: %w", err)
	}
	m.hook("knowledge.stored")
	before := v.Revision
	v, err = Sources.Transact(ctx, m.Log, knowledge.SourceStream(f.Source), key, m.writing(f.Tenant, f.By, f.Source), receive)
	if err != nil {
		return Added{}, fmt.Errorf("receive a file: %w", err)
	}
	m.hook("knowledge.received")
	m.wake()
	d := v.State.Documents[knowledge.DocumentID(f.Source, f.Name)]
	return Added{f.Source, d.ID, d.Newest.Version, v.Revision == before, v.Position}, nil
}

// kindDocument is what documents are called in the content store, which keeps them until
// they are deleted.
const kindDocument = "document"

// Recrawl begins the next generation of a source, unless one is running.
func (m Manage) Recrawl(ctx context.Context, tenant, by, source string) (Added, error) {
	_, key, err := m.load(ctx, tenant, source, Sources.Start())
	if err != nil {
		return Added{}, err
	}
	return m.put(ctx, tenant, by, source, key, knowledge.Recrawl{At: m.Clock().UTC()})
}

// RemoveDocument deletes a document. It is found no more when this returns.
func (m Manage) RemoveDocument(ctx context.Context, tenant, by, source, document string) (Added, error) {
	return m.take(ctx, tenant, by, source, knowledge.RemoveDocument{Document: document, By: by, At: m.Clock().UTC()})
}

// Remove deletes a source. It is found no more when this returns.
func (m Manage) Remove(ctx context.Context, tenant, by, source string) (Added, error) {
	return m.take(ctx, tenant, by, source, knowledge.Remove{By: by, At: m.Clock().UTC()})
}

// take takes something away. Nothing of what is known is needed for that.
func (m Manage) take(ctx context.Context, tenant, by, source string, c knowledge.Command) (Added, error) {
	if _, err := m.loadBlind(ctx, tenant, source); err != nil {
		return Added{}, err
	}
	return m.put(ctx, tenant, by, source, blind{}, c)
}

func (m Manage) put(ctx context.Context, tenant, by, source string, key domain.Sealer, c knowledge.Command) (Added, error) {
	v, err := Sources.Transact(ctx, m.Log, knowledge.SourceStream(source), key, m.writing(tenant, by, source), c)
	if err != nil {
		return Added{}, err
	}
	m.wake()
	return Added{Source: source, Position: v.Position}, nil
}
