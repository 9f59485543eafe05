package model

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
)

// Act asks for the next action. The answer is an action that is possible on the page,
// or a question to the user.
func (r *Reasoner) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	var got reasoning.ActAnswer
	task := renderTask(q.Query, q.Answers)
	view := prompt.View{Task: task, Tokens: r.PageTokens, Simple: q.Simple, Before: q.Before}
	reply, err := r.ask(ctx, question{
		on:      q.On,
		purpose: purposeAct,
		role:    llm.Fast, // spec §4.7.2: action generation is routine
		prompt:  actPrompt,
		fields: map[string]string{
			"Task":       task,
			"History":    renderSteps(q.Steps),
			"Changes":    renderObservations(q.LastObservations),
			"Hints":      renderSkills(q.Skills),
			"Plan":       renderPlanOf(q.Plan),
			"Doubt":      prompt.Clip(q.PlanDoubt, maxThought),
			"Objections": renderObjections(q.Objections),
			"Search":     renderSearches(q.Searches),
			"Judge":      renderJudge(q.Judge),
			"Known":      renderKnown(q.Knowledge),
			"Part":       renderPart(q.Part),
			"Offers":     renderOffers(q.Client, q.MaySearch),
			"Several":    renderSeveral(q.Client),
			"Page":       prompt.Page(q.Page, view).Text,
			"Found":      renderLookUps(q.LookedUp, q.Page, view),
			"Note":       prompt.Clip(q.Note, reasoning.MaxNote),
			"Clock":      renderClock(q),
			"Enough":     noMoreLookUps(q.LookedUp),
		},
		image: screenshot(q),
		check: func(answer string) (err error) {
			got, err = readAct(answer, q)
			return err
		},
	})
	if err != nil {
		return reasoning.ActAnswer{Tokens: reply.tokens}, failure(err)
	}
	got.By, got.Tokens = reply.by, reply.tokens
	return got, nil
}

// screenshot returns the screenshot of a page in mode hybrid. If it is not an image
// that models read it is left out, since the text is enough.
func screenshot(q reasoning.ActQuestion) []llm.Part {
	if q.Page.Mode != page.ModeHybrid || len(q.Screenshot) == 0 {
		return nil
	}
	image, err := llm.Image(q.Screenshot)
	if err != nil {
		return nil
	}
	return []llm.Part{image}
}

// readAct reads and checks an answer. Its errors are written for the model.
func readAct(answer string, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	if lacks, ok := readLack(answer, q); ok {
		return lacks, nil
	}
	o, err := readObject(answer, "action")
	if errors.Is(err, errKeys) {
		o, err = readObject(answer, "actions")
	}
	if err != nil {
		return reasoning.ActAnswer{}, err
	}
	list, err := readWritten(o)
	if err != nil {
		return reasoning.ActAnswer{}, err
	}
	a, err := actTexts(o, q.On)
	if err != nil {
		return reasoning.ActAnswer{}, err
	}
	a.Confidence = probability(confidenceOf(o))
	a.SkillsUsed = skillsUsed(o["hints"], q.Skills)
	a.PlanStep = planStepOf(o, q.Plan)
	a.Outputs = readOutputs(o, q)
	a.Last = readLast(o, q)
	a.Final, a.Expected.NextGoal = lookAhead(o)
	if len(list) == 0 {
		if a.Replan != "" && q.MayReplan {
			a.Final, a.Expected.NextGoal = false, nil
			return a, nil
		}
		if a.UserQuestion == "" {
			return reasoning.ActAnswer{}, errors.New(`there is neither an "action" nor a "question"`)
		}
		a.Final, a.Expected.NextGoal = false, nil
		return a, nil
	}
	a.UserQuestion, a.Missing, a.Replan = "", nil, "" // an action goes before a question
	if a.Action, err = readAction(list[0].Action); err != nil {
		return reasoning.ActAnswer{}, err
	}
	a.Description, a.CanFail = describeWritten(list[0], q.On), list[0].CanFail
	a.Action = unmaskSecrets(q.On, a.Action)
	if a.Action.Name == action.Finish {
		a.Proof = readQuote(o)
	}
	if a.Action.EndsTask() || a.Action.OnServer() { // nothing comes of it on the page
		a.Final, a.Expected.NextGoal = false, nil
	}
	if err := checkAction(a.Action, q); err != nil {
		return a, err
	}
	var whole bool
	if a.Next, whole = readFurther(list[1:], q); !whole { // what is said of all is not said of some
		a.Final, a.Expected.NextGoal = false, nil
	}
	return a, nil
}

