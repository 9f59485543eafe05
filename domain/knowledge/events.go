// Package knowledge is what an organisation knows: sources (files, links, sites, pages the
// agent sees), their documents, and what of them can be found.
//
// A source is an aggregate with one stream, "knowledge-<source>". A document is a path in a
// source: a file's name, a page's address. Each time its bytes change it has a new version,
// and every version comes to an end: indexed, empty, refused or removed. What a version
// says is in a stream of its own, "document-<version>", sealed under a key of its own, so
// that one text can be forgotten and the rest stays readable.
//
// The package decides; it fetches, reads and stores nothing.
package knowledge

import (
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/codec"
)

// The categories of the streams.
const (
	SourceCategory = "knowledge"
	TextCategory   = "document"
)

// SourceStream returns the name of a source's stream. The subject of its key is the source.
func SourceStream(source string) string { return SourceCategory + "-" + source }

// TextStream returns the name of the stream with a version's text. The subject of its key
// is the version.
func TextStream(version string) string { return TextCategory + "-" + version }

// PublicTenant owns what is known to everybody: it is searched for all tenants. Only
// operators add to it.
const PublicTenant = "public"

// Kind says where the documents of a source come from.
type Kind string

// The kinds.
const (
	// Upload is files that people hand in.
	Upload Kind = "upload"
	// Single is one page.
	Single Kind = "single"
	// Sitemap is the pages a site lists.
	Sitemap Kind = "sitemap"
	// Spider is the pages that can be reached by links from one.
	Spider Kind = "spider"
	// Seen is the pages of a site that the agent works on.
	Seen Kind = "seen"
)

// Kinds are all of them.
var Kinds = []Kind{Upload, Single, Sitemap, Spider, Seen}

// Crawled reports whether documents are fetched.
func (k Kind) Crawled() bool { return k == Single || k == Sitemap || k == Spider }

// Phase says when a page of the agent was captured (spec interact-flow § B).
type Phase string

// The phases. Documents that are not seen by the agent have none.
const (
	// Initial is a page as it came, what it hides included.
	Initial Phase = "initial"
	// PostInteraction is what an action brought.
	PostInteraction Phase = "post-interaction"
)

// Event is an event of a source.
type Event interface{ isKnowledgeEvent() }

// Stored names. They never change.
const (
	NameSourceAdded        = "knowledge.source_added.v1"
	NameSourceRemoved      = "knowledge.source_removed.v1"
	NameSourceForgotten    = "knowledge.source_forgotten.v1"
	NameCrawlStarted       = "knowledge.crawl_started.v1"
	NamePagesFound         = "knowledge.pages_found.v1"
	NamePageVisited        = "knowledge.page_visited.v1"
	NameCrawlFinished      = "knowledge.crawl_finished.v1"
	NameDocumentReceived   = "knowledge.document_received.v1"
	NameReadingStarted     = "knowledge.reading_started.v1"
	NameReadingProgressed  = "knowledge.reading_progressed.v1"
	NameDocumentIndexed    = "knowledge.document_indexed.v1"
	NameDocumentEmpty      = "knowledge.document_empty.v1"
	NameDocumentRefused    = "knowledge.document_refused.v1"
	NameDocumentRemoved    = "knowledge.document_removed.v1"
	NameDocumentsWithdrawn = "knowledge.documents_withdrawn.v1"
	NameVersionsForgotten  = "knowledge.versions_forgotten.v1"
)

// Codec reads and writes the stored form of a source's events.
var Codec = codec.New(map[string]Event{
	NameSourceAdded:        SourceAdded{},
	NameSourceRemoved:      SourceRemoved{},
	NameSourceForgotten:    SourceForgotten{},
	NameCrawlStarted:       CrawlStarted{},
	NamePagesFound:         PagesFound{},
	NamePageVisited:        PageVisited{},
	NameCrawlFinished:      CrawlFinished{},
	NameDocumentReceived:   DocumentReceived{},
	NameReadingStarted:     ReadingStarted{},
	NameReadingProgressed:  ReadingProgressed{},
	NameDocumentIndexed:    DocumentIndexed{},
	NameDocumentEmpty:      DocumentEmpty{},
	NameDocumentRefused:    DocumentRefused{},
	NameDocumentRemoved:    DocumentRemoved{},
	NameDocumentsWithdrawn: DocumentsWithdrawn{},
	NameVersionsForgotten:  VersionsForgotten{},
})

