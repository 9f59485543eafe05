package interact

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// part is the current part of the task as whoever plans and acts sees it, nil if the
// task has no parts.
func (t *turn) part() *reasoning.Part {
	now, ok := t.state.Part()
	if !ok {
		return nil
	}
	p := &reasoning.Part{Number: t.state.Parts.Current + 1, Of: len(t.state.Parts.SubTasks), Goal: now.Goal, Outputs: now.Outputs}
	known := t.state.Parts.Inputs()
	for _, name := range slices.Sorted(maps.Keys(known)) {
		p.Known = append(p.Known, reasoning.Named{Name: name, Value: known[name]})
	}
	return p
}

// partGoal is what the current part is for, "" if the task has no parts.
func (t *turn) partGoal() string {
	now, _ := t.state.Part()
	return now.Goal
}

// isLastPart reports whether what is done now ends the task, and not only a part of it.
func (t *turn) isLastPart() bool {
	_, inPart := t.state.Part()
	return !inPart || t.state.Parts.IsLast()
}

// mayEnd reports whether a verdict may end the task: no part of it is left or undone, and
// the last has nothing to give, which whoever acts says with finish.
func (t *turn) mayEnd() bool {
	now, inPart := t.state.Part()
	return t.state.Parts == nil || inPart && t.isLastPart() && len(now.Outputs)+len(t.state.Parts.Undone()) == 0
}

// unfinishedPart is the goal of the current part if others come after it: what is done
// then is that part, and not the task.
func (t *turn) unfinishedPart() string {
	if t.isLastPart() {
		return ""
	}
	return t.partGoal()
}

// finished ends the task, or its current part if others are left, with what was said and
// what proves it. What a part gives goes through its checkpoint first, and so does the
// last message of a task with parts (spec: checkpoints 2 and 3).
func (t *turn) finished(answer reasoning.ActAnswer, end task.Complete) (outcome, error) {
	now, inPart := t.state.Part()
	if !inPart {
		return t.endTask(end)
	}
	verdict, issues := now.CheckOutput(answer.Outputs, end.Confidence, t.state.OutputRetries, t.stands)
	err := t.do(task.CheckOutput{Checked: task.SubTaskOutputChecked{
		Attempt: t.state.OutputRetries + 1, Overall: end.Confidence, Verdict: verdict, By: answer.By, Issues: concealAll(issues, t.secrets()),
	}})
	switch {
	case err != nil:
		return "", err
	case verdict == plan.Retry:
		return t.sendBack(issues)
	case verdict == plan.Fail:
		return t.failPart(strings.Join(issues, " "))
	case t.isLastPart() && len(t.state.Parts.Undone()) == 0:
		message, verdict, err := t.checkSynthesis(answer, end.Message)
		if err != nil || verdict == plan.Retry {
			return sentBack, err
		}
		end.Message = message
	}
	if err := t.do(task.CompletePart{Outputs: answer.Outputs}); err != nil {
		return "", err
	}
	if _, more := t.state.Part(); more {
		return t.nextPart()
	}
	if undone := t.state.Parts.Undone(); len(undone) > 0 {
		return t.endUndone(undone)
	}
	return t.endTask(end)
}

// sendBack asks for another answer, by what is wrong with this one.
func (t *turn) sendBack(issues []string) (outcome, error) {
	t.objections = append(t.objections, issues...)
	return sentBack, nil
}

