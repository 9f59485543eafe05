package api

import (
	"cmp"
	"context"
	"strings"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain/account"
	known "github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/weburl"
)

// KnowledgeData is what is known about a page (spec §5.2).
type KnowledgeData struct {
	Allowed         bool                 `json:"allowed" enum:"true" doc:"No site is refused."`
	Domain          string               `json:"domain" doc:"The host of url."`
	HasOrgKnowledge bool                 `json:"hasOrgKnowledge" doc:"Whether the organisation knows anything about the site. Its own knowledge is looked up only for sites that one of allowedDomains stands for; what is public for all."`
	Context         []KnowledgeChunk     `json:"context" nullable:"false" doc:"Pieces that fit, best first."`
	Citations       []reasoning.Citation `json:"citations" nullable:"false" doc:"Where they stand."`
}

// KnowledgeChunk is a piece of a document.
type KnowledgeChunk struct {
	ID            string         `json:"id"`
	Content       string         `json:"content"`
	DocumentTitle string         `json:"documentTitle"`
	Metadata      map[string]any `json:"metadata,omitempty" doc:"sourceId, version, path (a file's name or a page's address), section, page, phase and triggerAction of a page the agent saw, indexedAt, score, and whether it is public."`
}

type knowledgeInput struct {
	URL   string `query:"url" required:"true" doc:"Of the page: absolute, http or https."`
	Query string `query:"query" maxLength:"10000" doc:"What is sought; what fits the page's address without it."`
}

// resolveKnowledge shows what a turn on the page would find.
func (s *Server) resolveKnowledge(ctx context.Context, in *knowledgeInput) (*reply[KnowledgeData], error) {
	if err := checkURL(in.URL); err != nil {
		return nil, err
	}
	found, err := s.Knowledge.Find(ctx, knowledge.Wanted{Tenant: caller(ctx).TenantID, URL: in.URL, Text: in.Query})
	if err != nil {
		return nil, err
	}
	d := KnowledgeData{Allowed: true, Domain: hostOf(in.URL), HasOrgKnowledge: found.Own, Context: []KnowledgeChunk{}, Citations: []reasoning.Citation{}}
	for _, h := range found.Hits {
		d.Context = append(d.Context, KnowledgeChunk{h.Ref().ChunkID(), h.Chunk.Text, titleOf(h), metadataOf(h)})
		d.Citations = append(d.Citations, h.Piece().Citation())
	}
	return ok(d), nil
}

// titleOf is what a hit's document is called: a file and a page may have no title.
func titleOf(h knowledge.Hit) string { return cmp.Or(h.Title, h.Path) }

// metadataOf has what else is known of a hit, without what it has not.
func metadataOf(h knowledge.Hit) map[string]any {
	m := map[string]any{
		"sourceId": h.Source, "version": h.Version, "public": public(h), "indexedAt": h.At.UTC(), "score": h.Score,
	}
	for name, text := range map[string]string{"path": h.Path, "section": h.Chunk.Heading(), "phase": string(h.Phase), "triggerAction": h.Trigger} {
		if text != "" {
			m[name] = text
		}
	}
	if h.Chunk.Page > 0 {
		m["page"] = h.Chunk.Page
	}
	return m
}

// public reports whether a hit is known to everybody.
func public(h knowledge.Hit) bool { return h.Tenant == known.PublicTenant }

// matchedPattern is the first of the tenant's host patterns that stands for a host, ""
// for none.
func (s *Server) matchedPattern(ctx context.Context, host string) (string, error) {
	t, err := s.Identity.Tenant(ctx, caller(ctx).TenantID)
	if err != nil {
		return "", err
	}
	return account.MatchingDomain(t.AllowedDomains, host), nil
}

// hostOf is the host of a URL that was checked, without its port.
func hostOf(raw string) string {
	u, err := weburl.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
