package api

import (
	"context"
	"strings"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/weburl"
)

// KnowledgeData is what the tenant's organisation knows about a page (spec §5.2). What is
// public has no pieces to show.
type KnowledgeData struct {
	Allowed         bool                 `json:"allowed" enum:"true" doc:"No site is refused."`
	Domain          string               `json:"domain" doc:"The host of url."`
	HasOrgKnowledge bool                 `json:"hasOrgKnowledge" doc:"Whether the organisation knows anything about the site. Only sites that one of allowedDomains stands for are looked up."`
	Context         []KnowledgeChunk     `json:"context" nullable:"false" doc:"Pieces that fit, best first."`
	Citations       []reasoning.Citation `json:"citations" nullable:"false" doc:"Where they stand."`
}

// KnowledgeChunk is a piece of a document.
type KnowledgeChunk struct {
	ID            string         `json:"id"`
	Content       string         `json:"content"`
	DocumentTitle string         `json:"documentTitle"`
	Metadata      map[string]any `json:"metadata,omitempty"`
}

type knowledgeInput struct {
	URL   string `query:"url" required:"true" doc:"Of the page: absolute, http or https."`
	Query string `query:"query" maxLength:"10000" doc:"What is sought; everything about the page without it."`
}

// resolveKnowledge asks what the organisation knows only where a pattern of the tenant
// stands for the site.
func (s *Server) resolveKnowledge(ctx context.Context, in *knowledgeInput) (*reply[KnowledgeData], error) {
	if err := checkURL("url", in.URL); err != nil {
		return nil, err
	}
	d := KnowledgeData{Allowed: true, Domain: hostOf(in.URL), Context: []KnowledgeChunk{}, Citations: []reasoning.Citation{}}
	pattern, err := s.matchedPattern(ctx, d.Domain)
	if err != nil || pattern == "" {
		return ok(d), err
	}
	known, err := s.Knowledge.Resolve(ctx, caller(ctx).TenantID, in.URL, in.Query)
	if err != nil {
		return nil, err
	}
	return ok(d.with(known)), nil
}

func (d KnowledgeData) with(known reasoning.Known) KnowledgeData {
	d.HasOrgKnowledge = known.Any
	for _, c := range known.Chunks {
		d.Context = append(d.Context, KnowledgeChunk{c.ID, c.Text, c.Document, c.Metadata})
	}
	d.Citations = append(d.Citations, known.Citations...)
	return d
}

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
