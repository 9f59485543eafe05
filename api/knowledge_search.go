package api

import (
	"context"
	"strings"
	"time"

	"github.com/stepledger/stepledger/commands/knowledge"
	known "github.com/stepledger/stepledger/domain/knowledge"
	view "github.com/stepledger/stepledger/projections/knowledge"
)

// SearchData is what a search in what is known found.
type SearchData struct {
	Hits            []SearchHit `json:"hits" nullable:"false" doc:"Best first."`
	HasOrgKnowledge bool        `json:"hasOrgKnowledge" doc:"Whether the organisation knows anything about the site, or without url, when everything it knows is searched, anything at all."`
	MatchedPattern  string      `json:"matchedPattern,omitempty" doc:"The first of the tenant's allowedDomains that stands for the site of url; absent where none does, and the organisation's own knowledge is not searched."`
}

// SearchHit is a piece of a document that fits.
type SearchHit struct {
	ID            string      `json:"id" doc:"Of the piece: the version of its document and its place."`
	SourceID      string      `json:"sourceId" format:"uuid"`
	DocumentID    string      `json:"documentId" format:"uuid"`
	Version       string      `json:"version" format:"uuid"`
	Title         string      `json:"title"`
	Path          string      `json:"path,omitempty" doc:"A file's name, or a page's address."`
	Section       string      `json:"section,omitempty" doc:"The headings it is under."`
	Page          int         `json:"page,omitempty" doc:"Of a PDF, or the sheet of a workbook."`
	Phase         known.Phase `json:"phase,omitempty" enum:"initial,post-interaction" doc:"Of a page the agent saw: as it came, or what an action brought."`
	TriggerAction string      `json:"triggerAction,omitempty" doc:"The action that brought it."`
	Public        bool        `json:"public" doc:"Known to everybody, and not the tenant's own."`
	IndexedAt     time.Time   `json:"indexedAt"`
	Text          string      `json:"text" doc:"Markdown of strangers: show it as text."`
	Score         float64     `json:"score" doc:"Compares hits of one search, and nothing else."`
	Why           []string    `json:"why,omitempty" doc:"What it was found by; only with explain."`
}

type searchInput struct {
	Freshness
	Q       string `query:"q" required:"true" minLength:"1" maxLength:"10000" doc:"What is sought, as a question or in words."`
	URL     string `query:"url" maxLength:"8192" doc:"Of the page it is about: what is known of other sites is left out, and the tenant's own knowledge too where none of allowedDomains stands for the site. Without it everything the tenant knows is searched, and what is public."`
	Limit   int    `query:"limit" default:"10" minimum:"1" maximum:"50"`
	Explain bool   `query:"explain" doc:"Say why each was found."`
}

// searchKnowledge searches what the tenant knows, and what is public.
func (s *Server) searchKnowledge(ctx context.Context, in *searchInput) (*reply[SearchData], error) {
	if strings.TrimSpace(in.Q) == "" {
		return nil, invalid("q", "q is required")
	}
	if in.URL != "" {
		if err := checkURL(in.URL); err != nil {
			return nil, err
		}
	}
	if err := s.await(ctx, in.Freshness, view.Projection); err != nil {
		return nil, err
	}
	found, err := s.Knowledge.Find(ctx, knowledge.Wanted{Tenant: caller(ctx).TenantID, URL: in.URL, Text: in.Q, Limit: in.Limit, Explain: in.Explain, Pattern: true})
	if err != nil {
		return nil, err
	}
	return ok(NewSearchData(found)), nil
}

// NewSearchData is an answer as it is sent; the command line prints the same.
func NewSearchData(found knowledge.Answer) SearchData {
	d := SearchData{make([]SearchHit, 0, len(found.Hits)), found.Own, found.Pattern}
	for _, h := range found.Hits {
		d.Hits = append(d.Hits, SearchHit{
			ID: h.Ref().ChunkID(), SourceID: h.Source, DocumentID: h.Document, Version: h.Version, Title: titleOf(h), Path: h.Path,
			Section: h.Chunk.Heading(), Page: h.Chunk.Page, Phase: h.Phase, TriggerAction: h.Trigger, Public: public(h),
			IndexedAt: h.At.UTC(), Text: h.Chunk.Text, Score: h.Score, Why: h.Why,
		})
	}
	return d
}
