package interact

import (
	"context"
	"errors"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

// Recorded is a turn as the log and the stores hold it.
type Recorded struct {
	TaskID string
	// State is the task's after the turn was claimed; Observed is that claim.
	State    task.State
	Observed task.PageObserved
	// Page is the stored capture. It is nil for a turn whose client sent only a hash that
	// was not known.
	Page []byte
	// Screenshot is what came with it, "" for none.
	Screenshot string
}

// ErrNoPage is the error of a replay whose page is gone.
var ErrNoPage = errors.New("the page of the turn is gone")

// Replay decides a recorded turn anew, by the handler's reasoner and limits, and returns
// the events the turn would append, its end included. It writes nothing: Log and Keys are
// not used.
func (h *Handler) Replay(ctx context.Context, r Recorded) ([]task.Event, error) {
	in := incoming{
		Request: Request{
			Tenant: r.Observed.Tenant, User: r.Observed.User, Key: r.Observed.Request.Key, BodyHash: r.Observed.Request.Body,
			TaskID: r.TaskID, Query: r.Observed.Query, PreviousURL: r.Observed.PreviousURL, Timezone: r.Observed.Timezone,
			Witness: r.Observed.Witness, Client: action.Declared(r.Observed.Client),
			Capture: page.Capture{URL: r.Observed.URL, Title: r.Observed.Title, Mode: r.Observed.DOMMode, Screenshot: r.Screenshot},
		},
		id: r.TaskID, address: r.Observed.URL,
		at: version{State: r.State},
	}
	l := unknown(in)
	if r.Observed.Page != "" {
		if r.Page == nil {
			return nil, ErrNoPage
		}
		known := task.Observed{Page: r.Observed.Page, DOMMode: r.Observed.DOMMode, DOMHash: r.Observed.DOMHash}
		var err error
		if l, err = h.reread(in, known, r.Page); err != nil {
			return nil, err
		}
	}
	_, l = in.withPageSecrets(l)
	in.Capture = page.Capture{Screenshot: r.Screenshot}
	t := &turn{Handler: h, in: in, at: in.at, state: r.State, now: l.shown, pageUnknown: l.unknown}
	if err := t.decideWithinBudget(ctx); err != nil {
		return nil, err
	}
	stored, err := t.stored()
	if err != nil {
		return nil, err
	}
	err = t.do(task.EndTurn{Status: t.status, Tokens: t.tokens.Prompt + t.tokens.Completion, Answer: stored, Secret: t.secret, Text: t.text})
	return t.events, err
}