// renderJudge is the last action if it is to be judged too.
func renderJudge(q *reasoning.JudgeQuestion) string {
	if q == nil {
		return ""
	}
	s := "action: " + describeAction(masked(q.Action, q.Target), page.Describe(q.Target))
	if q.Expected != "" {
		s += "\nexpected: " + prompt.Clip(q.Expected, maxName)
	}
	return s
}

// readLast reads the verdict on the last action, nil if it was not asked for or cannot
// be read: nobody knows then.
func readLast(o map[string]json.RawMessage, q reasoning.ActQuestion) *reasoning.Verdict {
	var said map[string]json.RawMessage
	if q.Judge == nil || json.Unmarshal(o["last"], &said) != nil {
		return nil
	}
	worked, err := readBool(said, "actionSucceeded")
	if err != nil {
		return nil
	}
	v, err := readConfidence(said, worked, false)
	if err != nil {
		return nil
	}
	v.Tier = lightTier
	return &v
}

// readLack reads an answer that says which value is missing to go on, instead of an
// action or within one: it is never typed.
func readLack(answer string, q reasoning.ActQuestion) (reasoning.ActAnswer, bool) {
	var a reasoning.ActAnswer
	said := answer
	if o, err := readObject(answer, "thought"); err == nil { // other fields quote the page
		said = string(o["action"]) + "\n" + string(o["actions"]) + "\n" + string(o["question"]) + "\n" + string(o["thought"])
		if texts, err := actTexts(o, q.On); err == nil {
			a = texts
		}
		a.Confidence, a.Last = probability(confidenceOf(o)), readLast(o, q)
	}
	what, ok := reasoning.ReadMissing(said)
	if !ok {
		return reasoning.ActAnswer{}, false
	}
	if _, again := reasoning.ReadMissing(a.UserQuestion); again {
		a.UserQuestion = ""
	}
	a.Lacks = prompt.Clip(blankSecrets(q.On, what), maxName)
	return a, true
}

func actTexts(o map[string]json.RawMessage, on reasoning.On) (reasoning.ActAnswer, error) {
	var a reasoning.ActAnswer
	for key, into := range map[string]*string{"thought": &a.Thought, "expected": &a.Expected.Description, "question": &a.UserQuestion} {
		s, err := readText(o, key)
		if err != nil {
			return a, err
		}
		*into = prompt.Clip(blankSecrets(on, s), maxThought)
	}
	if why, err := readText(o, "replan"); err == nil {
		a.Replan = prompt.Clip(blankSecrets(on, why), maxThought)
	}
	if note, err := readText(o, "note"); err == nil { // it is a help, and not worth asking again
		a.Note = prompt.Clip(blankSecrets(on, note), reasoning.MaxNote)
	}
	if raw := o["missing"]; raw != nil && json.Unmarshal(raw, &a.Missing) != nil {
		return a, errors.New(`"missing" has to be a list of strings`)
	}
	for i, m := range a.Missing {
		a.Missing[i] = prompt.Clip(blankSecrets(on, m), maxName)
	}
	return a, nil
}

// maxThought bounds each text for the user, in characters.
const maxThought = 500

func isEmpty(raw json.RawMessage) bool {
	var s string
	return len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &s) == nil && strings.TrimSpace(s) == ""
}

// skillsUsed maps the numbers of hints to skill ids. Unknown numbers are ignored.
func skillsUsed(raw json.RawMessage, skills []reasoning.Skill) []string {
	var numbers []int
	if json.Unmarshal(raw, &numbers) != nil {
		return nil
	}
	var out []string
	for _, n := range numbers {
		if n >= 1 && n <= min(len(skills), maxSkills) {
			out = append(out, skills[n-1].ID)
		}
	}
	return out
}

// probability returns a confidence, 0.5 if it is not one (spec §4.10.1).
func probability(c float64) float64 {
	v, _ := reasoning.Verdict{Confidence: c}.Sanitised()
	return v.Confidence
}

// renderPlanOf is renderPlan of a plan that there may be.
func renderPlanOf(p *plan.Plan) string {
	if p == nil {
		return ""
	}
	return renderPlan(*p)
}

// planStepOf reads the number of the plan's step an action is for, 0 for what is none.
func planStepOf(o map[string]json.RawMessage, p *plan.Plan) int {
	var n int
	if p == nil || json.Unmarshal(o["planStep"], &n) != nil || n < 1 || n > len(p.Steps) {
		return 0
	}
	return n
}
