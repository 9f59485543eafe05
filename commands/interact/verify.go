package interact

import (
	"context"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// runVerify gives a verdict on the action under judgement. A wait, scroll or hover
// that came after it gets its own verdict first.
func runVerify(ctx context.Context, t *turn) (outcome, error) {
	if err := t.judgeLook(); err != nil {
		return "", err
	}
	if err := t.followChain(); err != nil {
		return "", err
	}
	v := t.judge(ctx)
	if v.Deferred {
		return deferred, nil
	}
	if err := t.record(v); err != nil {
		return "", err
	}
	v = *t.verdict
	if t.chainStands(v) {
		return stopped, nil
	}
	if v.GoalAchieved() && !t.state.SubmitUndecided && t.mayEnd() { // an older submission may still be open
		return goalAchieved, nil
	}
	if left, err := t.afterPart(v); left != "" || err != nil {
		return left, err
	}
	switch v.Outcome() {
	case reasoning.Undecided:
		return undecided, nil
	case reasoning.Failed:
		return failed, nil
	}
	return succeeded, nil
}

// record records a verdict on the action under judgement and puts it into the answer.
func (t *turn) record(v reasoning.Verdict) error {
	v, _ = v.Sanitised()
	v = v.WithPatience(t.patience()).LookAhead(t.pending.Expected.NextGoal, t.now)
	v = t.state.WithoutBlame(t.pending.Attempt, v)
	v = t.withProof(v)
	if t.now.Partial() && v.By != reasoning.ByUserWord { // what is left to do may be on the rest
		v.TaskCompleted = false
	}
	v.Reason = conceal(v.Reason, t.secrets())
	if v.Tier == 1 {
		v.TokensSaved = modelVerdictTokens + prompt.Tokens(strings.Join(texts(t.observations), "\n"))
	}
	t.verdict = &v
	t.tokens = t.tokens.Plus(v.Tokens)
	t.answer.Verification = &Verification{
		Outcome: string(v.Outcome()), Missing: string(v.Missing), Evidence: v.Proof.Quote, Rule: v.Rule, Veto: v.Veto,
		Success: v.ActionSucceeded, ActionSucceeded: v.ActionSucceeded, TaskCompleted: v.TaskCompleted,
		SubTaskCompleted: v.SubTaskCompleted, NextGoalMet: v.NextGoalMet,
		Confidence: v.Confidence, Reason: v.Reason, Observations: t.observationTexts(),
		Tier: v.Tier, TokensSaved: v.TokensSaved, Items: v.Items,
	}
	return t.do(task.RecordVerdict{Step: t.pending.Step, Verdict: v, Observations: t.observationTexts()})
}

// mayDefer reports whether the verdict on the action under judgement and the next action
// may be one question to a model. Where a part or a submission hangs on the verdict,
// it is a question of its own.
func (t *turn) mayDefer() bool {
	return t.OneCall && t.state.Parts == nil && !t.pending.MaySubmit && !t.pending.IsChain()
}

// judgeWithNext is the question for the verdict that was deferred to the next action,
// nil if there is none.
func (t *turn) judgeWithNext() *reasoning.JudgeQuestion {
	if t.verdict != nil || t.deferredBy == "" {
		return nil
	}
	act, _ := action.Parse(t.deferredBy)
	return &reasoning.JudgeQuestion{Action: act, Target: t.elementBefore(t.pending.Target), Expected: t.pending.Expected.Description}
}

// recordDeferred records the verdict that came with the next action. It returns "" if
// the action worked, or where the turn goes on instead of doing the next one.
func (t *turn) recordDeferred(last *reasoning.Verdict, by string) (outcome, error) {
	v := unknownVerdict("I could not find out whether it worked.")
	if last != nil {
		v = *last
		v.By = by
	}
	if err := t.record(v); err != nil {
		return "", err
	}
	switch t.verdict.Outcome() {
	case reasoning.Undecided:
		return undecided, nil
	case reasoning.Failed:
		return failed, nil
	}
	return "", nil
}

// modelVerdictTokens is roughly what a model's verdict takes beside the observations:
// 385 tokens of instructions, then the goal, the action, fences and the answer.
const modelVerdictTokens = 480

// judgeLook gives a wait, scroll or hover after the action under judgement its own
// verdict: it worked unless the client reports otherwise.
func (t *turn) judgeLook() error {
	step, _, pending := t.state.Pending()
	if !pending || step.Index == t.pending.Step {
		return nil
	}
	v := reasoning.Verdict{
		Confidence: 0.95, Tier: 1, Rule: "no-effect-to-check", By: reasoning.ByDefault,
		Reason: "This step needs no check, and the browser reported no error.",
	}
	if w := t.in.Witness; w.Error != nil || w.Status == "failure" {
		v.Confidence, v.Rule, v.Reason = 0.05, "client-error", "The browser could not do it."
	}
	return t.do(task.RecordVerdict{Step: step.Index, Verdict: v})
}

// judge returns the user's verdict, or else the reasoner's. It is undecided if
// neither can tell.
func (t *turn) judge(ctx context.Context) reasoning.Verdict {
	said, told := t.userVerdict()
	if told && !t.pageContradicts(said) {
		return said
	}
	printed, on, executed := t.underJudgement()
	act, err := action.Parse(printed)
	if err != nil {
		return unknownVerdict("The last action can no longer be read.")
	}
	v, err := t.Reasoner.Verify(ctx, reasoning.VerifyQuestion{
		MayDefer: !told && t.mayDefer(),
		On:       t.on(), Query: t.state.Query, Answers: t.state.Replies,
		Action: act, Target: t.elementBefore(on), Chain: executed, Thought: t.pending.Thought, Expected: t.pending.Expected,
		Before: t.beforePage(), Page: t.now, Witness: t.witness,
		Observations: t.observations, Steps: t.stepsBefore(), Final: t.pending.Final && !t.pending.Stopped(),
		MaySubmit: t.pending.MaySubmit, Looks: t.pending.Looks, MayLook: t.pending.Looks < t.Limits.MaxLooks,
		ModelAsked: t.pending.Verdict != nil && t.pending.Verdict.Tier > 1, SubTask: t.unfinishedPart(),
	})
	if err != nil {
		t.tokens = t.tokens.Plus(v.Tokens)
		v = unknownVerdict("I could not find out whether it worked.")
	}
	if told {
		return combineVerdicts(said, v)
	}
	if v.Deferred {
		t.deferredBy = printed
		if t.state.Plan != nil {
			t.planDoubt = plan.Check(t.beforePage(), t.now, t.pending.Expected)
		}
	}
	return v
}

// pageContradicts reports whether a message that appeared since the action
// contradicts the user.
func (t *turn) pageContradicts(said reasoning.Verdict) bool {
	denies := page.AlertError
	if said.Confidence < reasoning.SuccessThreshold {
		denies = page.AlertSuccess
	}
	return slices.ContainsFunc(t.observations, func(o page.Observation) bool { return o.Kind == page.AlertAppeared && o.Alert == denies })
}

// combineVerdicts combines the user's verdict with the page's. An error on the page
// wins over the user's yes; a success on the page against the user's no is undecided.
func combineVerdicts(said, shown reasoning.Verdict) reasoning.Verdict {
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

// userVerdict returns the verdict of a user who was asked whether the action worked
// and plainly said yes or no.
func (t *turn) userVerdict() (reasoning.Verdict, bool) {
	if !t.state.RepliedNow {
		return reasoning.Verdict{}, false
	}
	v := reasoning.Verdict{Tier: 1, By: reasoning.ByUserWord, Rule: "user-said-so"}
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

// lastReply reads the user's newest message as a yes or no.
func (t *turn) lastReply() page.Truth {
	if len(t.state.Replies) == 0 {
		return page.Unknown
	}
	return reasoning.ReadReply(t.state.Replies[len(t.state.Replies)-1])
}

func (t *turn) patience() reasoning.Patience {
	return reasoning.Patience{
		Looks: t.pending.Looks, MaxLooks: t.Limits.MaxLooks, MaySubmit: t.pending.MaySubmit, SawNoEffect: t.witness.SawNoEffect(),
	}
}

// evidence is where proofs are looked for.
func (t *turn) evidence() reasoning.Evidence {
	return reasoning.Evidence{Page: t.now, Observations: t.observations, Witness: t.witness}
}

// withProof adds the proof to a verdict. Without a proof a task does not count as
// completed, only the action as succeeded.
func (t *turn) withProof(v reasoning.Verdict) reasoning.Verdict {
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

// reportSince is what the client has reported since an action, without the messages
// the page still shows.
func (t *turn) reportSince(j task.Judgement) page.Witness {
	w := t.in.Witness
	if j.Reported != nil {
		w = t.state.ReportOf(j)
		shown := func(text string) bool { // after a partial page nothing of it counts as new
			return !j.Before.IsPartial() && slices.ContainsFunc(t.now.Alerts, func(a page.Alert) bool { return a.Text == text })
		}
		for _, list := range []*[]string{&w.ErrorsDetected, &w.SuccessMessages, &w.RecentEvents} {
			*list = slices.DeleteFunc(slices.Clone(*list), shown)
		}
	}
	return w
}

// elementBefore is an element of the action under judgement as it was when the action
// was decided.
func (t *turn) elementBefore(old task.Target) page.Element {
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
