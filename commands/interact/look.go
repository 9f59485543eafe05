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
	seen
	// shown is the page without what is known to be secret.
	shown page.Page
	// redacted is the capture to store; where ref is not empty it is stored
	// already, and only a new screenshot is not.
	redacted page.Capture
	// unknown: the request has only the hash of a page, and no page is known by it.
	unknown bool
}

// look reads the page of a request. One that is still that of the last turn
// costs a hash: it is neither parsed nor stored again.
func (h *Handler) look(ctx context.Context, in incoming) (look, error) {
	if in.isHash() {
		return h.recall(ctx, in)
	}
	if last, ok := h.pages.get(in.id); ok && last.shows(in.Capture) {
		return look{seen: last, redacted: page.Capture{Screenshot: in.Capture.Screenshot}}, nil
	}
	return h.read(in.Capture)
}

// isHash reports a request that has the hash of a page in place of the page.
func (in incoming) isHash() bool { return in.PageHash != "" && !in.Capture.HasPage() }

func (h *Handler) read(c page.Capture) (look, error) {
	now, redacted, err := h.Pages.ReadRedacted(c)
	return look{seen: seen{frame: c.Frame(), page: now}, redacted: redacted}, err
}

// recall is the page the client says is still there: the one of the last turn,
// if it has that hash, as it was read or else as it was stored.
func (h *Handler) recall(ctx context.Context, in incoming) (look, error) {
	known := in.at.State.Observed
	switch {
	case !in.at.State.Exists():
		return look{}, domain.Errorf(domain.Invalid, domain.CodeValidation, "dom is required on the first request of a task").At("dom")
	case known.Page == "" || known.DOMHash != in.PageHash:
		return unknown(in), nil
	}
	if last, ok := h.pages.get(in.id); ok && last.page.DOMHash == in.PageHash && saysNothingNew(in.Capture, last.page) {
		return look{seen: last, redacted: page.Capture{Screenshot: in.Capture.Screenshot}}, nil
	}
	body, err := h.Content.Get(ctx, in.Tenant, in.id, known.Page)
	switch {
	case errors.Is(err, domain.ErrErased):
		return look{}, erased(err)
	case domain.KindOf(err) == domain.NotFound:
		return unknown(in), nil
	case err != nil:
		return look{}, err
	}
	return h.reread(in, known, body)
}

// reread reads a page from its stored form, at the URL and with the focus it
// has now.
func (h *Handler) reread(in incoming, known task.Observed, body []byte) (look, error) {
	var stored page.Capture
	if err := json.Unmarshal(body, &stored); err != nil {
		return look{}, fmt.Errorf("stored page: %w", err)
	}
	stored.Mode = known.DOMMode // in effect, also where the client did not say
	now := stored
	now.URL, now.Screenshot = in.Capture.URL, in.Capture.Screenshot
	now.Title = or(in.Capture.Title, stored.Title)
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
	// The frame is that of the capture with its secrets, which is not known here:
	// the page itself would be read anew.
	l.frame, l.page.DOMHash = "", known.DOMHash
	return l, nil
}

// saysNothingNew reports whether what comes with the hash of a page is what was
// read with it.
func saysNothingNew(c page.Capture, last page.Page) bool {
	return c.URL == last.URL &&
		(c.Title == "" || c.Title == last.Title) &&
		(c.ActiveElement == "" || string(c.ActiveElement) == last.ActiveElement)
}

func unknown(in incoming) look {
	return look{unknown: true, seen: seen{page: page.Page{
		URL: in.Capture.URL, Title: in.Capture.Title, Mode: in.Capture.Mode,
		Notes: []string{"the hash of a page came in place of the page, and no page is known by it"},
	}}}
}
