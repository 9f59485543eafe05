package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/projections"
)

// Query is a question to what a tenant knows.
type Query struct {
	Tenant string
	// Text is the question or some words, in any language. Nothing in it is an operator.
	Text string
	// Host, if set, leaves out the sources that are about other hosts.
	Host string
	// Sources, if set, are the only ones to look in.
	Sources []string
	// Limit is how many hits there are at most, from 1 to MaxHits; 0 is 10.
	Limit int
	// Model and Vector are the question as a model of embeddings has it; chunks with
	// vectors of the same model and as many numbers are compared.
	Model  string
	Vector []float32
	// Explain adds what the rank of each hit is made of.
	Explain bool
}

// MaxHits bounds the hits of a search.
const MaxHits = 100

const usualHits = 10

// Hit is a chunk that was found.
type Hit struct {
	// Chunk is its id in citations.
	Chunk    string
	Tenant   string
	Source   string
	Document string
	// SourceName is what the source is called.
	SourceName string
	Version    string
	Ord        int
	// Title and Path are those of the document, Headings where the chunk is in it.
	Title    string
	Path     string
	Headings []string
	Page     int
	From, To int
	Text     string
	Language string
	// Score is comparable within one search only.
	Score float64
	// ReceivedAt is when the version was fetched, CheckedAt when it was last seen to be
	// the same, IndexedAt when it could first be found.
	ReceivedAt time.Time
	CheckedAt  time.Time
	IndexedAt  time.Time
	// Phase and Trigger are those of a page the agent saw.
	Phase   knowledge.Phase
	Trigger string
	// Why is nil unless it was asked for.
	Why *Why
}

// Why is what the place of a hit is made of.
type Why struct {
	// Ranks, from 1, in the orders that were joined; 0 is not among them.
	ByWords, BySpelling, ByVector int
	// Words of the question it has, with what each adds to its score by words or by
	// spelling.
	Words []WordWeight
	// Cosine of the vectors.
	Cosine float64
}

// WordWeight is a word of the question, the words it was found as, and its weight.
type WordWeight struct {
	Word    string
	FoundAs []string
	Weight  float64
}

// fusionK is the constant of reciprocal rank fusion (Cormack, Clarke, Büttcher: Reciprocal
// Rank Fusion outperforms Condorcet, SIGIR 2009): 60.
const fusionK = 60

// perLeg is how many chunks each order has at most: hits that say the same as another are
// left out afterwards.
const perLeg = 2 * MaxHits

// found is a chunk in one order.
type found struct {
	ref   knowledge.ChunkRef
	score float64
	words []WordWeight
}

// Search finds what a tenant knows of a question, best first. Any text is a question; one
// without words has no hits. Chunks that newer ones take the place of are left out, of equal
// texts all but the best, and of pages the agent saw what an action brought comes before the
// page as it was.
func (q Queries) Search(ctx context.Context, query Query) ([]Hit, error) {
	hits, err := q.search(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("search what %q knows: %w", query.Tenant, projections.Unavailable(err))
	}
	return hits, nil
}

// spelt looks for words that are spelt alike, for half of the time there is: it goes through
// those of all tenants, and a question does without.
func (q Queries) spelt(ctx context.Context, query Query, p searchPlan) ([]found, error) {
	limited, cancel := ctx, func() {}
	if end, bounded := ctx.Deadline(); bounded {
		limited, cancel = context.WithTimeout(ctx, time.Until(end)/2)
	}
	defer cancel()
	out, err := q.bySpelling(limited, query, p)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, nil
	}
	return out, err
}

func (q Queries) search(ctx context.Context, query Query) ([]Hit, error) {
	query.Tenant = projections.Text(query.Tenant)
	if query.Limit = min(query.Limit, MaxHits); query.Limit <= 0 {
		query.Limit = usualHits
	}
	if query.Host != "" {
		sources, err := q.sourcesOf(ctx, query.Tenant, query.Host)
		if err != nil {
			return nil, err
		}
		if len(query.Sources) > 0 {
			sources = slices.DeleteFunc(sources, func(id string) bool { return !slices.Contains(query.Sources, id) })
		}
		if len(sources) == 0 {
			return nil, nil
		}
		query.Sources = sources
	}
	var f fusion
	plan, err := q.plan(ctx, query)
	if err == nil {
		f.words, err = q.rank(ctx, query, plan, plan.known())
	}
	if err == nil {
		f.spelling, err = q.spelt(ctx, query, plan)
	}
	if err == nil {
		f.vectors, err = q.byVector(ctx, query)
	}
	if err != nil {
		return nil, err
	}
	return q.hits(ctx, query, f.joined())
}

// fusion are the orders to be joined.
type fusion struct{ words, spelling, vectors []found }

