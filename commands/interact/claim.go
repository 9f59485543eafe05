package interact

import (
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
	"github.com/stepledger/stepledger/eventstore"
)

// Kinds of content that a turn stores.
const (
	kindPage       = "page"
	kindScreenshot = "screenshot"
)

// claim stores the input and claims the task for this turn. Everything that can be
// refused is refused before anything is written.
func (h *Handler) claim(ctx context.Context, in incoming) (*turn, error) {
	if in.at.State.Ended() {
		return nil, task.EndedError(in.at.State)
	}
	if in.at.State.StoppedAtWork(in.request()) {
		return nil, task.StoppedError()
	}
	dead, err := h.ownerDead(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.at.State.Turn.Open && !dead && h.Clock().Before(in.at.State.Turn.LeaseUntil) {
		return nil, task.BusyError()
	}
	if in.at.State.Pause != nil {
		return nil, task.PausedError(in.at.State)
	}
	sessionID, err := in.session()
	if err != nil {
		return nil, err
	}
	l, err := h.look(ctx, in)
	if err != nil {
		return nil, err
	}
	in, l = in.withPageSecrets(l)
	now := l.shown
	if err := h.openSession(ctx, in, sessionID); err != nil {
		return nil, err
	}
	if !in.at.State.Exists() { // one that exists has its key, or lost it for good
		if in.sealer, err = h.Keys.NewKey(ctx, in.Tenant, in.id); err != nil {
			return nil, err
		}
	}
	observed := h.observed(in, now, sessionID)
	if err := h.store(ctx, in, l, &observed); err != nil {
		return nil, err
	}
	shot := in.Capture.Screenshot
	in.Capture = page.Capture{} // a turn may take a minute: a large page need not stay for it
	if now.Mode == page.ModeHybrid {
		in.Capture.Screenshot = shot
	}
	t, err := h.append(ctx, in, now, task.Claim{Page: observed, Now: h.Clock(), OwnerDead: dead})
	if err != nil {
		return nil, err
	}
	t.pageUnknown = l.unknown
	return t, nil
}

// session is the id of the session the request belongs to.
func (in incoming) session() (string, error) {
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

// store puts the page and its screenshot into the content store, before the event
// that refers to them, and sets the references in the event. A page that is already
// stored keeps its reference; an unknown page has none.
func (h *Handler) store(ctx context.Context, in incoming, l look, observed *task.PageObserved) error {
	shot := l.redacted.Screenshot
	l.redacted.Screenshot = ""
	g, ctx := errgroup.WithContext(ctx)
	if l.ref == "" && !l.unknown {
		g.Go(func() error {
			body, err := json.Marshal(l.redacted)
			if err != nil {
				return err
			}
			l.ref, err = h.put(ctx, in, kindPage, body)
			return err
		})
	}
	if shot != "" {
		g.Go(func() (err error) {
			observed.Screenshot, err = h.put(ctx, in, kindScreenshot, []byte(shot))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if observed.Page = l.ref; !l.unknown {
		h.pages.put(in.id, l.readPage)
	}
	return nil
}

func (h *Handler) put(ctx context.Context, in incoming, kind string, body []byte) (string, error) {
	ref, err := h.Content.Put(ctx, in.Tenant, in.id, kind, body)
	if errors.Is(err, domain.ErrErased) {
		return "", translateErased(err)
	}
	return ref, err
}

// translateErased turns ErrErased into the error for a task whose key was dropped.
func translateErased(err error) error {
	return domain.Errorf(domain.Conflict, domain.CodeConflict, "this task's content was erased; start a new one").Because(err)
}

// openSession creates the session if the client named none. Otherwise it returns an
// error unless the session exists, is the user's and is not archived.
func (h *Handler) openSession(ctx context.Context, in incoming, id string) error {
	if in.SessionID != "" && !in.at.State.Exists() {
		slice, err := h.Log.ReadStream(ctx, session.Stream(id), eventstore.ReadOptions{Limit: 1})
		if err != nil {
			return err
		}
		if len(slice.Events) == 0 {
			return session.NotFound()
		}
	}
	w := commands.Writing{
		Meta: in.meta(),
		ID:   func(int) string { return domain.DeriveUUID("session started", id) },
	}
	start := session.Start{Tenant: in.Tenant, User: in.User}
	_, err := commands.Sessions.Transact(ctx, h.Log, session.Stream(id), nil, w, start)
	return err
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

func (h *Handler) append(ctx context.Context, in incoming, now page.Page, claim task.Claim) (*turn, error) {
	events, err := task.Decide(claim, in.at.State)
	if err != nil {
		return nil, err
	}
	number := in.at.State.Turn.Number + 1
	at, err := commands.Tasks.Append(ctx, h.Log, task.Stream(in.id), in.sealer, in.at, h.writing(in, number, 1), events)
	if err != nil {
		return nil, err
	}
	h.states.put(task.Stream(in.id), at)
	return &turn{Handler: h, in: in, at: at, state: at.State, now: now}, nil
}
