package rules

import (
	"context"
	"fmt"
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Verify judges an action by what changed and what the client witnessed. The
// first rule that has an opinion speaks; its name is in the verdict. With none
// it is Undecided. Its error is that of a context that ended before.
func (Reasoner) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	c := caseOf(q)
	c.ctx = ctx
	for _, r := range verdictRules {
		f, ok := r.judge(c)
		if err := ctx.Err(); err != nil {
			return reasoning.Verdict{}, err
		}
		if !ok {
			continue
		}
		if succeeds := !f.unsure && f.confidence >= reasoning.SuccessThreshold; succeeds {
			if but := c.doubt(r); but != "" {
				f, _ = unsure("%s %s", f.reason, but)
			}
		}
		v := reasoning.Verdict{Tier: 1, Rule: r.name, By: By, Confidence: f.confidence, Reason: f.reason, Undecided: f.unsure}
		if f.unsure {
			v.Missing = c.missing()
			return v, nil
		}
		v.NoEffect = slices.Contains(noEffectRules, r.name)
		v.Proof.Quote = c.stateNow()
		v, _ = v.Sanitised()
		if v.ActionSucceeded {
			c.completion(&v)
		}
		if v.TaskCompleted && c.asksFirst() { // a question nobody has answered is no end
			return reasoning.Verdict{Undecided: true, Tier: 1, Rule: r.name, By: By, Confidence: 0.5, Reason: f.reason, Missing: reasoning.MissingSign}, nil
		}
		return v, ctx.Err()
	}
	return reasoning.Verdict{
		Undecided: true, Tier: 1, By: By, Confidence: 0.5, Rule: "none", Missing: c.missing(),
		Reason: "Something changed, but I cannot tell whether it is what " + actionText(q) + " was for.",
	}, nil
}

// missing is what an undecided verdict waits for.
func (c *evidenceCase) missing() reasoning.Missing {
	switch {
	case c.unanswered(), c.q.Witness.Status == "pending":
		return reasoning.MissingAnswer
	case len(c.waits) > 0 && !c.moved:
		return reasoning.MissingRest
	}
	return reasoning.MissingSign
}

// stateNow is what the element acted on shows of itself, where that is what the action
// was for: the value it holds, or that it is chosen.
func (c *evidenceCase) stateNow() string {
	switch e := c.target; {
	case !c.present:
		return ""
	case c.q.Action.Name == action.SetValue, e.State.Checked == "true", e.State.Selected:
		return held(e)
	}
	return ""
}

// finding is what a rule has to say. Unsure: it knows that nobody can tell from
// what was observed.
type finding struct {
	confidence float64
	reason     string
	unsure     bool
}

func found(confidence float64, format string, args ...any) (finding, bool) {
	return finding{confidence: confidence, reason: fmt.Sprintf(format, args...)}, true
}

func unsure(format string, args ...any) (finding, bool) {
	return finding{confidence: 0.5, reason: fmt.Sprintf(format, args...), unsure: true}, true
}

func silent() (finding, bool) { return finding{}, false }

// verdictRule is one way to tell from a case how an action went.
type verdictRule struct {
	name  string
	judge func(*evidenceCase) (finding, bool)
	// byPage: it believes what the page shows, which a server may yet refuse.
	// byMarkup: it goes by a change of the document, which the client has seen.
	byPage, byMarkup bool
}

func byPage(r verdictRule) bool   { return r.byPage }
func byMarkup(r verdictRule) bool { return r.byMarkup }
func byWord(r verdictRule) bool   { return r.name == successRule }
func byNews(r verdictRule) bool   { return r.name == newsRule }

func byAny(verdictRule) bool { return true }

// Names of rules that a correction asks for.
const (
	clientErrorRule    = "client reported an error"
	errorRule          = "error after the action"
	nothingChangedRule = "nothing changed"
	nothingOfItRule    = "nothing came of it"
	promisedRule       = "promised more"
)

// noEffectRules are those by which nothing came of an action, which a slow page may
// still change.
var noEffectRules = []string{nothingChangedRule, nothingOfItRule, promisedRule}

// successRule goes by what the page says of it, newsRule by how much came.
const (
	successRule = "success message"
	newsRule    = "content appeared"
)

