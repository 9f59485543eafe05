package history

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/projections"
)

// TurnPage is the page a turn began on, as it was captured, without secrets.
type TurnPage struct {
	TaskID  string
	Turn    int
	Capture page.Capture
	// Target is the id of the element of the action decided on the page, "" if there is
	// none.
	Target string
}

// Page returns the page of a turn. It returns a NotFound error for a task of another
// tenant, a turn that is not, and a page that is erased or not kept any more.
func (r Reader) Page(ctx context.Context, tenant, id string, turn int) (TurnPage, error) {
	p, err := r.page(ctx, tenant, id, turn)
	if err != nil {
		return TurnPage{}, fmt.Errorf("page of turn %d of task %s: %w", turn, id, projections.Unavailable(err))
	}
	return p, nil
}

// whyNoPage is what a reader is told in place of a page.
var whyNoPage = map[string]string{
	TextErased:  "the page was erased with the texts of its task",
	TextExpired: "the page is not kept any more",
	TextNone:    "the turn has no page: the client sent the hash of one that nobody knew",
}

func (r Reader) page(ctx context.Context, tenant, id string, turn int) (TurnPage, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return TurnPage{}, err
	}
	began, err := h.turnsBegan()
	if err != nil {
		return TurnPage{}, err
	}
	turns, _, err := h.turns(began, turn, 1)
	if err != nil {
		return TurnPage{}, err
	}
	if len(turns) == 0 || turns[0].Turn != turn {
		last := 0
		if len(began) > 0 {
			last = began[len(began)-1].turn
		}
		return TurnPage{}, noTurn(turn, last)
	}
	body, state, err := r.kept(ctx, tenant, h.id, turns[0].Before.Page)
	if err != nil {
		return TurnPage{}, err
	}
	if state != TextKept {
		return TurnPage{}, domain.Errorf(domain.NotFound, domain.CodeNotFound, "%s", whyNoPage[state])
	}
	p := TurnPage{TaskID: h.id, Turn: turn}
	if err := json.Unmarshal(body, &p.Capture); err != nil {
		return TurnPage{}, err
	}
	p.Capture = p.Capture.MapText(h.secrets.Cut)
	for _, a := range turns[0].Actions {
		p.Target = a.TargetID
	}
	return p, nil
}
