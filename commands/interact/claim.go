package interact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
)

// Kinds of content that a turn stores.
const (
	kindPage       = "page"
	kindScreenshot = "screenshot"
)

// claim stores the input and claims the task for this turn. Everything that can be
// refused is refused before anything is written.
func (h *Handler) claim(ctx context.Context, in incoming) (*turn, error) {
	dead, err := h.mayClaim(ctx, in)
	if err != nil {
		return nil, err
	}
	sessionID, err := in.sessionID()
	if err != nil {
		return nil, err
	}
	l, err := h.look(ctx, in)
	if err != nil {
		return nil, err
	}
	in, l = in.withPageSecrets(l)
	taking := h.Intake.Begin(in.Tenant, in.id, in.remembered)
	if in.session, err = h.openSession(ctx, in, sessionID, taking); err != nil {
		return nil, err
	}
	// A task that exists has its key, or lost it for good.
	if in.sealer, err = taking.Key(ctx, !in.at.State.Exists()); err != nil {
		return nil, err
	}
	observed := h.observed(in, l.shown, sessionID)
	if err := store(ctx, taking, &l, &observed); err != nil {
		return nil, err
	}
	shot := in.Capture.Screenshot
	in.Capture = page.Capture{} // a turn may take a minute: a large page need not stay for it
	if l.shown.Mode == page.ModeHybrid {
		in.Capture.Screenshot = shot
	}
	t, err := h.append(ctx, taking, in, l.shown, task.Claim{Page: observed, Now: h.Clock(), OwnerDead: dead})
	if err != nil {
		return nil, err
	}
	if t.pageUnknown = l.unknown; !l.unknown {
		l.log = t.at.Log
		h.pages.put(in.id, l.readPage)
	}
	return t, nil
}

// mayClaim refuses a request to a task that takes none. It reports whether whoever holds
// an open claim of it is gone.
func (h *Handler) mayClaim(ctx context.Context, in incoming) (ownerDead bool, err error) {
	if in.at.State.Ended() {
		return false, task.EndedError(in.at.State)
	}
	if in.at.State.StoppedAtWork(in.request()) {
		return false, task.StoppedError()
	}
	dead, err := h.ownerDead(ctx, in)
	if err != nil {
		return false, err
	}
	if in.at.State.Turn.Open && !dead && h.Clock().Before(in.at.State.Turn.LeaseUntil) {
		return false, task.BusyError()
	}
	if in.at.State.Pause != nil {
		return false, task.PausedError(in.at.State)
	}
	return dead, nil
}

// sessionID is the id of the session the request belongs to.
func (in incoming) sessionID() (string, error) {
	known := in.at.State.Session
	switch {
	case in.SessionID == "" && known != "":
		return known, nil
	case in.SessionID == "":
		return domain.DeriveUUID("session", in.id), nil
	case known != "" && in.SessionID != known:
		return "", session.NotFound()
	}
	return in.SessionID, nil
}

// store puts the page and its screenshot into what is taken in, and sets the references
// in the event. A page that is already stored keeps its reference; an unknown page has
// none.
func store(ctx context.Context, taking commands.Taking, l *look, observed *task.PageObserved) error {
	shot := l.redacted.Screenshot
	l.redacted.Screenshot = ""
	g, ctx := errgroup.WithContext(ctx)
	if l.ref == "" && !l.unknown {
		g.Go(func() error {
			body, err := marshalCapture(l.redacted)
			if err != nil {
				return err
			}
			l.ref, err = taking.Put(ctx, kindPage, body)
			return err
		})
	}
	if shot != "" {
		g.Go(func() (err error) {
			observed.Screenshot, err = taking.Put(ctx, kindScreenshot, []byte(shot))
			return err
		})
	}
	if err := g.Wait(); errors.Is(err, domain.ErrErased) {
		return translateErased(err)
	} else if err != nil {
		return err
	}
	observed.Page = l.ref
	return nil
}

func (h *Handler) put(ctx context.Context, in incoming, kind string, body []byte) (string, error) {
	ref, err := h.Content.Put(ctx, in.Tenant, in.id, kind, body)
	if errors.Is(err, domain.ErrErased) {
		return "", translateErased(err)
	}
	return ref, err
}