// SourceAdded: a source is there from now on. By is a user's id or "operator".
type SourceAdded struct {
	Source string `json:"source"`
	Tenant string `json:"tenant"`
	By     string `json:"by"`
	Kind   Kind   `json:"kind"`
	Name   string `json:"name,omitzero" sealed:"true"`
	// URL is where a crawl begins, or the site whose pages the agent sees.
	URL string `json:"url,omitzero" sealed:"true"`
	// Domains are host patterns of the sites it is about; none: of all sites the tenant
	// allows.
	Domains []string `json:"domains,omitzero" sealed:"true"`
	// Language is a BCP 47 tag for documents that declare none.
	Language string `json:"language,omitempty"`
	MaxPages int    `json:"maxPages,omitempty"`
	MaxDepth int    `json:"maxDepth,omitempty"`
	// EverySeconds is how long after the end of a crawl the next begins, 0 for never.
	EverySeconds int64     `json:"everySeconds,omitempty"`
	At           time.Time `json:"at"`
}

// SourceRemoved: nothing of it is found any more. Only SourceForgotten follows.
type SourceRemoved struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// SourceForgotten: keys and bytes of the source and its versions are gone.
type SourceForgotten struct {
	At time.Time `json:"at"`
}

// CrawlStarted: the pages are looked through anew. Generations count from 1.
type CrawlStarted struct {
	Generation int       `json:"generation"`
	At         time.Time `json:"at"`
}

// PagesFound: addresses to visit in this generation, in order, all new to it.
type PagesFound struct {
	Generation int      `json:"generation"`
	Depth      int      `json:"depth"`
	Pages      []string `json:"pages,omitzero" sealed:"true"`
	// Dropped counts those there was no room for.
	Dropped int `json:"dropped,omitempty"`
}

// Outcome is what came of a visit.
type Outcome string

// The outcomes.
const (
	// Received: new bytes; a DocumentReceived stands with it.
	Received Outcome = "received"
	// Unchanged: the bytes are those the document has.
	Unchanged Outcome = "unchanged"
	// Redirected: the page is another, which was found with it.
	Redirected Outcome = "redirected"
	// Gone: the site says that there is no such page.
	Gone Outcome = "gone"
	// LeftOut: the page is not for us: robots, an unknown format, an address that is not
	// allowed.
	LeftOut Outcome = "left_out"
	// Postponed: trouble that may pass; the page is visited again after the others.
	Postponed Outcome = "postponed"
	// Failed: the trouble did not pass. A document that was there stays.
	Failed Outcome = "failed"
	// Listed: the address was a list of pages, which were found with it.
	Listed Outcome = "listed"
)

// PageVisited: the first address of the frontier was visited.
type PageVisited struct {
	Generation int     `json:"generation"`
	Document   string  `json:"document"` // DocumentID of the address
	Outcome    Outcome `json:"outcome"`
	Code       string  `json:"code,omitempty"`
	Reason     string  `json:"reason,omitzero" sealed:"true"`
	// ETag and LastModified are the validators of an unchanged or received page.
	ETag         string    `json:"etag,omitzero" sealed:"true"`
	LastModified string    `json:"lastModified,omitzero" sealed:"true"`
	At           time.Time `json:"at"`
}

// CrawlFinished: the generation is over.
type CrawlFinished struct {
	Generation int `json:"generation"`
	// Limited: there were more pages than the source may have.
	Limited bool `json:"limited,omitempty"`
	// Failed is why nothing could be visited, "" if something was.
	Failed string `json:"failed,omitzero" sealed:"true"`
	// Visits counts by outcome.
	Visits map[Outcome]int `json:"visits,omitempty"`
	At     time.Time       `json:"at"`
}

