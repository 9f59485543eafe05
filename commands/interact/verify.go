package interact

import (
	"context"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// runVerify judges what is under judgement by what was observed since. A look at
// the page that came between has its own verdict first.
func runVerify(ctx context.Context, t *turn) (outcome, error) {
	if err := t.judgeLook(); err != nil {
		return "", err
	}
	v := t.judge(ctx)
	v, _ = v.Sanitised()
	v = v.Patiently(t.patience()).LookAhead(t.pending.Expected.NextGoal, t.now)
	v = t.proven(v)
	v.Reason = conceal(v.Reason, t.secrets())
	if v.Tier == 1 {
		v.TokensSaved = modelVerdictTokens + prompt.Tokens(strings.Join(texts(t.observations), "\n"))
	}
	t.verdict = &v
	t.tokens = t.tokens.Plus(v.Tokens)
	if err := t.do(task.RecordVerdict{Step: t.pending.Step, Verdict: v, Observations: t.seen()}); err != nil {
		return "", err
	}
	t.answer.Verification = &Verification{
		Outcome: string(v.Outcome()), Missing: string(v.Missing), Evidence: v.Proof.Quote, Rule: v.Rule,
		Success: v.ActionSucceeded, ActionSucceeded: v.ActionSucceeded, TaskCompleted: v.TaskCompleted,
		SubTaskCompleted: v.SubTaskCompleted, NextGoalMet: v.NextGoalMet,
		Confidence: v.Confidence, Reason: v.Reason, Observations: t.seen(),
		Tier: v.Tier, TokensSaved: v.TokensSaved,
	}
	switch v.Outcome() {
	case reasoning.Undecided:
		return undecided, nil
	case reasoning.Failed:
		return failed, nil
	}
	if v.TaskCompleted && !t.state.Unsettled { // an older submission may still be open
		return goalAchieved, nil
	}
	return succeeded, nil
}

// modelVerdictTokens is about what a model's full verdict takes beside the
// observations: 385 of instructions, then the goal, the action, fences and answer.
const modelVerdictTokens = 480

// judgeLook gives a wait, a scroll or a hover that came after the action under
// judgement its own verdict: it worked unless the client says otherwise.
func (t *turn) judgeLook() error {
	step, a, pending := t.state.Pending()
	if !pending || step.Index == t.pending.Step {
		return nil
	}
	v := reasoning.Verdict{
		Confidence: 0.95, Tier: 1, Rule: "nothing to verify", By: reasoning.ByDefault,
		Reason: string(a.Kind) + " needs no check, and no error was reported.",
	}
	if w := t.in.Witness; w.Error != nil || w.Status == "failure" {
		v.Confidence, v.Rule, v.Reason = 0.05, "client reported an error", "The browser could not do it."
	}
	return t.do(task.RecordVerdict{Step: step.Index, Verdict: v})
}

// judge asks the user's word, or else the reasoner. Where nobody can tell, the
// verdict is undecided.
func (t *turn) judge(ctx context.Context) reasoning.Verdict {
	said, told := t.usersWord()
	if told && !t.pageDenies(said) {
		return said
	}
	act, err := action.Parse(t.pending.Action)
	if err != nil {
		return unknownVerdict("What was done before cannot be read any more.")
	}
	v, err := t.Reasoner.Verify(ctx, reasoning.VerifyQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies,
		Action: act, Target: t.target(), Thought: t.pending.Thought, Expected: t.pending.Expected,
		Before: t.before(), Page: t.now, Witness: t.witness,
		Observations: t.observations, Steps: t.steps(), Final: t.pending.Final,
		MaySubmit: t.pending.MaySubmit, Looks: t.pending.Looks, MayLook: t.pending.Looks < t.Limits.MaxLooks,
	})
	if err != nil {
		t.tokens = t.tokens.Plus(v.Tokens)
		v = unknownVerdict("Nobody could be asked whether it worked.")
	}
	if told {
		return weigh(said, v)
	}
	return v
}

// pageDenies reports a message, come up since the action, that says the opposite of
// what the user said.
func (t *turn) pageDenies(said reasoning.Verdict) bool {
	denies := page.AlertError
	if said.Confidence < reasoning.SuccessThreshold {
		denies = page.AlertSuccess
	}
	return slices.ContainsFunc(t.observations, func(o page.Observation) bool { return o.Kind == page.AlertAppeared && o.Alert == denies })
}

