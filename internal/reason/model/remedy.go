package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/value"
)

// readCorrection reads and checks an answer. Its errors are written for the model.
func readCorrection(answer string, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	o, err := readObject(answer, "strategy")
	if err != nil {
		return reasoning.Correction{}, err
	}
	said := map[string]string{}
	for _, k := range []string{"strategy", "reason", "thought", "expected", "question"} {
		text, err := readText(o, k)
		if err != nil {
			return reasoning.Correction{}, err
		}
		said[k] = prompt.Clip(blankSecrets(q.On, text), maxThought)
	}
	c := reasoning.Correction{
		Strategy: reasoning.Strategy(strings.ToUpper(said["strategy"])), Reason: said["reason"], Thought: said["thought"],
		Expected: page.Outcome{Description: said["expected"]}, SkillsUsed: skillsUsed(o["hints"], q.Skills),
	}
	if note, err := readText(o, "note"); err == nil { // it is a help, and not worth asking again
		c.Note = prompt.Clip(blankSecrets(q.On, note), reasoning.MaxNote)
	}
	var given action.Action
	if raw := o["action"]; raw != nil && !isEmpty(raw) {
		if given, err = readAction(raw); err != nil {
			return reasoning.Correction{}, err
		}
		given = unmaskSecrets(q.On, given)
	}
	switch c.Strategy {
	case reasoning.GatherInformation:
		if given.LooksUp() {
			c.Action = given
			return c, given.Validate()
		}
		if given.Name != "" {
			return c, fmt.Errorf("%s has no action but find and more", c.Strategy)
		}
		if c.Reason = said["question"]; c.Reason == "" {
			return c, errors.New(`there is no "question"`)
		}
		return c, nil
	case reasoning.GiveUp:
		return giveUp(c, given)
	}
	if c.Action, err = retry(c.Strategy, given, q); err != nil {
		return c, err
	}
	return c, checkRetry(c.Action, q)
}

// giveUp ends the task. The reason for the user may be in either place.
func giveUp(c reasoning.Correction, given action.Action) (reasoning.Correction, error) {
	switch {
	case given.Name == action.Fail:
		c.Reason = prompt.Clip(given.Text, maxThought)
	case given.Name != "":
		return c, fmt.Errorf("%s ends the task and has no action", c.Strategy)
	case c.Reason == "":
		return c, errors.New(`there is no "reason"`)
	}
	c.Action = action.Action{Name: action.Fail, Text: c.Reason}
	return c, c.Action.Validate()
}

// maxDelay is the longest wait of a correction, in seconds.
const maxDelay = 10

// retry returns the action of a strategy. It may be left out if the strategy implies
// it.
func retry(s reasoning.Strategy, given action.Action, q reasoning.CorrectQuestion) (action.Action, error) {
	none := given.Name == ""
	switch s {
	case reasoning.RetryWithDelay:
		switch {
		case none:
			return nextWait(q), nil
		case given.Name != action.Wait || given.Seconds > maxDelay:
			return given, fmt.Errorf("%s goes with wait(seconds), at most %d; what was tried is not tried again", s, maxDelay)
		}
	case reasoning.RefreshPage:
		again := action.Action{Name: action.Navigate, Text: q.Page.URL}
		if !none && given != again {
			return given, fmt.Errorf("%s loads this page again and has no action", s)
		}
		return again, nil
	case reasoning.ScrollIntoView:
		if given.Name != action.Scroll {
			return given, fmt.Errorf(`%s goes with scroll("id") or scroll()`, s)
		}
	case reasoning.AlternativeSelector:
		if given.Target == "" {
			return given, fmt.Errorf(`%s goes with an action on an element, such as click("14")`, s)
		}
	case reasoning.AlternativeTool, reasoning.UpdatePlan:
		if none {
			return given, fmt.Errorf("%s goes with an action", s)
		}
	default:
		return given, fmt.Errorf("%q is not one of the strategies", prompt.Clip(string(s), maxCode))
	}
	return given, nil
}

// nextWait returns the first of growing waits that was not tried, or else the last
// one, which is then refused.
func nextWait(q reasoning.CorrectQuestion) action.Action {
	var wait action.Action
	for _, seconds := range []float64{1, 2, 4} {
		wait = action.Action{Name: action.Wait, Seconds: seconds}
		if !wasTried(wait, q) {
			break
		}
	}
	return wait
}

// checkRetry refuses actions that cannot be a retry: those that end the task or run
// on the server, those the page does not have, and those already tried.
func checkRetry(a action.Action, q reasoning.CorrectQuestion) error {
	if err := a.Validate(); err != nil {
		return err
	}
	if a.EndsTask() || a.OnServer() {
		return fmt.Errorf("%s is no way to correct a step", a.Name)
	}
	if wasTried(a, q) {
		return fmt.Errorf("%s was tried in this step and did not work", a)
	}
	return checkAction(a, reasoning.ActQuestion{Query: q.Query, Answers: q.Answers, Page: q.Page, Client: q.Client})
}

// wasTried compares values entered into a secret field by the field alone: no
// record says what they were.
func wasTried(a action.Action, q reasoning.CorrectQuestion) bool {
	e, _ := q.Page.ByID(a.Target)
	if text, err := value.ForControl(a.Text, e); err == nil && a.Name == action.SetValue {
		a.Text = text // as it would be handed to the client, and was before
	}
	return slices.ContainsFunc(tried(q), func(t action.Action) bool {
		return t == a || e.State.Secret && t.Name == a.Name && t.Target == a.Target
	})
}