// DocumentReceived: a document has a new version, whose bytes are in the content store.
type DocumentReceived struct {
	Document string `json:"document"`
	Version  string `json:"version"`
	// Number counts the document's versions from 1.
	Number int `json:"number"`
	// Path is the name or address; of a page the agent saw it is with the text, which is
	// forgotten with the task.
	Path string `json:"path,omitzero" sealed:"true"`
	// Bytes refers to the content store, under the source as subject.
	Bytes string `json:"bytes"`
	Size  int    `json:"size"`
	// Media is the media type as it was declared.
	Media string `json:"media,omitzero" sealed:"true"`
	// Generation is that of the crawl that fetched it, 0 for none.
	Generation int `json:"generation,omitempty"`
	// Phase, Task and Turn are those of a page the agent saw.
	Phase Phase  `json:"phase,omitempty"`
	Task  string `json:"task,omitempty"`
	Turn  int    `json:"turn,omitempty"`
	// Page is the document of the page as it came, which this one is a later state of.
	Page string    `json:"page,omitempty"`
	By   string    `json:"by,omitempty"`
	At   time.Time `json:"at"`
}

// ReadingStarted: somebody reads the version. Attempts count from 1; Deaths are those
// before of which nobody heard any more.
type ReadingStarted struct {
	Document string    `json:"document"`
	Version  string    `json:"version"`
	Attempt  int       `json:"attempt"`
	Deaths   int       `json:"deaths,omitempty"`
	At       time.Time `json:"at"`
}

// ReadingProgressed: so many pages of it are read.
type ReadingProgressed struct {
	Document string `json:"document"`
	Version  string `json:"version"`
	Page     int    `json:"page"`
	Of       int    `json:"of"`
}

// DocumentIndexed: the version can be found, and takes the place of the one before. Its
// text, all Parts of it, stands in its own stream before this event.
type DocumentIndexed struct {
	Document   string `json:"document"`
	Version    string `json:"version"`
	Type       Type   `json:"type"`
	Language   string `json:"language,omitempty"`
	Pages      int    `json:"pages,omitempty"`
	ImagePages int    `json:"imagePages,omitempty"`
	// Attempt is that of the reading whose parts count.
	Attempt int `json:"attempt"`
	Parts   int `json:"parts"`
	Chunks  int `json:"chunks"`
	// Supersedes are chunks of other versions that this one's take the place of.
	Supersedes []ChunkRef `json:"supersedes,omitempty"`
	// Reader is the ReaderVersion it was read with.
	Reader int       `json:"reader,omitempty"`
	At     time.Time `json:"at"`
}

// ChunkRef names a chunk.
type ChunkRef struct {
	Version string `json:"version"`
	Ord     int    `json:"ord"`
}

// DocumentEmpty: the version has no text. It takes the place of the one before, and
// nothing of it is found.
type DocumentEmpty struct {
	Document   string    `json:"document"`
	Version    string    `json:"version"`
	Type       Type      `json:"type,omitempty"`
	Reason     string    `json:"reason,omitzero" sealed:"true"`
	Pages      int       `json:"pages,omitempty"`
	ImagePages int       `json:"imagePages,omitempty"`
	Reader     int       `json:"reader,omitempty"`
	At         time.Time `json:"at"`
}

// DocumentRefused: the version cannot be read. The one before stays.
type DocumentRefused struct {
	Document string `json:"document"`
	Version  string `json:"version"`
	Type     Type   `json:"type,omitempty"`
	Code     string `json:"code"`
	// Reason may tell of the text: where a file is broken.
	Reason string    `json:"reason,omitzero" sealed:"true"`
	Reader int       `json:"reader,omitempty"`
	At     time.Time `json:"at"`
}

