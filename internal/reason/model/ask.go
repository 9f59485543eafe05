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
	purposeAct       = "ACTION_GENERATION"
	purposeVerify    = "VERIFICATION"
	purposeCorrect   = "SELF_CORRECTION"
	purposePlan      = "PLANNING"
	purposePlanCheck = "PLAN_VERIFICATION"
	purposeCritique  = "CRITIC"
)

// question is one question to the model.
type question struct {
	on      reasoning.On
	purpose string
	role    llm.Role
	prompt  wording
	fields  map[string]string
	// image is sent with the text. It is not part of the question's identity.
	image []llm.Part
	// check reads an answer and keeps the result.
	check func(answer string) error
}

// reply is who answered, and the tokens used.
type reply struct {
	by string
	// degraded: a fallback answered for the model that should have.
	degraded bool
	tokens   reasoning.Tokens
}

// patience bounds one question including its repair: a verdict and an action fit into
// a turn's lease (120 s).
const patience = 50 * time.Second

// ask asks the model. An unusable answer is repaired once, by a second call that says
// what was wrong and is billed like any other.
func (r *Reasoner) ask(ctx context.Context, a question) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	a.fields = maskSecrets(a.on, a.fields)
	about := identity(a.fields) // before fence makes the fields depend on each other
	fields := fence(a.on.Task+"/"+a.on.Request, a.fields)
	q := llm.Question{
		On: onOf(a.on), Purpose: a.purpose, Role: a.role,
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

// identity is the question without its hints and the time: skills learnt between a
// crash and the turn's second run must not make it another question, which would be
// paid again.
func identity(fields map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "Hints" && name != "Clock" {
			fmt.Fprintf(&b, "%s %d:%s", name, len(fields[name]), fields[name])
		}
	}
	return b.String()
}

// repaired is the question with what was wrong about its answer. After a truncated
// answer it allows twice the output.
func repaired(q llm.Question, bad *llm.Error, on reasoning.On) llm.Question {
	why := bad.Error()
	switch {
	case bad.Kind == llm.Truncated:
		why = "it was cut off at the limit: be shorter"
		q.Request.MaxOutputTokens *= 2
	case bad.Cause != nil:
		why = bad.Cause.Error()
	}
	fields := fence(q.On.Task+"/"+q.On.Request, maskSecrets(on, map[string]string{
		"Why":    prompt.Clip(why, 400), // it may quote the page: the options of a list
		"Answer": cutBytes(bad.Answer, maxRepaired),
	}))
	q.Request.User = append(q.Request.User[:len(q.Request.User):len(q.Request.User)], llm.Part{Text: fill(repair, fields)})
	q.PromptName += repairSuffix
	q.Identity += identity(fields)
	return q
}

// maxRepaired bounds how much of an unusable answer is quoted, in bytes.
const maxRepaired = 2_000

// cutBytes returns at most n bytes of s without splitting a character.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// newReply counts the tokens used, which unusable answers report too.
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
