package api

import (
	"context"
	"encoding/base64"
	"fmt"
	"mime"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain/account"
	known "github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/projections"
	view "github.com/stepledger/stepledger/projections/knowledge"
)

const (
	// ingestBody is enough for the largest file in base64.
	ingestBody = 28 << 20
	// maxSourceDomains bounds the sites a source is about.
	maxSourceDomains = 100
	maxMediaType     = 255
	maxFileName      = 500
	// maxEvery is a year of hours.
	maxEvery = 8760
)

// IngestBody is a file.
type IngestBody struct {
	Name       string   `json:"name" minLength:"1" maxLength:"500" doc:"The file's, by which it is known: the same name again is a new version of it."`
	Content    *string  `json:"content,omitempty" doc:"Its bytes in base64, at most 20 MiB of them. One of content and text is required."`
	Text       *string  `json:"text,omitempty" doc:"What it says, for a file that is text."`
	MediaType  string   `json:"mediaType,omitempty" maxLength:"255" doc:"A hint; the format is found by the content."`
	SourceID   string   `json:"sourceId,omitempty" format:"uuid" doc:"Of a source of files; without it the tenant's own by the name of sourceName, which is added on first use."`
	SourceName string   `json:"sourceName,omitempty" maxLength:"200" doc:"Files without it. Not with sourceId."`
	Domains    []string `json:"domains,omitempty" maxItems:"100" doc:"Host patterns of the sites the source is about, where it is added; all of the tenant's allowedDomains without them."`
	Language   string   `json:"language,omitempty" maxLength:"35" pattern:"^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$" doc:"Of documents of the source that declare none, where it is added."`
}

// IngestedData is a file that was received. It is read in the background.
type IngestedData struct {
	SourceID   string       `json:"sourceId" format:"uuid"`
	DocumentID string       `json:"documentId" format:"uuid"`
	Version    string       `json:"version" format:"uuid"`
	Status     known.Status `json:"status" enum:"waiting,reading,indexed,empty,refused,removed,withdrawn"`
	Unchanged  bool         `json:"unchanged" doc:"The document has these bytes already."`
}

type ingestReply struct {
	Position string `header:"X-Event-Position" doc:"Log position after it: sent as atLeast, a read shows it."`
	Body     envelope[IngestedData]
}

// ingest receives a file. What is in it is found out later.
func (s *Server) ingest(ctx context.Context, _ *struct{}, body []byte) (*ingestReply, error) {
	var b IngestBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	f, err := b.file()
	if err != nil {
		return nil, err
	}
	f.Tenant, f.By = caller(ctx).TenantID, caller(ctx).UserID
	if f.Source == "" {
		e := known.SourceAdded{Kind: known.Upload, Name: b.SourceName, Domains: b.Domains, Language: b.Language}
		added, _, err := s.addSource(ctx, e)
		if err != nil {
			return nil, err
		}
		f.Source = added.Source
	}
	added, err := s.Library.Receive(ctx, f)
	if err != nil {
		return nil, aboutLibrary(err)
	}
	d := IngestedData{added.Source, added.Document, added.Version, known.Waiting, added.Unchanged}
	if k, err := s.Library.Document(ctx, f.Tenant, added.Document); err == nil && k.Version == added.Version {
		d.Status = statusOfState(k.State)
	}
	return &ingestReply{strconv.FormatInt(added.Position, 10), envelope[IngestedData]{true, d}}, nil
}