// marshalCapture is the stored form of a page. A document is mostly brackets: to escape them
// for HTML, as json.Marshal does, would take longer than everything else.
func marshalCapture(c page.Capture) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(len(c.DOM) + len(c.DOM)/8)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(c); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// translateErased turns ErrErased into the error for a task whose key was dropped.
func translateErased(err error) error {
	return domain.Errorf(domain.Conflict, domain.CodeConflict, "this task's content was erased; start a new one").Because(err)
}

// openSession returns the session of the request, which the claim begins if the client
// named none. It returns an error unless the session exists, is the user's and is not
// archived; where that is only remembered, the claim finds out.
func (h *Handler) openSession(ctx context.Context, in incoming, id string, taking commands.Taking) (sessionVersion, error) {
	at, err := h.findSession(ctx, in, id)
	if err != nil {
		return at, err
	}
	start, err := session.Decide(session.Start{Tenant: in.Tenant, User: in.User}, at.State)
	if err != nil || len(start) == 0 && !in.remembered {
		return at, err
	}
	proposed, err := commands.Sessions.Propose(nil, commands.Writing{
		Meta: in.meta(),
		ID:   func(int) string { return domain.DeriveUUID("session started", id) },
	}, start)
	if err != nil {
		return at, err
	}
	taking.Beside(session.Stream(id), at.Revision, proposed)
	at.State, at.Revision = commands.Sessions.Fold(at.State, start...), at.Revision+int64(len(start))
	return at, nil
}

// findSession returns the session from memory or by reading it. That of a new task is new,
// as far as anybody here knows.
func (h *Handler) findSession(ctx context.Context, in incoming, id string) (sessionVersion, error) {
	isNew := !in.at.State.Exists()
	switch {
	case in.session.State.Exists:
		return in.session, nil
	case in.remembered && isNew && in.SessionID == "":
		return commands.Sessions.Start(), nil
	}
	at, err := commands.Sessions.Load(ctx, h.Log, session.Stream(id), nil, commands.Sessions.Start())
	if err == nil && isNew && in.SessionID != "" && !at.State.Exists {
		err = session.NotFound()
	}
	return at, err
}

func (h *Handler) observed(in incoming, now page.Page, sessionID string) task.PageObserved {
	observed := task.PageObserved{
		Tenant: in.Tenant, User: in.User, Session: sessionID,
		Request: in.request(), Instance: h.Instances.Own(), LeaseUntil: h.Clock().Add(h.Limits.Lease).UTC(),
		DOMMode: now.Mode, DOMHash: now.DOMHash, MeaningHash: now.MeaningHash, WordsHash: page.WordsHash(now),
		ReaderVersion: page.ReaderVersion, ElementCount: len(now.Elements), ActiveElement: now.ActiveElement,
		Query: in.Query, URL: now.URL, PreviousURL: in.PreviousURL, Title: now.Title,
		Timezone: in.Timezone, Client: in.Client.Words(),
		Secrets: in.secrets, SecretFields: in.secretFields,
		Witness: in.Witness, Alerts: now.Alerts, Notes: now.Notes,
	}
	e, _ := task.RedactForStorage(observed, secret.New(slices.Concat(in.at.State.Secrets, in.secrets)...)).(task.PageObserved)
	return e
}

func (h *Handler) append(ctx context.Context, taking commands.Taking, in incoming, now page.Page, claim task.Claim) (*turn, error) {
	events, err := task.Decide(claim, in.at.State)
	if err != nil {
		return nil, err
	}
	t := &turn{Handler: h, in: in, state: commands.Tasks.Fold(in.at.State, events...), now: now}
	t.learnt = t.findSkills(ctx) // while the claim is on its way to the disk
	number := in.at.State.Turn.Number + 1
	at, err := commands.Tasks.Append(ctx, taking, task.Stream(in.id), in.sealer, in.at, h.writing(in, number, 1), events)
	switch {
	case errors.Is(err, domain.ErrErased):
		return nil, translateErased(err)
	case err != nil:
		return nil, err
	}
	h.states.put(in.era, task.Stream(in.id), at, in.session)
	t.at, t.state = at, at.State
	return t, nil
}