// joined joins the orders by the ranks in them.
func (f fusion) joined() []Hit {
	at := map[knowledge.ChunkRef]int{}
	var hits []Hit
	add := func(order []found, note func(*Why, int, found)) {
		for i, c := range order {
			n, ok := at[c.ref]
			if !ok {
				n = len(hits)
				at[c.ref] = n
				hits = append(hits, Hit{Chunk: c.ref.ChunkID(), Version: c.ref.Version, Ord: c.ref.Ord, Why: &Why{}})
			}
			hits[n].Score += 1 / float64(fusionK+i+1)
			note(hits[n].Why, i+1, c)
		}
	}
	add(f.words, func(w *Why, rank int, c found) { w.ByWords, w.Words = rank, c.words })
	add(f.spelling, func(w *Why, rank int, c found) { w.BySpelling, w.Words = rank, append(w.Words, c.words...) })
	add(f.vectors, func(w *Why, rank int, c found) { w.ByVector, w.Cosine = rank, c.score })
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Ord, b.Ord))
	})
	return hits
}

const hitRows = `
	select c.version_id, c.ord, c.source_id, c.document_id, v.title, v.path, c.headings, c.page, c.from_at, c.to_at, c.text, v.language,
		v.received_at, d.checked_at, v.indexed_at, v.phase, v.trigger, s.name
	from unnest(@versions::uuid[], @ords::int[]) as wanted (version_id, ord),
		lateral (select * from read.chunk c where c.version_id = wanted.version_id and c.ord = wanted.ord and c.tenant = @tenant offset 0) c,
		lateral (select * from read.document_version v where v.version_id = c.version_id and v.tenant = @tenant offset 0) v,
		lateral (select * from read.document d where d.document_id = c.document_id and d.tenant = @tenant offset 0) d,
		lateral (select * from read.source s where s.source_id = c.source_id and s.tenant = @tenant offset 0) s`

// hits reads the texts of the best. Some may say the same, so some more are read.
func (q Queries) hits(ctx context.Context, query Query, best []Hit) ([]Hit, error) {
	if best = best[:min(len(best), 2*query.Limit+10)]; len(best) == 0 {
		return nil, nil
	}
	versions, ords := make([]string, len(best)), make([]int, len(best))
	at := map[knowledge.ChunkRef]int{}
	for i, h := range best {
		versions[i], ords[i] = h.Version, h.Ord
		at[knowledge.ChunkRef{Version: h.Version, Ord: h.Ord}] = i
	}
	rows, err := q.DB.Query(ctx, hitRows, pgx.NamedArgs{"tenant": query.Tenant, "versions": versions, "ords": ords})
	if err != nil {
		return nil, err
	}
	read := make([]bool, len(best))
	var h Hit
	var indexed *time.Time
	_, err = pgx.ForEachRow(rows, []any{
		&h.Version, &h.Ord, &h.Source, &h.Document, &h.Title, &h.Path, &h.Headings, &h.Page, &h.From, &h.To, &h.Text, &h.Language,
		&h.ReceivedAt, &h.CheckedAt, &indexed, &h.Phase, &h.Trigger, &h.SourceName,
	}, func() error {
		i := at[knowledge.ChunkRef{Version: h.Version, Ord: h.Ord}]
		full := h
		full.Chunk, full.Score, full.Why, full.Tenant = best[i].Chunk, best[i].Score, best[i].Why, query.Tenant
		if indexed != nil {
			full.IndexedAt = *indexed
		}
		if !query.Explain {
			full.Why = nil
		}
		best[i], read[i] = full, true
		h.Headings = nil
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []Hit
	texts := map[string]bool{}
	for i, h := range best {
		if read[i] && !texts[h.Text] {
			texts[h.Text] = true
			out = append(out, h)
		}
	}
	out = freshFirst(out)
	return out[:min(len(out), query.Limit)], nil
}

// freshFirst lets, of the hits of one address, what an action brought take the places before
// the page as it first was.
func freshFirst(hits []Hit) []Hit {
	places := map[string][]int{}
	for i, h := range hits {
		if h.Phase != "" {
			places[h.Path] = append(places[h.Path], i)
		}
	}
	for _, at := range places {
		same := make([]Hit, len(at))
		for i, n := range at {
			same[i] = hits[n]
		}
		slices.SortStableFunc(same, func(a, b Hit) int { return cmp.Compare(age(a), age(b)) })
		for i, n := range at {
			score := hits[n].Score
			hits[n] = same[i]
			hits[n].Score = score
		}
	}
	return hits
}

func age(h Hit) int {
	if h.Phase == knowledge.Initial {
		return 1
	}
	return 0
}
