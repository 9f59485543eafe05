package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Purposes of the calls, as the ledger names them (spec: actionType).
const (
	purposeAct     = "ACTION_GENERATION"
	purposeVerify  = "VERIFICATION"
	purposeCorrect = "SELF_CORRECTION"
)

// asking is one question to the model.
type asking struct {
	on      reasoning.On
	purpose string
	role    llm.Role
	prompt  wording
	fields  map[string]string
	// image goes along with the text; it is what the question shows, not what it
	// is about, so it is no part of its identity.
	image []llm.Part
	// check reads an answer; what it read is kept by whoever made it.
	check func(answer string) error
}

// reply is who answered, and what the asking used.
type reply struct {
	by string
	// degraded: the model that thinks was out of reach, and another answered.
	degraded bool
	tokens   reasoning.Tokens
}

// patience is how long one question may take, its repair included: a verdict
// and an action fit into the lease of a turn (120 s).
const patience = 50 * time.Second

// ask asks, and has an answer that cannot be used repaired once: a second call
// that is told what was wrong, and billed like any other.
func (r *Reasoner) ask(ctx context.Context, a asking) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	a.fields = veil(a.on, a.fields)
	about := identity(a.fields) // before fence makes the fields depend on each other
	fields := fence(a.on.Task+"/"+a.on.Request, a.fields)
	q := llm.Question{
		On: on(a.on), Purpose: a.purpose, Role: a.role,
		PromptName: a.prompt.name, PromptHash: a.prompt.hash,
		Request: a.prompt.request(fields), Check: a.check,
		Identity: about,
	}
	q.Request.User = append(q.Request.User, a.image...)
	answer, err := r.asker.Ask(ctx, q)
	var bad *llm.Error
	if err == nil || !errors.As(err, &bad) || bad.Kind != llm.Malformed && bad.Kind != llm.Truncated {
		return newReply(a.role, answer, err), err
	}
	again, err := r.asker.Ask(ctx, repaired(q, bad, a.on))
	out := newReply(a.role, again, err)
	out.tokens = out.tokens.Plus(tokens(bad.Usage))
	return out, err
}

// identity is the question without its hints: what was learnt between a crash and
// the turn's second run must not make it another question, to be paid again.
func identity(fields map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "Hints" {
			fmt.Fprintf(&b, "%s %d:%s", name, len(fields[name]), fields[name])
		}
	}
	return b.String()
}

// repaired is the question with what was wrong about its answer. An answer that
// was cut off is given twice the room.
func repaired(q llm.Question, bad *llm.Error, on reasoning.On) llm.Question {
	why := bad.Error()
	switch {
	case bad.Kind == llm.Truncated:
		why = "it was cut off at the limit: be shorter"
		q.Request.MaxOutputTokens *= 2
	case bad.Cause != nil:
		why = bad.Cause.Error()
	}
	fields := fence(q.On.Task+"/"+q.On.Request, veil(on, map[string]string{
		"Why":    prompt.Clip(why, 400), // it may quote the page: the options of a list
		"Answer": cutBytes(bad.Answer, maxRepaired),
	}))
	q.Request.User = append(q.Request.User[:len(q.Request.User):len(q.Request.User)], llm.Part{Text: fill(repair, fields)})
	q.PromptName += repairSuffix
	q.Identity += identity(fields)
	return q
}

// maxRepaired is how much of an unusable answer is shown again, in bytes.
const maxRepaired = 2_000

// cutBytes cuts at most at a number of bytes, between characters.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// newReply counts what was used, which an answer that is no good tells too.
func newReply(role llm.Role, a llm.Answer, err error) reply {
	used := a.Usage
	var bad *llm.Error
	if errors.As(err, &bad) {
		used = bad.Usage
	}
	return reply{by: a.Model, degraded: a.Fallback && role == llm.Smart, tokens: tokens(used)}
}

func tokens(u *llm.Usage) reasoning.Tokens {
	if u == nil {
		return reasoning.Tokens{}
	}
	return reasoning.Tokens{Prompt: u.Input(), Completion: u.Outputs()}
}
