package knowledge

import "time"

// Input is a document to be read.
type Input struct {
	Body []byte
	// Media is the media type as it was declared, Name the path; both are hints only.
	Media, Name string
	// KeepHidden keeps what a page hides: it may be shown after a click.
	KeepHidden bool
}

// RefusedError says that a document cannot be read: it is damaged, too large, too
// complex, of a format nobody knows. Trying again does not help.
type RefusedError struct {
	// Code is a word for programs, Reason a sentence for people.
	Code, Reason string
	// Type is the format, if it was found out.
	Type Type
}

// Error implements error.
func (e *RefusedError) Error() string { return e.Code + ": " + e.Reason }

// EmptyError says that a document has no text.
type EmptyError struct {
	Reason            string
	Type              Type
	Pages, ImagePages int
}

// Error implements error.
func (e *EmptyError) Error() string { return e.Reason }

// Fetch asks for a page.
type Fetch struct {
	URL string
	// Site is the address the crawl began with: pages of other hosts are left out, unless
	// it is "".
	Site string
	// ETag and LastModified are the validators of the page as it is known, "" for none.
	ETag, LastModified string
	// Links says that the page's links are wanted.
	Links bool
}

// Fetched is what came of it.
type Fetched struct {
	// Outcome is one of Received, Unchanged, Redirected, Gone, LeftOut and Failed; Code and
	// Reason say why for the last three.
	Outcome      Outcome
	Code, Reason string
	// RetryAfter is how long a site that is busy, or that could not say what it allows, is to
	// be left alone; 0 for nothing of the kind.
	RetryAfter time.Duration
	Body       []byte
	Media      string
	// ETag and LastModified are the new validators.
	ETag, LastModified string
	// Target is where a redirect leads, normalized.
	Target string
	// Links are normalized and of the same site.
	Links []string
}

// Listing is what a site lists in its sitemaps.
type Listing struct {
	// Pages are distinct and normalized, in the order of the site.
	Pages []string
	// Partial: there are more, or a sitemap could not be read.
	Partial bool
}
