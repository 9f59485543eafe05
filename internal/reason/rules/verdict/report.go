package verdict

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// What the client reported.

var (
	clientFailed = fact{"client could not do it", func(e *evidence) bool {
		return e.q.Witness.Error != nil || e.q.Witness.Status == "failure"
	}}
	// mayHaveBegun: the error came after the action began, so that it does not say that
	// nothing was done.
	mayHaveBegun = fact{"client lost sight of it", func(e *evidence) bool {
		err := e.q.Witness.Error
		if err == nil {
			return false
		}
		said := strings.ToLower(err.Code + " " + err.Message)
		return slices.ContainsFunc([]string{"timeout", "timed out", "context was destroyed", "net::err", "network", "connection", "target closed"},
			func(sign string) bool { return strings.Contains(said, sign) })
	}}
	// sentAllTheSame: the page says what came of it, whatever the client reported.
	sentAllTheSame = fact{"sent all the same", func(e *evidence) bool {
		err := e.q.Witness.Error
		unreached := err != nil && slices.Contains([]string{page.CodeNotFound, page.CodeNotVisible, page.CodeDisabled, page.CodeOccluded}, err.Code)
		return e.q.MaySubmit && err != nil && !unreached && len(e.successes) > 0 && len(e.errors) == 0
	}}
	anyRefused     = fact{"a request failed", func(e *evidence) bool { return len(e.q.Witness.Refused) > 0 }}
	refusedRequest = fact{"request refused", func(e *evidence) bool {
		_, ok := e.q.Witness.RefusedRequest()
		return ok
	}}
	endsTask    = fact{"end of the task", func(e *evidence) bool { return e.q.Action.EndsTask() }}
	noAnswerYet = fact{"request without an answer yet", func(e *evidence) bool {
		return presses.holds(e) && e.q.Witness.Pending != nil && *e.q.Witness.Pending > 0
	}}
	scriptFailed = fact{"error of a script", func(e *evidence) bool { return e.q.Witness.ScriptErrors != nil && *e.q.Witness.ScriptErrors > 0 }}
	checkPassed  = fact{"client's own check passed", func(e *evidence) bool {
		return isTrue(e.q.Witness.SentinelPassed) || isTrue(e.q.Witness.HasSuccess)
	}}
	checkFailed = fact{"client's own check failed", func(e *evidence) bool { return isFalse(e.q.Witness.SentinelPassed) }}
)

var reportRules = []rule{
	{
		id: "may-have-been-sent", when: []fact{maySubmit, mayHaveBegun, not(sentAllTheSame)}, chance: unclear,
		says:  "The browser could not see how it ended; it may have been sent.",
		given: "what may have been sent is never sent again as if it had not",
	},
	{id: clientError, when: []fact{clientFailed, not(sentAllTheSame)}, chance: 0.05, says: "The browser could not do it{client error}.", example: "train/handbook/covered"},
	{
		id: "no-effect-to-check", when: []fact{needsNo, either(endsTask, not(anyRefused))}, chance: 0.95,
		says:    "{action} needs no check, and no error was reported.",
		example: "train/handbook/hover",
	},
}

// clientRules come late: the client's own check of the outcome knows less of the page.
var clientRules = []rule{
	{
		id: "client-check-passed", when: []fact{checkPassed}, chance: 0.85, says: "The client's own check of the outcome passed.",
		given: "clientObservations of the protocol; the recording client has no such check",
	},
	{
		id: "client-check-failed", when: []fact{checkFailed}, chance: 0.3,
		says:  "The client's own check of the outcome failed{client check}.",
		given: "clientObservations of the protocol; the recording client has no such check",
	},
}
