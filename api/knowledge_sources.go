package api

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain"
	known "github.com/stepledger/stepledger/domain/knowledge"
	view "github.com/stepledger/stepledger/projections/knowledge"
)

// SourceStatus says in a word what a source is at.
type SourceStatus string

// The statuses of a source.
const (
	// SourceCrawling: its pages are being visited.
	SourceCrawling SourceStatus = "crawling"
	// SourceReading: documents of it wait to be read.
	SourceReading SourceStatus = "reading"
	// SourceFailed: the last crawl could visit nothing.
	SourceFailed SourceStatus = "failed"
	// SourceReady: there is nothing left to do for now.
	SourceReady SourceStatus = "ready"
)

// SourceEntry is a source.
type SourceEntry struct {
	SourceID   string         `json:"sourceId" format:"uuid"`
	Name       string         `json:"name"`
	Kind       known.Kind     `json:"kind" enum:"upload,single,sitemap,spider,seen" doc:"upload: files; single, sitemap, spider: how the pages of a site are found; seen: pages the agent works on."`
	URL        string         `json:"url,omitempty" doc:"Where a crawl begins, or the site whose pages the agent sees."`
	Domains    []string       `json:"domains" nullable:"false" doc:"Host patterns of the sites it is about; none: all of the tenant's allowedDomains."`
	Language   string         `json:"language,omitempty" doc:"Of documents that declare none."`
	MaxPages   int            `json:"maxPages,omitempty"`
	MaxDepth   int            `json:"maxDepth,omitempty"`
	EveryHours float64        `json:"everyHours,omitempty" doc:"How long after a crawl the next begins; absent for never."`
	AddedBy    string         `json:"addedBy,omitempty" format:"uuid" doc:"Absent for the operator."`
	AddedAt    time.Time      `json:"addedAt"`
	Status     SourceStatus   `json:"status" enum:"crawling,reading,failed,ready"`
	Documents  DocumentCounts `json:"documents"`
	Chunks     int            `json:"chunks" doc:"Pieces that can be found."`
	Crawl      *CrawlEntry    `json:"crawl,omitempty" doc:"The last one; absent for files and pages the agent saw."`
}

// DocumentCounts counts documents by status.
type DocumentCounts struct {
	Waiting   int `json:"waiting"`
	Reading   int `json:"reading"`
	Indexed   int `json:"indexed"`
	Empty     int `json:"empty" doc:"Read, and without text."`
	Refused   int `json:"refused" doc:"They cannot be read."`
	Removed   int `json:"removed"`
	Withdrawn int `json:"withdrawn" doc:"The last crawl did not see them any more."`
}

// CrawlEntry is a crawl of a source.
type CrawlEntry struct {
	Generation int            `json:"generation" doc:"Crawls of the source count from 1."`
	Running    bool           `json:"running"`
	Found      int            `json:"found" doc:"Addresses to visit."`
	Visited    int            `json:"visited"`
	Outcomes   map[string]int `json:"outcomes" doc:"What came of the visits: received, unchanged, redirected, gone, left_out (robots.txt, an unknown format), postponed (tried again later), failed, listed."`
	Limited    bool           `json:"limited,omitempty" doc:"There were more pages than maxPages."`
	Dropped    int            `json:"dropped,omitempty" doc:"Addresses there was no room for."`
	Failed     string         `json:"failed,omitempty" doc:"Why nothing could be visited."`
	StartedAt  time.Time      `json:"startedAt"`
	FinishedAt *time.Time     `json:"finishedAt,omitempty"`
}

// NewSourceEntry is a source as it is sent; the command line prints the same.
func NewSourceEntry(k view.Source) SourceEntry {
	n := k.Documents
	e := SourceEntry{
		SourceID: k.ID, Name: k.Name, Kind: k.Kind, URL: k.URL, Domains: append([]string{}, k.Domains...), Language: k.Language,
		MaxPages: k.MaxPages, MaxDepth: k.MaxDepth, EveryHours: float64(k.EverySeconds) / time.Hour.Seconds(), AddedAt: k.AddedAt.UTC(), Status: statusOf(k),
		Documents: DocumentCounts{n[view.Received], n[view.Reading], n[view.Indexed], n[view.Empty], n[view.Refused], n[view.Removed], n[view.Withdrawn]},
		Chunks:    k.Chunks,
	}
	if domain.ValidUUID(k.AddedBy) {
		e.AddedBy = k.AddedBy
	}
	if c := k.Crawl; c != nil {
		e.Crawl = &CrawlEntry{
			Generation: c.Generation, Running: c.FinishedAt == nil, Found: c.Found, Outcomes: map[string]int{}, Limited: c.Limited, Dropped: c.Dropped,
			Failed: c.Failed, StartedAt: c.StartedAt.UTC(), FinishedAt: inUTC(c.FinishedAt),
		}
		for outcome, n := range c.Visits {
			if outcome != known.Postponed { // it is visited again
				e.Crawl.Visited += n
			}
			e.Crawl.Outcomes[string(outcome)] = n
		}
	}
	return e
}

func statusOf(k view.Source) SourceStatus {
	switch c := k.Crawl; {
	case c != nil && c.FinishedAt == nil:
		return SourceCrawling
	case k.Documents[view.Received]+k.Documents[view.Reading] > 0:
		return SourceReading
	case c != nil && c.Failed != "":
		return SourceFailed
	}
	return SourceReady
}

// SourcesData are the tenant's sources, added last first.
type SourcesData struct {
	Sources []SourceEntry `json:"sources" nullable:"false"`
}

func (s *Server) sources(ctx context.Context, in *Freshness) (*reply[SourcesData], error) {
	if err := s.await(ctx, *in, view.Projection); err != nil {
		return nil, err
	}
	all, err := s.Library.Sources(ctx, caller(ctx).TenantID)
	if err != nil {
		return nil, err
	}
	d := SourcesData{make([]SourceEntry, 0, len(all))}
	for _, k := range all {
		d.Sources = append(d.Sources, NewSourceEntry(k))
	}
	return ok(d), nil
}

type sourceInput struct {
	Freshness
	SourceID string `path:"sourceId" format:"uuid"`
}

func (s *Server) source(ctx context.Context, in *sourceInput) (*reply[SourceEntry], error) {
	id, err := uuid("sourceId", in.SourceID)
	if err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, view.Projection); err != nil {
		return nil, err
	}
	k, err := s.Library.Source(ctx, caller(ctx).TenantID, id)
	if err != nil {
		return nil, notThere("sourceId", err)
	}
	return ok(NewSourceEntry(k)), nil
}
