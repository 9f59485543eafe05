package interact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

// look is the page of a request.
type look struct {
	readPage
	// shown is the page without known secrets.
	shown page.Page
	// redacted is the capture to store. If ref is set it is stored already, apart
	// from a new screenshot.
	redacted page.Capture
	// unknown reports that the request sent only a page hash that is not known.
	unknown bool
}

// look reads the page of a request. A page that is unchanged since the last turn is
// neither parsed nor stored again.
func (h *Handler) look(ctx context.Context, in incoming) (look, error) {
	if in.hasOnlyHash() {
		return h.recall(ctx, in)
	}
	if last, ok := h.pages.get(in.id); ok && last.log == in.at.Log && last.isOf(in.Capture) {
		return look{readPage: last, redacted: page.Capture{Screenshot: in.Capture.Screenshot}}, nil
	}
	if in.seen != nil && in.seen.isOf(in.Capture) {
		return *in.seen, nil
	}
	l, err := h.read(in.Capture)
	if err == nil && in.seen != nil {
		*in.seen = l
	}
	return l, err
}

// hasOnlyHash reports whether the request sent a page hash in place of the page.
func (in incoming) hasOnlyHash() bool { return in.PageHash != "" && !in.Capture.HasPage() }

func (h *Handler) read(c page.Capture) (look, error) {
	now, redacted, err := h.Pages.ReadRedacted(c)
	return look{readPage: readPage{frame: c.Frame(), page: now}, redacted: redacted}, err
}

// recall returns the page the client says is unchanged, from memory or from the
// content store.
func (h *Handler) recall(ctx context.Context, in incoming) (look, error) {
	known := in.at.State.Observed
	switch {
	case !in.at.State.Exists():
		return look{}, domain.Errorf(domain.Invalid, domain.CodeValidation, "dom is required on the first request of a task").At("dom")
	case known.Page == "" || known.DOMHash != in.PageHash:
		return unknown(in), nil
	}
	if last, ok := h.pages.get(in.id); ok && last.log == in.at.Log && last.page.DOMHash == in.PageHash && sameAsRead(in.Capture, last.page) {
		return look{readPage: last, redacted: page.Capture{Screenshot: in.Capture.Screenshot}}, nil
	}
	body, err := h.Content.Get(ctx, in.Tenant, in.id, known.Page)
	switch {
	case errors.Is(err, domain.ErrErased):
		return look{}, translateErased(err)
	case domain.KindOf(err) == domain.NotFound:
		return unknown(in), nil
	case err != nil:
		return look{}, err
	}
	return h.reread(in, known, body)
}

// reread reads a page from its stored form, with the URL and focus of the request.
func (h *Handler) reread(in incoming, known task.Observed, body []byte) (look, error) {
	var stored page.Capture
	if err := json.Unmarshal(body, &stored); err != nil {
		return look{}, fmt.Errorf("stored page: %w", err)
	}
	stored.Mode = known.DOMMode // in effect, also where the client did not say
	now := stored
	now.URL, now.Screenshot = in.Capture.URL, in.Capture.Screenshot
	now.Title = orElse(in.Capture.Title, stored.Title)
	if in.Capture.ActiveElement != "" {
		now.ActiveElement = in.Capture.ActiveElement
	}
	l, err := h.read(now)
	if err != nil {
		return look{}, err
	}
	if now.Frame() == stored.Frame() {
		l.ref = known.Page
	}
	// The frame of the unredacted capture is not known here, so the page itself would
	// be read anew.
	l.frame, l.page.DOMHash = "", known.DOMHash
	return l, nil
}

// sameAsRead reports whether the other fields of the capture match those the page was
// read with.
func sameAsRead(c page.Capture, last page.Page) bool {
	return c.URL == last.URL &&
		(c.Title == "" || c.Title == last.Title) &&
		(c.ActiveElement == "" || string(c.ActiveElement) == last.ActiveElement)
}

func unknown(in incoming) look {
	return look{unknown: true, readPage: readPage{page: page.Page{
		URL: in.Capture.URL, Title: in.Capture.Title, Mode: in.Capture.Mode,
		Notes: []string{"the hash of a page came in place of the page, and no page is known by it"},
	}}}
}