// verdictRules in the order they are asked: what the client could not do, what
// leaves nothing to see, refusals and errors before successes, what the action is
// for, and only then what else has changed. What changed somewhere on the page is
// no proof: pages change by themselves.
var verdictRules = []verdictRule{
	{name: clientErrorRule, judge: (*evidenceCase).clientError},
	{name: "nothing to verify", judge: (*evidenceCase).nothingToVerify},
	{name: "request refused", judge: (*evidenceCase).requestRefused},
	{name: "field holds the value", judge: (*evidenceCase).fieldValue},
	{name: errorRule, judge: (*evidenceCase).errorAppeared},
	{name: nothingChangedRule, judge: (*evidenceCase).nothingChanged},
	{name: "address opened", judge: (*evidenceCase).addressOpened},
	{name: successRule, judge: (*evidenceCase).successMessage, byPage: true},
	{name: "what was entered is shown", judge: (*evidenceCase).enteredIsShown, byPage: true, byMarkup: true},
	{name: "still under way", judge: (*evidenceCase).underWay},
	{name: "told instead of sent", judge: (*evidenceCase).toldInstead},
	{name: "choice state", judge: (*evidenceCase).choiceState, byPage: true},
	{name: "page opened", judge: (*evidenceCase).pageOpened},
	{name: "list opened", judge: (*evidenceCase).listOpened, byMarkup: true},
	{name: "field focused", judge: (*evidenceCase).fieldFocused},
	{name: "file or window", judge: (*evidenceCase).leftThePage},
	{name: "choice taken over", judge: (*evidenceCase).chosen},
	{name: "control changed", judge: (*evidenceCase).controlChanged, byPage: true},
	{name: "success said, not seen", judge: (*evidenceCase).saidOnly},
	{name: "closed by Escape", judge: (*evidenceCase).escaped, byMarkup: true},
	{name: "closed and no more", judge: (*evidenceCase).closedOnly},
	{name: "item gone", judge: (*evidenceCase).itemGone, byPage: true, byMarkup: true},
	{name: "confirmed and gone", judge: (*evidenceCase).confirmedGone},
	{name: "another one answered", judge: (*evidenceCase).anotherOne},
	{name: "fields changed", judge: (*evidenceCase).fieldsChanged},
	{name: "a field is asked for", judge: (*evidenceCase).fieldAsked},
	{name: "opened in place", judge: (*evidenceCase).openedInPlace, byPage: true, byMarkup: true},
	{name: newsRule, judge: (*evidenceCase).contentAppeared, byPage: true, byMarkup: true},
	{name: "content replaced", judge: (*evidenceCase).contentReplaced, byPage: true, byMarkup: true},
	{name: "moved in its list", judge: (*evidenceCase).movedInList},
	{name: "text beside the control", judge: (*evidenceCase).textBeside, byPage: true, byMarkup: true},
	{name: "client checked the outcome", judge: (*evidenceCase).sentinel},
	{name: "what was entered is lost", judge: (*evidenceCase).swallowed},
	{name: "a script gave up", judge: (*evidenceCase).scriptFailed},
	{name: nothingOfItRule, judge: (*evidenceCase).nothingOfIt},
	{name: promisedRule, judge: (*evidenceCase).promisedMore},
}

// now is the element the action was on, as it is on the page after it.
func (c *evidenceCase) now() (page.Element, bool) {
	q := c.q
	if id := q.Witness.RecoveredID; id != "" {
		if e, ok := q.Page.ByID(id); ok {
			return e, true
		}
	}
	if q.Before.Skeleton.Has(q.Target.Key) {
		e, ok, _ := c.again(q.Target.Key)
		return e, ok
	}
	for _, e := range q.Page.Elements {
		if q.Target.Key != "" && e.Key == q.Target.Key {
			return e, true
		}
	}
	if e, ok := q.Page.ByID(q.Action.Target); ok && e.Role == q.Target.Role {
		return e, true
	}
	return page.Element{}, false
}

// again looks on the page for an element of the page before.
func (c *evidenceCase) again(key string) (e page.Element, ok, twins bool) {
	if c.compared == nil {
		c.compared = page.Compare(c.q.Before.Skeleton, c.q.Page)
	}
	return c.compared.Find(key)
}

// completion lets the engine that acts look at the page with this action
// counted as done: when it would finish, the task is complete.
func (c *evidenceCase) completion(v *reasoning.Verdict) {
	q := c.q
	m := newView(c.ctx, reasoning.ActQuestion{
		Query: q.Query, Answers: q.Answers, Page: q.Page, Steps: withThis(q), LastObservations: q.Observations,
	}).next()
	if !m.ends() {
		return
	}
	v.TaskCompleted = true
	if m.quote != "" {
		v.Proof.Quote = m.quote
	}
	complete := "The task is complete: " + m.evidence + "."
	if shows(m.evidence, v.Reason) {
		v.Reason = complete // it says what the rule says
	} else {
		v.Reason += " " + complete
	}
}

// withThis are the steps with the judged one as a success at their end. It may
// be among them already, and after a failed step it is that one's correction.
func withThis(q reasoning.VerifyQuestion) []reasoning.Step {
	this := reasoning.Step{Action: q.Action, Target: page.Describe(q.Target), Verified: true, Succeeded: true}
	steps := q.Steps
	if n := len(steps); n > 0 {
		switch last := steps[n-1]; {
		case !last.Verified && last.Action == q.Action:
			this.Index, this.Correction = last.Index, last.Correction
			steps = steps[:n-1]
		case last.Verified && !last.Succeeded:
			this.Index, this.Correction = last.Index, string(reasoning.AlternativeTool)
		default:
			this.Index = last.Index + 1
		}
	}
	return append(steps[:len(steps):len(steps)], this)
}

func actionText(q reasoning.VerifyQuestion) string {
	switch d := page.Describe(q.Target); {
	case q.Action.Name == action.Press:
		return "pressing " + q.Action.Text
	case d != "":
		return string(q.Action.Name) + " on " + d
	}
	return string(q.Action.Name)
}

func isTrue(b *bool) bool  { return b != nil && *b }
func isFalse(b *bool) bool { return b != nil && !*b }
