package interact

import (
	"context"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/complexity"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// nextAction asks for the next action. If the answer is to look something up on the
// page, the same question is asked once more with that in it, without a round trip to
// the client: at most MaxLookUps times, and not for the same thing twice. After that
// the answer is returned as it is.
//
// Looking up is no event. What is looked up is in the page and in the answers, which
// are on the ledger: a turn that runs again asks the same questions and gets the paid
// answers.
func (t *turn) nextAction(ctx context.Context) (reasoning.ActAnswer, error) {
	q := t.actQuestion(ctx)
	for {
		q.LookedUp = t.lookUps
		answer, err := t.Reasoner.Act(ctx, q)
		t.tokens = t.tokens.Plus(answer.Tokens)
		t.takeNote(answer.Note)
		q.Note = orElse(t.note, q.Note)
		if err != nil || !answer.Action.LooksUp() || !t.lookUp(answer.Action) {
			return answer, err
		}
	}
}

// takeNote keeps the newest note for the next turn.
func (t *turn) takeNote(note string) {
	if note != "" {
		t.note = page.Cut(conceal(note, t.secrets()), reasoning.MaxNote)
	}
}

// lookUp notes what is to be looked up. It returns false if that was done before or is
// too much.
func (t *turn) lookUp(a action.Action) bool {
	if len(t.lookUps) == reasoning.MaxLookUps {
		return false
	}
	for _, done := range t.lookUps {
		if a.Name == action.Find && done.Name == a.Name && strings.EqualFold(strings.TrimSpace(done.Text), strings.TrimSpace(a.Text)) {
			return false
		}
	}
	t.lookUps = append(t.lookUps[:len(t.lookUps):len(t.lookUps)], a)
	return true
}

func (t *turn) actQuestion(ctx context.Context) reasoning.ActQuestion {
	return reasoning.ActQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies, Page: t.now, Screenshot: t.screenshot(ctx),
		Steps: t.steps(), LastObservations: t.observations, Skills: t.skillsShown,
		Plan: t.state.Plan, PlanDoubt: t.doubt(), MayReplan: t.mayReplan(), Objections: t.objections,
		Client: t.in.Client, MaySearch: t.maySearch(), Searches: t.searches(), Knowledge: t.chunks, Part: t.part(),
		Judge:  t.judgeWithNext(),
		Before: t.beforePage().Skeleton, Note: conceal(t.state.Note, t.secrets()), Simple: t.isSimple(),
		Step: len(t.state.Steps) + 1, StepsLeft: max(0, t.Limits.MaxSteps-len(t.state.Steps)-1), Now: t.userTime(),
	}
}

// userTime is the time in the user's zone.
func (t *turn) userTime() time.Time {
	now := t.Clock().UTC()
	if zone, err := time.LoadLocation(t.state.Timezone); err == nil && t.state.Timezone != "" {
		return now.In(zone)
	}
	return now
}

// askWhere asks the user for help if looking things up led nowhere.
func (t *turn) askWhere(a action.Action) (outcome, error) {
	question := "I looked through the page and did not find how to go on. What should I do there?"
	if a.Name == action.Find {
		question = "I looked for “" + page.Cut(page.Clean(a.Text), 80) + "” on this page and do not know how to go on. What should I do?"
	}
	return t.ask(question, nil)
}

// lookedUp are the look-ups of this turn as they are recorded.
func (t *turn) lookedUp() []string {
	var out []string
	for _, a := range t.lookUps {
		out = append(out, conceal(a.String(), t.secrets()))
	}
	return out
}

// isSimple reports a task for which a part of the page is enough (spec: complexity
// routing).
func (t *turn) isSimple() bool {
	return t.complexity().Class == complexity.Simple
}