// file checks the body and returns the file, without whose it is.
func (b *IngestBody) file() (f knowledge.File, err error) {
	b.Name = norm.NFC.String(b.Name) // some systems name files in parts of letters
	switch {
	case b.Name == "":
		return f, invalid("name", "name is required")
	case longerThan(b.Name, maxFileName):
		return f, invalid("name", "name is longer than %d characters", maxFileName)
	case strings.ContainsFunc(b.Name, unicode.IsControl):
		return f, invalid("name", "name holds a control character")
	case b.SourceID != "" && b.SourceName != "":
		return f, invalid("sourceName", "sourceName names a source to be added, sourceId one that is there: send one of them")
	}
	f.Name, f.Media = b.Name, b.MediaType
	if _, _, err := mime.ParseMediaType(b.MediaType); b.MediaType != "" && (err != nil || len(b.MediaType) > maxMediaType) {
		return f, invalid("mediaType", "this is no media type, such as application/pdf")
	}
	if f.Source, err = optionalUUID("sourceId", b.SourceID); err != nil {
		return f, err
	}
	if err := checkSource(b.SourceName, "sourceName", b.Domains, b.Language); err != nil {
		return f, err
	}
	f.Body, err = b.bytes()
	return f, err
}

// bytes are those of the file.
func (b *IngestBody) bytes() ([]byte, error) {
	switch {
	case b.Content != nil && b.Text != nil:
		return nil, invalid("text", "send one of content and text")
	case b.Text != nil:
		return []byte(*b.Text), nil
	case b.Content == nil:
		return nil, invalid("content", "content or text is required")
	}
	raw, err := base64.StdEncoding.DecodeString(*b.Content)
	if err != nil {
		return nil, invalid("content", "this is not base64")
	}
	return raw, nil
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$`)

// checkSource checks what all sources have.
func checkSource(name, nameField string, domains []string, language string) error {
	if err := checkLength(nameField, name, maxName); err != nil {
		return err
	}
	if len(domains) > maxSourceDomains {
		return invalid("domains", "domains has more than %d entries", maxSourceDomains)
	}
	for i, pattern := range domains {
		normal, ok := account.DomainPattern(pattern)
		if !ok {
			return invalid(fmt.Sprintf("domains[%d]", i), "this is neither a host nor *. and a domain")
		}
		domains[i] = normal
	}
	const longest = 35
	if language != "" && (len(language) > longest || !languageTag.MatchString(language)) {
		return invalid("language", "this is no language tag, such as en or pt-BR")
	}
	return nil
}

// LinkBody is an address to be indexed.
type LinkBody struct {
	URL        string     `json:"url" minLength:"1" maxLength:"2000" format:"uri" doc:"Of the page to begin with: absolute, http or https."`
	Strategy   known.Kind `json:"strategy" enum:"single,sitemap,spider" doc:"single: this page; sitemap: the pages the site lists; spider: those that can be reached by links."`
	MaxPages   int        `json:"maxPages,omitempty" minimum:"0" maximum:"10000" doc:"100 without it, or if it is 0; one for single."`
	MaxDepth   *int       `json:"maxDepth,omitempty" minimum:"0" maximum:"20" doc:"Links to follow from the first page, for spider: 2 without it."`
	Domains    []string   `json:"domains,omitempty" maxItems:"100" doc:"Host patterns of the sites it is about; all of the tenant's allowedDomains without them."`
	Language   string     `json:"language,omitempty" maxLength:"35" pattern:"^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$" doc:"Of pages that declare none."`
	Name       string     `json:"name,omitempty" maxLength:"200" doc:"The address without it."`
	EveryHours int        `json:"everyHours,omitempty" minimum:"0" maximum:"8760" doc:"How long after a crawl the next begins; 0 for never."`
}

// AddedSource is a source that is there now.
type AddedSource struct {
	SourceID string       `json:"sourceId" format:"uuid"`
	Status   SourceStatus `json:"status" enum:"crawling,reading,failed,ready"`
}

type sourceReply struct {
	Position string `header:"X-Event-Position" doc:"Log position after it, the first one if it was there: sent as atLeast, a read shows it."`
	Body     envelope[AddedSource]
}

// indexLink adds a site. It is visited in the background.
func (s *Server) indexLink(ctx context.Context, _ *struct{}, body []byte) (*sourceReply, error) {
	var b LinkBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	e, err := b.source()
	if err != nil {
		return nil, err
	}
	return s.added(s.addSource(ctx, e))
}

// source checks the body and returns the source it asks for.
func (b *LinkBody) source() (e known.SourceAdded, err error) {
	if err := checkURL(b.URL); err != nil {
		return e, err
	}
	if err := oneOf("strategy", b.Strategy, []known.Kind{known.Single, known.Sitemap, known.Spider}); err != nil {
		return e, err
	}
	if err := checkSource(b.Name, "name", b.Domains, b.Language); err != nil {
		return e, err
	}
	depth := known.DefaultMaxDepth
	if b.MaxDepth != nil {
		depth = *b.MaxDepth
	}
	// Also where the source is there, and nothing is decided about it.
	for _, n := range []struct {
		field       string
		value, most int
	}{{"maxPages", b.MaxPages, known.MaxPages}, {"maxDepth", depth, known.MaxDepth}, {"everyHours", b.EveryHours, maxEvery}} {
		if n.value < 0 || n.value > n.most {
			return e, invalid(n.field, "%s is not between 0 and %d", n.field, n.most)
		}
	}
	return known.SourceAdded{
		Kind: b.Strategy, URL: b.URL, Name: b.Name, Domains: b.Domains, Language: b.Language, MaxPages: b.MaxPages, MaxDepth: depth,
		EverySeconds: int64(b.EveryHours) * int64(time.Hour/time.Second),
	}, nil
}

// SeenBody is a site whose pages are kept.
type SeenBody struct {
	URL     string   `json:"url" minLength:"1" maxLength:"2000" format:"uri" doc:"Of the site, or a part of it: pages at it and below it are kept. Absolute, http or https."`
	Name    string   `json:"name,omitempty" maxLength:"200" doc:"The address without it."`
	Domains []string `json:"domains,omitempty" maxItems:"100" doc:"Host patterns of the sites it is about; the site's host without them."`
}

// keepSeen has the pages of a site kept that the agent works on from now on.
func (s *Server) keepSeen(ctx context.Context, _ *struct{}, body []byte) (*sourceReply, error) {
	var b SeenBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return nil, err
	}
	if err := checkURL(b.URL); err != nil {
		return nil, err
	}
	if err := checkSource(b.Name, "name", b.Domains, ""); err != nil {
		return nil, err
	}
	return s.added(s.addSource(ctx, known.SourceAdded{Kind: known.Seen, URL: b.URL, Name: b.Name, Domains: b.Domains}))
}

// addSource adds a source of the caller's tenant, unless it is there already, and returns
// what it is at.
func (s *Server) addSource(ctx context.Context, e known.SourceAdded) (knowledge.Added, SourceStatus, error) {
	e.Tenant, e.By = caller(ctx).TenantID, caller(ctx).UserID
	if err := s.await(ctx, Freshness{}, view.Projection); err != nil {
		return knowledge.Added{}, "", err
	}
	all, err := s.Library.Sources(ctx, e.Tenant)
	if err != nil {
		return knowledge.Added{}, "", err
	}
	added, err := s.Library.AddOnce(ctx, e, SourcesThere(all))
	if err != nil {
		return knowledge.Added{}, "", aboutLibrary(err)
	}
	if added.Position == 0 { // it was there, and is part of the log as it is
		if added.Position, err = s.Log.Head(ctx); err != nil {
			return knowledge.Added{}, "", projections.Unavailable(err)
		}
	}
	status := SourceReady
	if e.Kind.Crawled() {
		status = SourceCrawling
	}
	for _, k := range all {
		if k.ID == added.Source {
			status = statusOf(k)
		}
	}
	return added, status, nil
}

// SourcesThere are sources as AddOnce compares them.
func SourcesThere(all []view.Source) []known.SourceAdded {
	there := make([]known.SourceAdded, 0, len(all))
	for _, k := range all {
		there = append(there, known.SourceAdded{Source: k.ID, Tenant: k.Tenant, Kind: k.Kind, Name: k.Name, URL: k.URL})
	}
	return there
}

func (s *Server) added(a knowledge.Added, status SourceStatus, err error) (*sourceReply, error) {
	if err != nil {
		return nil, err
	}
	return &sourceReply{strconv.FormatInt(a.Position, 10), envelope[AddedSource]{true, AddedSource{a.Source, status}}}, nil
}
