package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/commands/knowledge"
	of "github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/pgpool"
	"github.com/stepledger/stepledger/projections"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

// knowledgeIndex is the read model as a Finder searches it.
type knowledgeIndex struct{ own, public knowledgeview.Queries }

// Search implements knowledge.Index.
func (i knowledgeIndex) Search(ctx context.Context, s knowledge.Search) ([]knowledge.Hit, error) {
	found, err := i.of(s.Tenant).Search(ctx, knowledgeview.Query{
		Tenant: s.Tenant, Text: s.Text, Host: s.Host, Limit: s.Limit, Model: s.Model, Vector: s.Vector, Explain: s.Explain,
	})
	if err != nil {
		return nil, err
	}
	hits := make([]knowledge.Hit, len(found))
	for n, h := range found {
		hits[n] = knowledge.Hit{
			Tenant: s.Tenant, Source: h.Source, SourceName: h.SourceName, Document: h.Document, Version: h.Version,
			Chunk: of.Chunk{Ord: h.Ord, Path: h.Headings, Page: h.Page, From: h.From, To: h.To, Text: h.Text},
			Title: cmp.Or(h.Title, h.Path), Path: h.Path, Phase: h.Phase, Trigger: h.Trigger, At: h.IndexedAt, Score: h.Score, Why: why(h.Why),
		}
	}
	return hits, nil
}

// Knows implements knowledge.Index.
func (i knowledgeIndex) Knows(ctx context.Context, tenant, host string) (bool, error) {
	return i.of(tenant).HasChunks(ctx, tenant, host)
}

// Position implements knowledge.Index.
func (i knowledgeIndex) Position(ctx context.Context) (int64, error) { return i.own.Position(ctx) }

func (i knowledgeIndex) of(tenant string) knowledgeview.Queries {
	if tenant == of.PublicTenant {
		return i.public
	}
	return i.own
}

// why says in words what the place of a hit is made of.
func why(w *knowledgeview.Why) []string {
	if w == nil {
		return nil
	}
	var out []string
	for _, by := range []struct {
		rank int
		what string
	}{{w.ByWords, "by its words"}, {w.BySpelling, "by its spelling"}, {w.ByVector, "by its meaning"}} {
		if by.rank > 0 {
			out = append(out, fmt.Sprintf("number %d %s", by.rank, by.what))
		}
	}
	for _, word := range w.Words {
		text := fmt.Sprintf("%s: %.2f", word.Word, word.Weight)
		if as := strings.Join(word.FoundAs, ", "); as != "" && as != word.Word {
			text += " as " + as
		}
		out = append(out, text)
	}
	if w.ByVector > 0 {
		out = append(out, fmt.Sprintf("cosine %.3f", w.Cosine))
	}
	return out
}

// publicReads reads what is public, for whoever asks: behind the wall it is one tenant's.
func (s *system) publicReads() projections.DB {
	reads, walled := s.reads.(pgpool.ByTenant)
	if !walled {
		return s.reads
	}
	reads.Tenant = func(context.Context) (string, bool) { return of.PublicTenant, true }
	return reads
}

// agentKnowledge is a Finder as a turn asks it.
type agentKnowledge struct{ knowledge.Finder }

// newAgentKnowledge searches as a finder does, and remembers where there is nothing.
func newAgentKnowledge(f knowledge.Finder) agentKnowledge {
	f.Index = &rememberingIndex{Index: f.Index}
	return agentKnowledge{f}
}

// rememberingIndex is an index as turns ask it: of most sites most tenants know nothing.
type rememberingIndex struct {
	knowledge.Index
	none absences
}

// Knows implements knowledge.Index.
func (i *rememberingIndex) Knows(ctx context.Context, tenant, host string) (bool, error) {
	where := tenant + "\x00" + host
	if i.none.holds(where) {
		return false, nil
	}
	has, err := i.Index.Knows(ctx, tenant, host)
	if err == nil && !has {
		i.none.note(where)
	}
	return has, err
}

// Find implements commands.Knowledge.
func (a agentKnowledge) Find(ctx context.Context, tenant, address, task string) ([]reasoning.Chunk, bool, error) {
	found, err := a.Finder.Find(ctx, knowledge.Wanted{Tenant: tenant, URL: address, Text: task, Limit: 2 * reasoning.MaxChunks})
	if err != nil {
		return nil, false, err
	}
	chunks := make([]reasoning.Chunk, len(found.Hits))
	for i, h := range found.Hits {
		chunks[i] = h.Piece()
	}
	return chunks, found.Own, nil
}
