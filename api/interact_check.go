package api

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
)

// Bounds on an interact request, in UTF-16 units, beside those of domain/page.
const (
	maxQuery = 10_000
	maxURL   = 8_192
	maxKey   = 200
	maxHash  = 64
	// maxTitle is more than any browser shows.
	maxTitle = 1_000
)

var modes = []string{page.ModeSemanticV3, page.ModeSemantic, page.ModeSkeleton, page.ModeHybrid, page.ModeFull, page.ModeFiltered}

// request validates a body and returns the command's request. The error names the
// first invalid field.
func (b *InteractBody) request(header string) (r interact.Request, err error) {
	b.Capture = b.capture()
	if r.Key, err = requestKey(header, b.RequestID); err != nil {
		return r, err
	}
	if r.TaskID, err = optionalUUID("taskId", b.TaskID); err != nil {
		return r, err
	}
	if r.SessionID, err = optionalUUID("sessionId", b.SessionID); err != nil {
		return r, err
	}
	if err := checkURL(b.URL); err != nil {
		return r, err
	}
	if err := b.checkQuery(); err != nil {
		return r, err
	}
	if err := b.checkPage(); err != nil {
		return r, err
	}
	if err := b.checkTimezone(); err != nil {
		return r, err
	}
	if err := b.checkReport(); err != nil {
		return r, err
	}
	if r.Client, err = b.abilities(); err != nil {
		return r, err
	}
	r.Query, r.Capture, r.PageHash, r.Witness = norm.NFC.String(b.Query), b.Capture, b.DOMHash, b.witness()
	r.Capture.Title = cut(r.Capture.Title, maxTitle)
	r.PreviousURL, r.Timezone = b.previousURL(), b.Timezone
	return r, nil
}

// Bounds of clientCapabilities: more words than there will ever be.
const (
	maxAbilities = 100
	maxAbility   = 100
)

// abilities returns what the client says it can do.
func (b *InteractBody) abilities() (action.Abilities, error) {
	if len(b.ClientCapabilities) > maxAbilities {
		return "", invalid("clientCapabilities", "these are more than %d", maxAbilities)
	}
	for i, word := range b.ClientCapabilities {
		if longerThan(word, maxAbility) {
			return "", invalid(fmt.Sprintf("clientCapabilities[%d]", i), "this is longer than %d characters", maxAbility)
		}
	}
	return action.Declared(b.ClientCapabilities), nil
}

// maxZone is longer than any name of a time zone.
const maxZone = 64

// checkTimezone accepts names of the IANA database.
func (b *InteractBody) checkTimezone() error {
	if b.Timezone == "" {
		return nil
	}
	if _, err := time.LoadLocation(b.Timezone); err != nil || len(b.Timezone) > maxZone || b.Timezone == "Local" {
		return invalid("timezone", "timezone is no name of a time zone, such as Europe/Oslo")
	}
	return nil
}

// requestKey identifies the request: the header, else the body's requestId.
func requestKey(header, body string) (string, error) {
	field, k := "Idempotency-Key", header
	if k == "" {
		field, k = "requestId", body
	}
	unprintable := func(r rune) bool { return r < ' ' || r > '~' }
	if len(k) > maxKey || strings.ContainsFunc(k, unprintable) {
		return "", invalid(field, "this is not up to %d printable ASCII characters", maxKey)
	}
	return k, nil
}

// checkURL accepts URLs a page can have: no chrome://, file:, about: or javascript:.
func checkURL(s string) error {
	if s == "" {
		return invalid("url", "url is required")
	}
	if longerThan(s, maxURL) {
		return invalid("url", "url is longer than %d characters", maxURL)
	}
	if !weburl.IsWeb(s) {
		return invalid("url", "url is not an absolute http or https URL")
	}
	return nil
}

func (b *InteractBody) checkQuery() error {
	if b.TaskID == "" && strings.TrimSpace(b.Query) == "" {
		return invalid("query", "query is required on the first request of a task")
	}
	if longerThan(b.Query, maxQuery) {
		return invalid("query", "query is longer than %d characters", maxQuery)
	}
	return nil
}

// checkPage requires a page or, on a continuation, the hash of the last one.
func (b *InteractBody) checkPage() error {
	if longerThan(b.DOMHash, maxHash) {
		return invalid("domHash", "domHash is longer than %d characters", maxHash)
	}
	if b.DOMHash != "" && b.TaskID != "" && !b.HasPage() {
		return checkMode(b.Mode)
	}
	return checkCapture(b.Capture)
}

func checkMode(mode string) error {
	if mode != "" && !slices.Contains(modes, mode) {
		return invalid("domMode", "domMode is none of %s", strings.Join(modes, ", "))
	}
	return nil
}

// checkCapture refuses a page that is missing, too long or of an unknown mode. A page
// is in dom or in its mode's own field.
func checkCapture(c page.Capture) error {
	if err := checkMode(c.Mode); err != nil {
		return err
	}
	limit := page.MaxDOM
	if c.Mode == page.ModeFull {
		limit = page.MaxFullDOM
	}
	if longerThan(c.DOM, limit) {
		return invalid("dom", "dom is longer than %d characters", limit)
	}
	if longerThan(c.SkeletonDOM, page.MaxDOM) {
		return invalid("skeletonDom", "skeletonDom is longer than %d characters", page.MaxDOM)
	}
	if c.DOM == "" && !carriesPage(c) {
		return invalid("dom", "dom is required unless another field carries the page for its domMode")
	}
	return checkView(c)
}

// Bounds on what is said of a page beside what is on it.
const (
	maxPixels = 1_000_000
	maxWord   = 1_000
)

// checkView refuses an impossible window and invalid text.
func checkView(c page.Capture) error {
	if v := c.Viewport; v != nil {
		if v.Width < 0 || v.Width > maxPixels {
			return invalid("viewport.width", "this is not a width in pixels")
		}
		if v.Height < 0 || v.Height > maxPixels {
			return invalid("viewport.height", "this is not a height in pixels")
		}
	}
	for _, word := range []struct{ field, text string }{
		{"scrollPosition", string(c.ScrollPosition)}, {"activeElement", string(c.ActiveElement)}, {"screenshotHash", c.ScreenshotHash},
	} {
		if longerThan(word.text, maxWord) {
			return invalid(word.field, "%s is longer than %d characters", word.field, maxWord)
		}
	}
	return nil
}

func carriesPage(c page.Capture) bool {
	switch c.Mode {
	case page.ModeSemanticV3, page.ModeFiltered:
		return len(c.Tree) > 0
	case page.ModeSemantic:
		return len(c.Nodes) > 0
	case page.ModeSkeleton, page.ModeHybrid:
		return c.SkeletonDOM != ""
	case page.ModeFull:
		return false
	}
	return c.HasPage()
}
