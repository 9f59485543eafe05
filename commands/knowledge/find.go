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

	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/reasoning"
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
			from = r.Revision + 1
			e, err := knowledge.TextCodec.Glance(r.Type, r.Data, r.ID, key)
			if domain.IsNewer(err) {
				continue
			}
			if err != nil {
				return fmt.Errorf("text of version %s: %w", version, err)
			}
			f(e)
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
	// Pattern asks for Answer.Pattern also where the tenant knows nothing.
	Pattern bool
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

// Piece is the hit as a question shows it, and as it is cited.
func (h Hit) Piece() reasoning.Chunk {
	return reasoning.Chunk{
		ID: h.Ref().ChunkID(), Document: h.Document, Version: h.Version, Title: cmp.Or(h.Title, h.Path, h.SourceName), Section: h.Chunk.Heading(),
		Page: h.Chunk.Page, At: h.At.UTC(), Public: h.Tenant == knowledge.PublicTenant, Text: h.Chunk.Text,
	}
}

// Index is searched.
type Index interface {
	// Search returns the chunks of a tenant that fit, best first. With a host only of
	// sources about sites like it.
	Search(ctx context.Context, s Search) ([]Hit, error)
	// Knows reports whether the tenant has any chunk about a host.
	Knows(ctx context.Context, tenant, host string) (bool, error)
	// Position is the log position up to which the index knows of everything.
	Position(ctx context.Context) (int64, error)
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
	owners, err := f.owners(ctx, w, host, &a)
	if err != nil {
		return a, err
	}
	a.Own = slices.Contains(owners, w.Tenant)
	s := Search{Host: host, Text: cmp.Or(w.Text, pathWords(w.URL)), Limit: limit, Explain: w.Explain}
	if len(owners) > 0 && f.Embedder != nil && w.Text != "" {
		f.vector(ctx, w, &s)
	}
	for _, owner := range owners {
		if err := f.search(ctx, owner, s, &a); err != nil {
			return a, err
		}
	}
	slices.SortStableFunc(a.Hits, func(x, y Hit) int { return cmp.Compare(y.Score, x.Score) })
	a.Hits = a.Hits[:min(len(a.Hits), limit)]
	return a, nil
}

// owners are those who know something about a host: the tenant, if the site is one of its
// own, and everybody. Most questions are asked where nobody does, and cost no more.
func (f Finder) owners(ctx context.Context, w Wanted, host string, a *Answer) (out []string, err error) {
	var public, isPublic = false, w.Tenant == knowledge.PublicTenant
	var asked errgroup.Group
	if !isPublic {
		asked.Go(func() (err error) {
			public, err = f.Index.Knows(ctx, knowledge.PublicTenant, host)
			return err
		})
	}
	own, err := f.Index.Knows(ctx, w.Tenant, host)
	if w.URL != "" && (own || w.Pattern) && err == nil {
		var patterns []string
		patterns, err = f.Allowed(ctx, w.Tenant)
		a.Pattern = account.MatchingDomain(patterns, host)
		own = own && a.Pattern != ""
	}
	if err := errors.Join(err, asked.Wait()); err != nil {
		return nil, err
	}
	if own {
		out = append(out, w.Tenant)
	}
	if public {
		out = append(out, knowledge.PublicTenant)
	}
	return out, nil
}

// vector adds the question as a vector, if it comes within half of the time there is: the
// words have to do without it.
func (f Finder) vector(ctx context.Context, w Wanted, s *Search) {
	if end, bounded := ctx.Deadline(); bounded {
		limited, cancel := context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
		ctx = limited
	}
	vectors, model, err := f.Embedder.Embed(ctx, Texts{Tenant: w.Tenant, Subject: domain.NewUUID(), Texts: []string{w.Text}})
	if err == nil && len(vectors) == 1 {
		s.Vector, s.Model = vectors[0], model
	}
}

// search adds what one tenant's index has and its log has not taken back.
func (f Finder) search(ctx context.Context, tenant string, s Search, a *Answer) error {
	s.Tenant = tenant
	from, err := f.Index.Position(ctx) // before the search: it may know more by then
	if err != nil {
		return err
	}
	hits, err := f.Index.Search(ctx, s)
	if err != nil {
		return err
	}
	if hits, err = f.there(ctx, hits, from); err != nil {
		return err
	}
	for i := range hits {
		hits[i].Tenant = tenant
	}
	a.Hits = append(a.Hits, hits...)
	return nil
}

// there leaves out what was removed after a position of the log.
func (f Finder) there(ctx context.Context, hits []Hit, after int64) ([]Hit, error) {
	gone := map[string]bool{}
	asked := map[string]bool{}
	for _, h := range hits {
		if asked[h.Source] {
			continue
		}
		asked[h.Source] = true
		if err := f.gone(ctx, h.Source, after, gone); err != nil {
			return nil, fmt.Errorf("look whether source %s is there: %w", h.Source, err)
		}
	}
	return slices.DeleteFunc(hits, func(h Hit) bool { return gone[h.Source] || gone[h.Document] && !gone[indexed(h.Version)] }), nil
}

// indexed is the mark of a version that was indexed after whatever took its document away.
func indexed(version string) string { return "indexed " + version }

// tail is how many of a source's last events are read at a time.
const tail = 20

// gone notes what the events of a source after a position take back, from its end.
func (f Finder) gone(ctx context.Context, source string, after int64, gone map[string]bool) error {
	for from := eventstore.End; ; {
		slice, err := f.Log.ReadStream(ctx, knowledge.SourceStream(source), eventstore.ReadOptions{Direction: eventstore.Backwards, From: from, Limit: tail})
		if err != nil {
			return err
		}
		for _, r := range slice.Events {
			if r.Position <= after && r.Type != knowledge.NameSourceRemoved && r.Type != knowledge.NameSourceForgotten {
				return nil
			}
			if err := noteGone(r, source, gone); err != nil {
				return err
			}
			from = r.Revision - 1
		}
		if !slice.More || from < 0 || gone[source] {
			return nil
		}
	}
}

// noteGone notes what an event takes back. Events come newest first.
func noteGone(r eventstore.Recorded, source string, gone map[string]bool) error {
	e, err := knowledge.Codec.Clear(r.Type, r.Data)
	if err != nil && !domain.IsNewer(err) {
		return err
	}
	switch e := e.(type) {
	case knowledge.SourceRemoved:
		gone[source] = true
	case knowledge.DocumentIndexed:
		if !gone[e.Document] {
			gone[indexed(e.Version)] = true
		}
	case knowledge.DocumentRemoved:
		gone[e.Document] = true
	case knowledge.DocumentsWithdrawn:
		for _, d := range e.Documents {
			gone[d] = true
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
