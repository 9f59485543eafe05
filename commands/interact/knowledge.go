package interact

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// knowledgeWithin bounds the wait for what the organisation knows, which helps but is
// not needed.
const knowledgeWithin = time.Second

// knowledge is what the organisation knows that fits the task and the page (spec: step
// 1.4). It is asked for once a turn, is shown to whoever plans and acts, and never leaves
// the server; the client is told only whether there is any.
func (t *turn) knowledge(ctx context.Context) []reasoning.Chunk {
	if t.Knowledge == nil || t.knowledgeAsked {
		return t.chunks
	}
	t.knowledgeAsked = true
	ctx, cancel := context.WithTimeout(ctx, knowledgeWithin)
	defer cancel()
	chunks, known, err := t.Knowledge.Find(ctx, t.in.Tenant, t.now.URL, conceal(t.state.Query, t.secrets()))
	if err == nil { // the turn goes on without it
		t.chunks, t.answer.HasOrgKnowledge = chunks, known
	}
	return t.chunks
}
