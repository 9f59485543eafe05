package llm

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Take is a recorded attempt of a turn: what was asked, and how it ended.
type Take struct {
	Call, Purpose, PromptName, Model, Provider string
	Attempt                                    int
	Outcome                                    Outcome
	// Kept is the answer as KeepAnswer was given it, nil if none came or it is gone.
	Kept []byte
}

// Tape answers questions by recorded attempts, in the order in which they were made, and
// never asks anybody. It does not compare what the prompts say: a question that is worded
// otherwise today gets the answer of its old wording. It is for one turn, and safe for concurrent use.
type Tape struct {
	mu     sync.Mutex
	takes  []Take
	tokens func(string) int
	missed []Miss
}

// Miss is a question that nothing was recorded of, or whose answer is gone, with the
// tokens it would read, by estimate, and may write.
type Miss struct {
	Purpose       string
	Role          Role
	Input, Output int64
}

// NewTape returns a tape of the attempts of one turn, oldest first. Tokens estimates the
// tokens of a text.
func NewTape(takes []Take, tokens func(string) int) *Tape { return &Tape{takes: takes, tokens: tokens} }

// Missed are the questions without an answer, in the order in which they were asked.
func (t *Tape) Missed() []Miss {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.missed)
}

// Ask answers like a Client did: with the last attempt at the next recorded question of
// the same purpose and prompt, whatever the version of the prompt. A question nothing was
// recorded of, or whose answer is gone, is Unavailable.
func (t *Tape) Ask(_ context.Context, q Question) (Answer, error) {
	first, last, ok := t.take(q)
	if !ok {
		t.miss(q)
		return Answer{}, &Error{Kind: Unavailable, Msg: "nothing is recorded of this question"}
	}
	a := ask{Question: q, target: Target{Provider: last.Provider, Model: last.Model}}
	if last.Model != first.Model {
		a.fallback = 1
	}
	switch last.Outcome {
	case OutcomeOK, OutcomeSchemaInvalid, OutcomeTruncated, OutcomeBlocked:
	default:
		return Answer{}, &Error{Kind: Kind(last.Outcome), Msg: "as recorded"}
	}
	var r record
	if json.Unmarshal(last.Kept, &r) != nil || r.Completed.Call == "" {
		t.miss(q)
		return Answer{}, &Error{Kind: Unavailable, Msg: "the recorded answer is gone"}
	}
	return a.judge(r.Response, last.Call)
}

// take removes the next recorded question that fits from the tape, with all its attempts.
func (t *Tape) take(q Question) (first, last Take, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.takes {
		if t.takes[i].Purpose != q.Purpose || templateOf(t.takes[i].PromptName) != templateOf(q.PromptName) {
			continue
		}
		end := i + 1
		for end < len(t.takes) && t.takes[end].Attempt > 1 && t.takes[end].PromptName == t.takes[i].PromptName {
			end++
		}
		first, last = t.takes[i], t.takes[end-1]
		t.takes = append(t.takes[:i:i], t.takes[end:]...)
		return first, last, true
	}
	return first, last, false
}

func (t *Tape) miss(q Question) {
	m := Miss{Purpose: q.Purpose, Role: q.Role, Input: int64(t.tokens(q.Request.System)), Output: int64(q.Request.OutputLimit())}
	for _, part := range q.Request.User {
		m.Input += int64(t.tokens(part.Text))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.missed = append(t.missed, m)
}

// templateOf is the name of a prompt without its version: "act" of "act/9", "act+repair"
// of "act/9+repair".
func templateOf(name string) string {
	base, rest, _ := strings.Cut(name, "/")
	if _, suffix, ok := strings.Cut(rest, "+"); ok {
		return base + "+" + suffix
	}
	return base
}
