package interact_test

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// chainScenarios are the ways through the graph with several actions at once and with
// searches of the web.
func chainScenarios() map[string][]visit {
	const start, stops = "observe: nothing pending, plan: ready, act: proposed, review: decided", "observe: action pending, verify: chain stopped, go on with chain: "
	form, elsewhere := fields("Fields", "31", ""), fields("Fields", "41", "")
	stoppedAfter := func(last int) page.Witness {
		return page.Witness{
			Status: "failure", Error: &page.ActionError{Code: "ELEMENT_NOT_FOUND", Message: "it is gone"}, Chain: &page.ChainProgress{LastExecuted: last, Total: 3},
		}
	}
	fill := visit{on: &form, models: []string{saysFill}, status: "executing", edges: start}
	look := reasoning.ActAnswer{Action: action.Action{Name: action.GoogleSearch, Text: "wards"}, Thought: "I look it up.", By: "script"}
	return map[string][]visit{
		"a chain that worked": {fill, {
			on: &form, models: []string{itWorked, saysClick}, saw: page.Witness{Status: "success", Chain: &page.ChainProgress{LastExecuted: 2}},
			status: "executing", edges: "observe: action pending, verify: succeeded, plan: ready, act: proposed, review: decided",
		}},
		"a chain that goes on where its fields are now": {
			fill, {on: &elsewhere, models: []string{itWorked}, saw: stoppedAfter(0), status: "executing", edges: stops + "decided"},
		},
		"a chain whose rest is decided anew": {
			fill, {on: &form, models: []string{itWorked, saysClick}, saw: stoppedAfter(1), status: "executing", edges: stops + "succeeded, act: proposed, review: decided"},
		},
		"a chain that goes on past the last step": {
			fill, {on: &elsewhere, steps: 1, models: []string{itWorked}, saw: stoppedAfter(0), code: "MAX_STEPS_EXCEEDED", edges: stops + "over, finish: over"},
		},
		"a chain of which nothing was done is a failed step": {
			fill, {on: &form, models: []string{itFailed, saysRetryOnForm}, saw: stoppedAfter(-1), status: "correcting", edges: "observe: action pending, verify: failed, correct: decided"},
		},
		"a search of the web": {{
			models: []string{saysSearch, saysClick}, status: "executing",
			edges: "observe: nothing pending, plan: ready, act: searches, search: succeeded, act: proposed, review: decided",
		}},
		"the same search again and again": {{
			models: []string{saysSearch, saysSearch}, repeats: 1, status: "failed",
			edges: "observe: nothing pending, plan: ready, act: searches, search: succeeded, act: searches, search: over, finish: over",
		}},
		"more searches than a turn may have": {{
			wants: []reasoning.ActAnswer{look, look, look, look}, status: "needs_user_input",
			edges: "observe: nothing pending, plan: ready, act: searches, search: succeeded, act: searches, search: succeeded, act: searches, search: succeeded, act: searches, search: asked",
		}},
	}
}

const saysRetryOnForm = `{"reason":"It is gone.","strategy":"ALTERNATIVE_SELECTOR","action":"click(\"14\")","thought":"I try another."}`
