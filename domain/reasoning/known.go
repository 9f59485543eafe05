package reasoning

import (
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/page"
)

// Chunk is a piece of a document, found for a task: of the organisation's own documents, or
// of public ones. Whoever wrote the document is a stranger to the agent: all texts are data.
type Chunk struct {
	// ID is that of the version, a dot and the number of the piece in it. Document and
	// Version are ids.
	ID       string `json:"id"`
	Document string `json:"document"`
	Version  string `json:"version"`
	// Title is the document's; Section are the headings above the piece, joined with " › ".
	Title   string `json:"title"`
	Section string `json:"section,omitempty"`
	// Page is that of the document, from 1; 0 where it has none.
	Page int `json:"page,omitempty"`
	// At is when the version was indexed.
	At time.Time `json:"at,omitzero"`
	// Public: it is not of the organisation's own documents.
	Public bool   `json:"public,omitempty"`
	Text   string `json:"text"`
}

// Citation says where a piece stands. Section is "" and Page 0 where that is not known.
type Citation struct {
	DocumentID string `json:"documentId"`
	VersionID  string `json:"versionId,omitempty" doc:"Of the document as it was."`
	ChunkID    string `json:"chunkId,omitempty" doc:"The piece: the version, a dot and its number in it."`
	Document   string `json:"documentTitle"`
	Section    string `json:"section,omitempty" doc:"The headings above the piece."`
	Page       int    `json:"page,omitempty"`
	// At is when the version was indexed.
	At     time.Time `json:"indexedAt,omitzero"`
	Public bool      `json:"public,omitempty" doc:"It is not of the organisation's own documents."`
}

// Citation is where the piece stands.
func (c Chunk) Citation() Citation {
	return Citation{
		DocumentID: c.Document, VersionID: c.Version, ChunkID: c.ID, Document: c.Title, Section: c.Section,
		Page: c.Page, At: c.At.UTC(), Public: c.Public,
	}
}

// CitationsOf are those of pieces, in their order.
func CitationsOf(chunks []Chunk) []Citation {
	var out []Citation
	for _, c := range chunks {
		out = append(out, c.Citation())
	}
	return out
}

// Equal reports whether two citations are of the same piece, in the same words.
func (c Citation) Equal(d Citation) bool {
	at := c.At.Equal(d.At)
	c.At, d.At = time.Time{}, time.Time{}
	return at && c == d
}

// Bounds of the knowledge that one question shows: pieces, tokens of each text and of all
// of them with their titles, and characters of a title or a section.
const (
	MaxChunks       = 8
	MaxChunkTokens  = 1_000
	MaxKnownTokens  = 3_000
	maxCitationText = 160
	fewestTokens    = 40 // less of a text tells nothing
)

// Shown are the first pieces as a question shows them: in clean lines, and within the
// bounds. Of a text that does not fit the beginning is shown; what would be left of the
// last one may be nothing. tokens estimates the tokens of a text. What is shown once is
// shown again unchanged.
func Shown(chunks []Chunk, tokens func(string) int) []Chunk {
	var out []Chunk
	left := MaxKnownTokens
	for _, c := range chunks {
		if len(out) == MaxChunks {
			break
		}
		c.Title, c.Section = page.Cut(page.Clean(c.Title), maxCitationText), page.Cut(page.Clean(c.Section), maxCitationText)
		room := min(MaxChunkTokens, left-tokens(c.Title)-tokens(c.Section))
		if room < fewestTokens {
			break
		}
		if c.Text = within(cleanLines(c.Text), room, tokens); c.Text == "" {
			continue
		}
		left -= tokens(c.Title) + tokens(c.Section) + tokens(c.Text)
		out = append(out, c)
	}
	return out
}

// maxText is more characters than MaxChunkTokens ever stand for, so that a text of any
// length is cut before its tokens are counted.
const maxText = 24_000

// cleanLines is a text without what cannot be seen, and without empty lines.
func cleanLines(text string) string {
	var lines []string
	for line := range strings.Lines(page.Cut(text, maxText)) {
		if line = page.Clean(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// within is the longest beginning of a text that has at most so many tokens.
func within(text string, most int, tokens func(string) int) string {
	if tokens(text) <= most {
		return text
	}
	cut := func(runes int) string { return strings.TrimRight(page.Cut(text, runes), " \n") + "…" }
	n := sort.Search(utf8.RuneCountInString(text), func(n int) bool { return tokens(cut(n+1)) > most })
	if n == 0 {
		return ""
	}
	return cut(n)
}

// HasAll reports whether all pieces of a list are among others.
func HasAll(among, list []Chunk) bool {
	for _, c := range list {
		if !slices.ContainsFunc(among, func(o Chunk) bool { return o.ID == c.ID }) {
			return false
		}
	}
	return true
}

// Together are two lists of pieces without the same piece twice, the first list first.
func Together(first, more []Chunk) []Chunk {
	out := slices.Clone(first)
	for _, c := range more {
		if !slices.ContainsFunc(out, func(o Chunk) bool { return o.ID == c.ID }) {
			out = append(out, c)
		}
	}
	return out
}