// checkSynthesis compares the last message with what the parts gave and the page shows.
// A message that cannot be traced to them is sent back, and in the end replaced by what
// they gave.
func (t *turn) checkSynthesis(answer reasoning.ActAnswer, message string) (string, plan.CheckVerdict, error) {
	score, unsupported := plan.Traceability(message, t.known(answer.Outputs)...)
	unsupported = slices.DeleteFunc(unsupported, func(claim string) bool { return t.stands(claim) })
	if len(unsupported) == 0 {
		score = 1
	}
	verdict := plan.CheckSynthesis(score, t.syntheses)
	t.syntheses++
	var issues []string
	for _, claim := range unsupported {
		issues = append(issues, fmt.Sprintf("Your message says %q, which nothing that was found shows.", claim))
	}
	err := t.do(task.CheckSynthesis{Checked: task.SynthesisChecked{
		Attempt: t.syntheses, Overall: score, Verdict: verdict, By: reasoning.ByRules, Issues: concealAll(issues, t.secrets()),
	}})
	switch verdict {
	case plan.Retry:
		t.objections = append(t.objections, issues...)
	case plan.Fail:
		message = t.endMessage("It is done, but I could not check all that I would have told you about it. This is what I found: "+t.values(answer.Outputs), "")
	}
	return message, verdict, err
}

// values lists what the parts gave.
func (t *turn) values(newest map[string]string) string {
	all := maps.Clone(t.state.Parts.Values)
	maps.Copy(all, newest)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, name+": "+page.Cut(page.Clean(all[name]), maxTitle))
	}
	if len(out) == 0 {
		return "nothing."
	}
	return strings.Join(out, "; ") + "."
}

// known are the texts besides the page that a value may stand in. What the agent noted is
// none of them: it would vouch for itself.
func (t *turn) known(newest map[string]string) []string {
	out := append([]string{t.state.Query}, t.state.Replies...)
	out = slices.AppendSeq(out, maps.Values(t.state.Parts.Values))
	out = slices.AppendSeq(out, maps.Values(newest))
	for _, s := range t.state.Searches {
		for _, r := range s.Results {
			out = append(out, r.Title, r.Snippet)
		}
	}
	for _, c := range t.chunks {
		out = append(out, c.Text)
	}
	return out
}

// stands reports whether a value stands on the page, or was known before.
func (t *turn) stands(value string) bool {
	if _, found := t.evidence().Find(value); found {
		return true
	}
	_, known := reasoning.Evidence{Page: page.Page{Text: strings.Join(t.known(nil), "\n")}}.Find(value)
	return known
}

// failPart gives the current part up and goes on with one that does not need it, if
// there is one.
func (t *turn) failPart(why string) (outcome, error) {
	if err := t.do(task.FailPart{Why: conceal(why, t.secrets())}); err != nil {
		return "", err
	}
	if _, more := t.state.Part(); more {
		return t.nextPart()
	}
	return t.endUndone(t.state.Parts.Undone())
}

// nextPart goes on with the next part, for which nothing of this one's plan holds.
func (t *turn) nextPart() (outcome, error) {
	t.replan, t.planDoubt, t.deferredBy, t.objections = "", plan.Health{}, "", nil
	return partOver, nil
}

// endUndone ends a task of which parts are not done, and says which and why.
func (t *turn) endUndone(undone []plan.SubTask) (outcome, error) {
	var out []string
	for _, s := range undone {
		out = append(out, s.Goal+" ("+strings.TrimSuffix(s.Why, ".")+")")
	}
	message := "I could not do all of it. Not done: " + strings.Join(out, "; ") + "."
	if len(t.state.Parts.Values) > 0 {
		message += " This is what I found: " + t.values(nil)
	}
	return t.endTask(fail(domain.CodeGaveUp, t.endMessage(message, "")))
}

// afterPart moves on after a verdict on an action of a part: the part is done by it, or
// has used up its actions. It returns "" if the part goes on.
func (t *turn) afterPart(v reasoning.Verdict) (outcome, error) {
	now, ok := t.state.Part()
	if !ok || v.Outcome() == reasoning.Undecided {
		return "", nil
	}
	completed := v.Outcome() == reasoning.Succeeded && v.SubTaskCompleted != nil && *v.SubTaskCompleted
	if completed && len(now.Outputs) == 0 && !t.isLastPart() {
		if err := t.do(task.CompletePart{}); err != nil {
			return "", err
		}
		return t.nextPart()
	}
	if why, spent := t.state.Parts.Spent(); spent {
		return t.failPart(why)
	}
	return "", nil
}
