package reasoning

// Known is what an organisation knows that fits a page and a question, for people who look
// at it. Any says whether it knows anything about that site, with or without a fit.
type Known struct {
	Any       bool
	Chunks    []KnownChunk
	Citations []Citation
}

// KnownChunk is a piece of a document, with what is known of it besides.
type KnownChunk struct {
	ID, Text, Document string
	Metadata           map[string]any
}

// Citation says where a piece stands. Section is "" and Page 0 where that is not known.
type Citation struct {
	DocumentID, Document, Section string
	Page                          int
}
