package knowledge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/eventstore"
)

// readText calls f for the events of a version's text. A text that was forgotten has none.
func readText(ctx context.Context, d Deps, tenant, version string, f func(knowledge.TextEvent)) error {
	key, err := d.Keys.Key(ctx, tenant, version)
	if err != nil {
		return err
	}
	from := int64(0)
	for {
		slice, err := d.Log.ReadStream(ctx, knowledge.TextStream(version), eventstore.ReadOptions{From: from})
		if err != nil {
			return fmt.Errorf("text of version %s: %w", version, err)
		}
		for _, r := range slice.Events {
			e, err := knowledge.TextCodec.Glance(r.Type, r.Data, r.ID, key)
			if err != nil {
				return fmt.Errorf("text of version %s: %w", version, err)
			}
			f(e)
			from = r.Revision + 1
		}
		if !slice.More {
			return nil
		}
	}
}

// Wanted is what is looked for.
type Wanted struct {
	// Tenant asks; URL is the page it is about, "" for everything the tenant knows.
	Tenant, URL string
	// Text is the question, "" for what fits the page's address.
	Text  string
	Limit int
	// Explain asks for Why.
	Explain bool
}

// Search is one search in what one tenant knows.
type Search struct {
	Tenant, Host, Text string
	Limit              int
	Explain            bool
	// Vector is the question as a vector of Model; nil without.
	Vector []float32
	Model  string
}

// Hit is a chunk that fits.
type Hit struct {
	Tenant, Source, SourceName, Document, Version string
	Chunk                                         knowledge.Chunk
	Title, Path                                   string
	Phase                                         knowledge.Phase
	Trigger                                       string
	// At is when the version was indexed.
	At    time.Time
	Score float64
	// Why says what it was found by, for people.
	Why []string
}

// Ref is the hit's chunk.
func (h Hit) Ref() knowledge.ChunkRef {
	return knowledge.ChunkRef{Version: h.Version, Ord: h.Chunk.Ord}
}

// Index is searched.
type Index interface {
	// Search returns the chunks of a tenant that fit, best first. With a host only of
	// sources about sites like it.
	Search(ctx context.Context, s Search) ([]Hit, error)
	// Knows reports whether the tenant has any chunk about a host.
	Knows(ctx context.Context, tenant, host string) (bool, error)
}

// Allowed returns the host patterns for which a tenant's own knowledge is used.
type Allowed func(ctx context.Context, tenant string) ([]string, error)

// Finder searches for whoever works on a task and for people.
type Finder struct {
	Log     eventstore.Log
	Index   Index
	Allowed Allowed
	// Embedder is nil without a model for it.
	Embedder Embedder
}

// Answer is what a Finder found, best first.
type Answer struct {
	Hits []Hit
	// Own: the tenant knows something about the site (spec: hasOrgKnowledge). Pattern is
	// the host pattern by which the site is one of the tenant's, "" for none.
	Own     bool
	Pattern string
}

// DefaultLimit is how many chunks are returned unless another number is asked for.
const DefaultLimit = 5

// Find searches what the tenant knows, if the site is one of those its patterns stand for,
// and what is public. Without a URL all the tenant knows is searched. Nothing is returned of a
// source or document that was removed before the call, however far behind the index is.
func (f Finder) Find(ctx context.Context, w Wanted) (Answer, error) {
	host := hostOf(w.URL)
	limit := cmp.Or(w.Limit, DefaultLimit)
	var a Answer
	own := w.URL == ""
	if !own {
		patterns, err := f.Allowed(ctx, w.Tenant)
		if err != nil {
			return a, err
		}
		a.Pattern = account.MatchingDomain(patterns, host)
		own = a.Pattern != ""
	}
	s := Search{Host: host, Text: cmp.Or(w.Text, pathWords(w.URL)), Limit: limit, Explain: w.Explain}
	if f.Embedder != nil && w.Text != "" {
		f.vector(ctx, w, &s)
	}
	if own {
		if err := f.search(ctx, w.Tenant, s, &a); err != nil {
			return a, err
		}
		if a.Own = len(a.Hits) > 0; !a.Own {
			knows, err := f.Index.Knows(ctx, w.Tenant, host)
			if err != nil {
				return a, err
			}
			a.Own = knows
		}
	}
	if err := f.search(ctx, knowledge.PublicTenant, s, &a); err != nil {
		return a, err
	}
	slices.SortStableFunc(a.Hits, func(x, y Hit) int { return cmp.Compare(y.Score, x.Score) })
	a.Hits = a.Hits[:min(len(a.Hits), limit)]
	return a, nil
}

// vector adds the question as a vector; without it the words have to do.
func (f Finder) vector(ctx context.Context, w Wanted, s *Search) {
	vectors, model, err := f.Embedder.Embed(ctx, Texts{Tenant: w.Tenant, Subject: domain.NewUUID(), Texts: []string{w.Text}})
	if err == nil && len(vectors) == 1 {
		s.Vector, s.Model = vectors[0], model
	}
}

// search adds what one tenant's index has and its log has not taken back.
func (f Finder) search(ctx context.Context, tenant string, s Search, a *Answer) error {
	s.Tenant = tenant
	hits, err := f.Index.Search(ctx, s)
	if err != nil {
		return err
	}
	hits, err = f.there(ctx, hits)
	for i := range hits {
		hits[i].Tenant = tenant
	}
	a.Hits = append(a.Hits, hits...)
	return err
}

// tail is how many of a source's last events are looked at for a document that was
// removed: the index is seldom farther behind.
const tail = 50

// there leaves out what was removed. A removed source has nothing but its forgetting after
// the removal, so its last events say so.
func (f Finder) there(ctx context.Context, hits []Hit) ([]Hit, error) {
	gone := map[string]bool{}
	asked := map[string]bool{}
	for _, h := range hits {
		if asked[h.Source] {
			continue
		}
		asked[h.Source] = true
		slice, err := f.Log.ReadStream(ctx, knowledge.SourceStream(h.Source), eventstore.ReadOptions{Direction: eventstore.Backwards, From: eventstore.End, Limit: tail})
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, fmt.Errorf("look whether source %s is there: %w", h.Source, err)
		}
		if err := noteGone(slice.Events, h.Source, gone); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(hits, func(h Hit) bool { return gone[h.Source] || gone[h.Document] }), nil
}

// noteGone notes what the last events of a source, newest first, take back.
func noteGone(events []eventstore.Recorded, source string, gone map[string]bool) error {
	back := map[string]bool{} // received again since
	for _, r := range events {
		e, err := knowledge.Codec.Clear(r.Type, r.Data)
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case knowledge.SourceRemoved:
			gone[source] = true
		case knowledge.DocumentIndexed:
			back[e.Document] = true
		case knowledge.DocumentRemoved:
			gone[e.Document] = gone[e.Document] || !back[e.Document]
		case knowledge.DocumentsWithdrawn:
			for _, d := range e.Documents {
				gone[d] = gone[d] || !back[d]
			}
		}
	}
	return nil
}

// pathWords are the words of an address's path: what a page is about, where nobody asks.
func pathWords(address string) string {
	u, err := weburl.Parse(address)
	if err != nil {
		return ""
	}
	return strings.Join(strings.FieldsFunc(u.Path, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

func hostOf(address string) string {
	u, err := weburl.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