// DocumentRemoved: somebody deleted it, or the task it was seen in is erased. What somebody
// deleted is not fetched or seen again.
type DocumentRemoved struct {
	Document string    `json:"document"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
	// Task is the one that is erased, "" for none.
	Task string `json:"task,omitempty"`
}

// DocumentsWithdrawn: a finished crawl did not see them any more.
type DocumentsWithdrawn struct {
	Generation int       `json:"generation"`
	Documents  []string  `json:"documents"`
	At         time.Time `json:"at"`
}

// VersionsForgotten: the keys of their texts are gone, and bytes no other version has.
type VersionsForgotten struct {
	Versions []string  `json:"versions"`
	At       time.Time `json:"at"`
}

func (SourceAdded) isKnowledgeEvent()        {}
func (SourceRemoved) isKnowledgeEvent()      {}
func (SourceForgotten) isKnowledgeEvent()    {}
func (CrawlStarted) isKnowledgeEvent()       {}
func (PagesFound) isKnowledgeEvent()         {}
func (PageVisited) isKnowledgeEvent()        {}
func (CrawlFinished) isKnowledgeEvent()      {}
func (DocumentReceived) isKnowledgeEvent()   {}
func (ReadingStarted) isKnowledgeEvent()     {}
func (ReadingProgressed) isKnowledgeEvent()  {}
func (DocumentIndexed) isKnowledgeEvent()    {}
func (DocumentEmpty) isKnowledgeEvent()      {}
func (DocumentRefused) isKnowledgeEvent()    {}
func (DocumentRemoved) isKnowledgeEvent()    {}
func (DocumentsWithdrawn) isKnowledgeEvent() {}
func (VersionsForgotten) isKnowledgeEvent()  {}

// TextEvent is an event of a version's text.
type TextEvent interface{ isTextEvent() }

// Stored names of the events of texts.
const (
	NameTextAdded    = "document.text_added.v1"
	NameVectorsAdded = "document.vectors_added.v1"
)

// TextCodec reads and writes their stored form.
var TextCodec = codec.New(map[string]TextEvent{
	NameTextAdded:    TextAdded{},
	NameVectorsAdded: VectorsAdded{},
})

// TextAdded is a part of a version's text: chunks in order.
type TextAdded struct {
	Source   string `json:"source"`
	Document string `json:"document"`
	Version  string `json:"version"`
	// Attempt is that of the reading, Part counts its parts from 0. A reading that died
	// leaves parts nobody counts.
	Attempt int    `json:"attempt"`
	Part    int    `json:"part"`
	Path    string `json:"path,omitzero" sealed:"true"`
	Title   string `json:"title,omitzero" sealed:"true"`
	// Trigger is the action that brought what the agent saw, "" for a page as it came.
	Trigger string  `json:"trigger,omitzero" sealed:"true"`
	Chunks  []Chunk `json:"chunks,omitzero" sealed:"true"`
}

// VectorsAdded are the vectors of the chunks of a part, in their order.
type VectorsAdded struct {
	Source   string `json:"source"`
	Document string `json:"document"`
	Version  string `json:"version"`
	Attempt  int    `json:"attempt"`
	Part     int    `json:"part"`
	// Model made them, each with so many numbers. Vectors of two models are never
	// compared.
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
	// Vectors are 32-bit floats, little-endian, one vector behind the other.
	Vectors []byte `json:"vectors,omitzero" sealed:"apart"`
}

func (TextAdded) isTextEvent()    {}
func (VectorsAdded) isTextEvent() {}

// DocumentID is the id of a path in a source.
func DocumentID(source, path string) string { return domain.DeriveUUID("document", source, path) }

// VersionID is the id of the nth version of a document.
func VersionID(document string, number int) string {
	return domain.DeriveUUID("version", document, itoa(number))
}

// ChunkID is the id of a chunk in citations: its version and place.
func (r ChunkRef) ChunkID() string { return r.Version + "." + itoa(r.Ord) }
