package interact

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

// knowledgeWithin bounds the wait for what is known, and for keeping it: it helps but is
// not needed.
const knowledgeWithin = time.Second

// maxSought bounds how often a turn looks in documents for a value that is missing.
const maxSought = 3

// kindKnowledge is the kind of content of the pieces a task was shown.
const kindKnowledge = "knowledge"

// findKnowledge finds what is known of the page's site that fits the task (spec: step
// 1.4): once a turn, before anything is decided. Whoever plans and acts is shown it; of it
// the client is told only whether there is any. The pieces are kept before the event that
// refers to them, so that a replay decides by the same.
func (t *turn) findKnowledge(ctx context.Context) error {
	if t.pageUnknown {
		t.answer.HasOrgKnowledge = t.state.Knowledge.Known
		return nil
	}
	chunks, known, failed := t.askKnowledge(ctx, conceal(t.state.Query, t.secrets()))
	e := task.KnowledgeFound{For: reasoning.ForContext, Known: known, Failed: failed, Citations: reasoning.CitationsOf(chunks)}
	if !t.state.Knowledge.Has(e) && !t.keep(ctx, chunks, &e) {
		chunks, known, e = nil, false, task.KnowledgeFound{For: e.For, Failed: true}
	}
	t.chunks, t.answer.HasOrgKnowledge = chunks, known
	return t.do(task.FindKnowledge{Found: e})
}

// seekValue looks in documents for a value that is missing in the middle of the task
// (spec: dynamic interrupt), once a turn for each. It returns false if that brought
// nothing that was not shown before.
func (t *turn) seekValue(ctx context.Context, what string) (bool, error) {
	what = conceal(page.Clean(what), t.secrets())
	if t.Knowledge == nil || len(t.sought) == maxSought || slices.ContainsFunc(t.sought, func(s string) bool { return strings.EqualFold(s, what) }) {
		return false, nil
	}
	t.sought = append(t.sought, what)
	found, known, _ := t.askKnowledge(ctx, what)
	if reasoning.HasAll(t.chunks, found) {
		return false, nil
	}
	all := reasoning.Shown(reasoning.Together(found, t.chunks), prompt.Tokens)
	e := task.KnowledgeFound{For: reasoning.ForMissing, Value: what, Known: known || t.answer.HasOrgKnowledge, Citations: reasoning.CitationsOf(all)}
	if !t.keep(ctx, all, &e) {
		return false, nil
	}
	t.chunks, t.answer.HasOrgKnowledge = all, e.Known
	return true, t.do(task.FindKnowledge{Found: e})
}

// askKnowledge returns the pieces that fit, as they are shown: without secrets and within
// the bounds of a question. A store that fails is one that knows nothing; the decorator
// around the port logs it.
func (t *turn) askKnowledge(ctx context.Context, what string) (chunks []reasoning.Chunk, known, failed bool) {
	if t.Knowledge == nil {
		return nil, false, false
	}
	ctx, cancel := context.WithTimeout(ctx, knowledgeWithin)
	defer cancel()
	found, known, err := t.Knowledge.Find(ctx, t.in.Tenant, t.now.URL, what)
	if err != nil {
		return nil, false, true
	}
	set := secret.New(t.secrets()...)
	cut := slices.Clone(found[:min(len(found), 2*reasoning.MaxChunks)])
	for i := range cut {
		c := &cut[i]
		c.Title, c.Section, c.Text = set.Cut(c.Title), set.Cut(c.Section), set.Cut(c.Text)
	}
	return reasoning.Shown(cut, prompt.Tokens), known, false
}

// keep stores pieces and puts their ids and reference into the event. What could not be
// kept is not shown: nobody could tell later what a decision rested on.
func (t *turn) keep(ctx context.Context, chunks []reasoning.Chunk, e *task.KnowledgeFound) bool {
	if len(chunks) == 0 {
		return true
	}
	body, err := json.Marshal(chunks)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, knowledgeWithin)
	defer cancel()
	if e.Pieces, err = t.put(ctx, t.in, kindKnowledge, body); err != nil {
		return false
	}
	for _, c := range chunks {
		e.Chunks = append(e.Chunks, c.ID)
	}
	return true
}