// weigh is the verdict where both the user and the page say how it went. An error that
// the page shows counts; a success does not count against the user's no, which leaves
// the matter open.
func weigh(said, shown reasoning.Verdict) reasoning.Verdict {
	shown, _ = shown.Sanitised()
	tokens := shown.Tokens
	clean, _ := said.Sanitised()
	switch {
	case shown.Outcome() == reasoning.Undecided || shown.Outcome() == clean.Outcome():
		said.Tokens = tokens
		return said
	case shown.Outcome() == reasoning.Failed:
		return shown
	}
	open := unknownVerdict("You said that it did not work, but: " + shown.Reason)
	open.Tokens = tokens
	return open
}

func unknownVerdict(reason string) reasoning.Verdict {
	return reasoning.Verdict{Undecided: true, Reason: reason, Tier: 1, By: reasoning.ByDefault}
}

// usersWord is the verdict of a user who was asked whether it worked and said so
// plainly.
func (t *turn) usersWord() (reasoning.Verdict, bool) {
	if !t.state.Told {
		return reasoning.Verdict{}, false
	}
	v := reasoning.Verdict{Tier: 1, By: reasoning.ByUserWord, Rule: "the user said so"}
	switch t.lastReply() {
	case page.True:
		v.Confidence, v.Reason = 0.95, "You said that it worked."
	case page.False:
		v.Confidence, v.Reason = 0.05, "You said that it did not work."
	default:
		return v, false
	}
	return v, true
}

// lastReply is what the user's newest message says to whether something worked.
func (t *turn) lastReply() page.Truth {
	if len(t.state.Replies) == 0 {
		return page.Unknown
	}
	return reasoning.ReadReply(t.state.Replies[len(t.state.Replies)-1])
}

func (t *turn) patience() reasoning.Patience {
	return reasoning.Patience{
		Looks: t.pending.Looks, MaxLooks: t.Limits.MaxLooks, MaySubmit: t.pending.MaySubmit, Silent: t.witness.Silent(),
	}
}

// evidence is where what was claimed can be looked for.
func (t *turn) evidence() reasoning.Evidence {
	return reasoning.Evidence{Page: t.now, Observations: t.observations, Witness: t.witness}
}

// proven is a verdict with the proof it rests on. Of a task said to be complete
// without anything to show for it, the action alone counts.
func (t *turn) proven(v reasoning.Verdict) reasoning.Verdict {
	if v.Outcome() != reasoning.Succeeded {
		v.Proof = reasoning.Proof{}
		return v
	}
	if v.By == reasoning.ByUserWord {
		v.Proof = reasoning.Proof{Source: reasoning.ByUser, Quote: t.state.Replies[len(t.state.Replies)-1]}
		return v
	}
	proof, found := t.evidence().Find(v.Proof.Quote)
	if !found && v.Tier == 1 { // a rule has looked at what changed
		proof, found = t.evidence().Best(v.Reason)
	}
	v.Proof, v.TaskCompleted = proof, v.TaskCompleted && found
	v.Proof.Quote = conceal(v.Proof.Quote, t.secrets())
	return v
}

// heard is what the client has reported of an action since it was done, without the
// messages that the page shows now.
func (t *turn) heard(j task.Judgement) page.Witness {
	w := t.in.Witness
	if j.Heard != nil {
		w = t.state.HeardOf(j)
		shown := func(text string) bool {
			return slices.ContainsFunc(t.now.Alerts, func(a page.Alert) bool { return a.Text == text })
		}
		for _, list := range []*[]string{&w.ErrorsDetected, &w.SuccessMessages, &w.RecentEvents} {
			*list = slices.DeleteFunc(slices.Clone(*list), shown)
		}
	}
	return w
}

// target is the element of the action under judgement as it was when the action was
// decided.
func (t *turn) target() page.Element {
	old := t.pending.Target
	e := page.Element{
		ID: old.ID, Key: old.Key, Role: old.Role, Name: old.Name, Group: old.Group,
		State: page.State{Secret: old.Secret},
	}
	if t.pending.Before == nil {
		return e
	}
	for _, d := range t.pending.Before.Skeleton.Elements {
		if d.Key == old.Key {
			e.Value, e.Href = d.Value, d.Href
			e.State.Checked, e.State.Expanded = d.Checked, d.Expanded
			e.State.Disabled, e.State.Selected, e.State.Invalid = d.Disabled, d.Selected, d.Invalid
			e.State.HasPopup = d.Popup
			break
		}
	}
	return e
}
