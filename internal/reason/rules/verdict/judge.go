// Package verdict tells by rules whether an action worked.
//
// A rule is a row: its id, the evidence it needs, how probable a success then is, and
// what it says. Evidence is a list of facts, small named predicates over what was seen
// before and after the action. The rules stand in one order, in rules.go; the first
// whose evidence holds speaks. A veto is a row too: where its evidence holds, a success
// that a rule has found is left undecided. The ids of both are in the verdict.
//
// What changed somewhere on the page is no proof: pages change by themselves. A rule
// that finds a success has to tie what it sees to the action.
package verdict

import (
	"context"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// rule is one way to tell how an action went.
type rule struct {
	id   string
	when []fact // all of it
	// chance is the probability that the action worked; 0 for a rule by which nobody
	// can tell from what was seen.
	chance float64
	says   string // with the subjects of say.go in braces
	// onPage: it believes what the page shows, which a server may yet refuse.
	// inMarkup: it goes by a change of the document.
	onPage, inMarkup bool
	// noEffect: by it nothing came of the action, which a slow page may still change.
	noEffect bool
	// given says why a rule stands that few recorded pages need: what it goes by is
	// given by the protocol or by HTML, or what it prevents cannot be undone.
	given   string
	example string // a recorded case on which it speaks
}

// unclear is the chance of a rule by which nobody can tell.
const unclear = 0

func (r rule) succeeds() bool { return r.chance >= reasoning.SuccessThreshold }

// veto is what speaks against a success that a rule has found.
type veto struct {
	id      string
	against func(rule) bool
	when    []fact
	says    string
	given   string
	example string
}

func anyRule(rule) bool    { return true }
func onPage(r rule) bool   { return r.onPage }
func inMarkup(r rule) bool { return r.inMarkup }

// Judgement is a verdict, and whether the page asks for a confirmation that nobody has
// given yet: then the action is no end of a task.
type Judgement struct {
	reasoning.Verdict
	Asks bool
}

// Judge tells by what changed, and by what the client witnessed, whether an action
// worked. Where no rule has its evidence the verdict is undecided, by no rule. The
// error is that of a context that ended before.
func Judge(ctx context.Context, q reasoning.VerifyQuestion) (Judgement, error) {
	e := read(q)
	v := reasoning.Verdict{Tier: 1, By: reasoning.ByRules, Rule: None}
	if e.partial() && !e.tells() {
		v.Reason = e.did() + ", and the part of the page that was sent does not show whether it worked."
		return e.undecided(v), ctx.Err()
	}
	r, ok := e.first(ctx)
	if err := ctx.Err(); err != nil {
		return Judgement{}, err
	}
	if !ok {
		v.Reason = e.did() + ", and something changed, but I cannot tell whether it worked."
		return e.undecided(v), nil
	}
	v.Rule, v.Confidence, v.Reason, v.NoEffect = r.id, r.chance, e.say(r.says), r.noEffect
	if r.chance == unclear {
		return e.undecided(v), nil
	}
	if r.succeeds() {
		if but, ok := e.vetoed(r); ok {
			v.Veto, v.Reason = but.id, v.Reason+" "+e.say(but.says)
			return e.undecided(v), ctx.Err()
		}
	}
	v.Proof.Quote = e.stateNow()
	v, _ = v.Sanitised()
	return Judgement{Verdict: v, Asks: v.ActionSucceeded && asksFirst.holds(e)}, ctx.Err()
}

// first is the rule that speaks.
func (e *evidence) first(ctx context.Context) (rule, bool) {
	for _, r := range rules {
		if ctx.Err() != nil {
			break
		}
		if e.all(r.when) {
			return r, true
		}
	}
	return rule{}, false
}

// vetoed is the first veto against a success of the rule.
func (e *evidence) vetoed(r rule) (veto, bool) {
	for _, v := range vetoes {
		if v.against(r) && e.all(v.when) {
			return v, true
		}
	}
	return veto{}, false
}

func (e *evidence) undecided(v reasoning.Verdict) Judgement {
	v.Undecided, v.Confidence, v.Missing = true, reasoning.FailureThreshold, e.missing()
	return Judgement{Verdict: v}
}

// missing is what an undecided verdict waits for.
func (e *evidence) missing() reasoning.Missing {
	switch {
	case noAnswerYet.holds(e), e.q.Witness.Status == "pending":
		return reasoning.MissingAnswer
	case len(e.waits) > 0 && !e.moved:
		return reasoning.MissingRest
	}
	return reasoning.MissingSign
}

// stateNow is what the element acted on shows of itself, where that is what the action
// was for: the value it holds, or that it is chosen.
func (e *evidence) stateNow() string {
	if t := e.target; e.present && (setsValue.holds(e) || t.State.Checked == "true" || t.State.Selected) {
		return t.Shown()
	}
	return ""
}

// IsClientError reports the id of a rule by which the client could not do the action.
func IsClientError(id string) bool { return id == clientError }

// IsPageError reports the id of a rule by which the page complained.
func IsPageError(id string) bool { return id == pageError || id == mixedMessage || id == fieldMarked }

// Ids that other rooms ask for.
const (
	clientError  = "client-error"
	pageError    = "page-says-error"
	mixedMessage = "page-says-both"
	fieldMarked  = "field-marked-wrong"
)
