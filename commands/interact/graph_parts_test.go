package interact_test

// What a model says of a task that is done in parts.
const (
	divides = `{"sources":["PAGE"],"evidence":"The list is here.","confidence":0.95,"steps":[{"description":"Look the ward up"}],
		"parts":[{"goal":"Find out the ward","outputs":["ward"]},{"goal":"Save it","inputs":["ward"]}]}`
	dividesPlainly = `{"sources":["PAGE"],"evidence":"The list is here.","confidence":0.95,"steps":[{"description":"Open the list"}],
		"parts":[{"goal":"Open the list"},{"goal":"Save it"}]}`
	isGoodPlan  = `{"scores":{"completeness":1,"consistency":1,"groundedness":1,"routability":1},"issues":[]}`
	partGoesOn  = `{"reason":"It opened.","actionSucceeded":true,"taskCompleted":false,"subTaskCompleted":false,"confidence":0.9}`
	partIsDone  = `{"reason":"The list is open.","actionSucceeded":true,"taskCompleted":false,"subTaskCompleted":true,"confidence":0.9}`
	partFailed  = `{"reason":"Nothing opened.","actionSucceeded":false,"taskCompleted":false,"subTaskCompleted":false,"confidence":0.9}`
	endsPart    = `{"thought":"I know it.","action":"finish(\"The ward is South\")","evidence":"Form","outputs":[{"name":"ward","value":"South"}],"confidence":0.9}`
	endsShort   = `{"thought":"I know it.","action":"finish(\"The ward is known\")","evidence":"Form","confidence":0.9}`
	claimsPart  = `{"thought":"I know it.","action":"finish(\"The ward is South\")","outputs":[{"name":"ward","value":"South"}],"evidence":"nothing of the kind","confidence":0.9}`
	claimsShort = `{"thought":"I know it.","action":"finish(\"The ward is known\")","evidence":"nothing of the kind","confidence":0.9}`
	pressesEsc  = `{"reason":"It is in the way.","strategy":"ALTERNATIVE_TOOL","action":"press(\"Escape\")","thought":"I close it."}`
	saysReplan  = `{"thought":"There is a login first.","action":"","replan":"There is a login first.","confidence":0.9}`
	searchesWeb = `{"sources":["PAGE","WEB_SEARCH"],"evidence":"Nothing here says which wards there are.","search":"wards of the clinic","steps":[],"confidence":0.8}`
)

// partScenarios are the ways through the graph of tasks that are done in parts, and of
// plans that need the web.
func partScenarios() map[string][]visit {
	const start, starts = "observe: nothing pending, plan: ready, act: proposed, review: decided", "plan: ready, act: proposed, review: decided"
	begin := visit{task: longestTask, models: []string{divides, isGoodPlan, opens}, status: "executing", edges: start}
	plainly := begin
	plainly.models = []string{dividesPlainly, isGoodPlan, opens}
	next := func(edges string, models ...string) visit {
		return visit{models: models, status: "executing", edges: "observe: action pending, " + edges + starts}
	}
	retried := func(with string) visit {
		return visit{models: []string{partFailed, with}, corrections: 5, status: "correcting", edges: "observe: action pending, verify: failed, correct: decided"}
	}
	return map[string][]visit{
		"a plan that needs the web": {{
			task: longTask, models: []string{searchesWeb, saysPlan, opens}, status: "executing",
			edges: "observe: nothing pending, plan: searches, search: informed, plan: ready, act: proposed, review: decided",
		}},
		"a plan that does not lead on": {
			{task: longTask, models: []string{saysPlan, opens}, status: "executing", edges: start},
			{models: []string{itWorked, saysReplan, saysPlan, opens}, status: "executing", edges: "observe: action pending, verify: succeeded, plan: ready, act: replans, " + starts},
		},
		"a part that gives what it promised": {begin, next("verify: succeeded, plan: ready, act: part over, ", partGoesOn, endsPart, opens), {
			models: []string{itWorked, saysFinish}, status: "completed", edges: "observe: action pending, verify: succeeded, plan: ready, act: over, finish: over",
		}},
		"a part that forgot what it promised": {
			begin, next("verify: succeeded, plan: ready, act: sent back, act: part over, ", partGoesOn, endsShort, endsPart, opens),
		},
		"a part whose end has to be confirmed": {
			begin, next("verify: succeeded, plan: ready, act: claimed, confirm: part over, ", partGoesOn, claimsPart, isShown, opens),
		},
		"a part whose end is confirmed, and forgot what it promised": {
			begin, next("verify: succeeded, plan: ready, act: claimed, confirm: sent back, act: part over, ", partGoesOn, claimsShort, isShown, endsPart, opens),
		},
		"a part that is done by the verdict":          {plainly, next("verify: part over, ", partIsDone, saysClick)},
		"a part that is given up, and one without it": {plainly, next("verify: succeeded, plan: ready, act: part over, ", partGoesOn, saysFail, saysClick)},
		"a part that is given up, and nothing goes without it": {begin, {
			models: []string{partGoesOn, saysFail}, status: "failed", edges: "observe: action pending, verify: succeeded, plan: ready, act: over, finish: over",
		}},
		"a part whose actions do not work": {begin, retried(saysRetryOnForm), retried(pressesEsc), {
			models: []string{partFailed}, corrections: 5, status: "failed", edges: "observe: action pending, verify: over, finish: over",
		}},
	}
}

// What a model says of the last action together with the next.
const (
	worksAndNext = `{"thought":"I go on.","action":"click(\"14\")","last":{"actionSucceeded":true,"confidence":0.9,"reason":"It opened."},"confidence":0.9}`
	failsAndNext = `{"thought":"I go on.","action":"click(\"14\")","last":{"actionSucceeded":false,"confidence":0.9,"reason":"Nothing opened."},"confidence":0.9}`
)

// oneCallScenarios are the ways through the graph where a verdict comes with the next
// action.
func oneCallScenarios() map[string][]visit {
	begin := visit{models: []string{opens}, oneCall: true, status: "executing", edges: "observe: nothing pending, plan: ready, act: proposed, review: decided"}
	return map[string][]visit{
		"one call for a verdict and the next action": {begin, {
			models: []string{worksAndNext}, oneCall: true, status: "executing", edges: "observe: action pending, verify: deferred, act: proposed, review: decided",
		}},
		"one call, and it did not work": {begin, {
			models: []string{failsAndNext, saysRetryOnForm}, oneCall: true, status: "correcting", edges: "observe: action pending, verify: deferred, act: failed, correct: decided",
		}},
		"one call that says nothing of the last action": {begin, {
			models: []string{saysClick, saysClick}, oneCall: true, status: "executing",
			edges: "observe: action pending, verify: deferred, act: undecided, look again: succeeded, act: proposed, review: decided",
		}},
		"a submission is judged by itself": {
			{models: []string{saysClick}, oneCall: true, status: "executing", edges: begin.edges},
			{models: []string{itWorked, opens}, oneCall: true, status: "executing", edges: "observe: action pending, verify: succeeded, plan: ready, act: proposed, review: decided"},
		},
	}
}
