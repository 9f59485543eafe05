// Package kpi is the read model of how well the agent does: how often things happened, by
// the hour, over all tenants. It is for operators and their alerts, and the same on every
// replica, because it is made of the log.
//
// The terms:
//
//   - The completion rate is tasks completed / tasks completed or failed. An interrupted
//     task has not ended.
//   - A task counts as simple by the words of its query alone, without the page
//     (domain/complexity). It was judged rightly if it ended within complexity.LongSteps
//     steps and without a plan. Whether a task that counts as complex could have been done
//     simply is not known.
//   - An answer is a step that was sent to the client: an action, or a chain of several.
//     The round trips saved are the actions sent beyond the first of each answer, of all.
//   - A plan was replaced if another was made in its place (reasoning.PlanCause.IsAnother).
//     The rate is of tasks that ended and had a plan.
//   - A skill hit is an answer whose decider was shown a skill, heeded or not. It was
//     effective if the first decided verdict on that answer is that it worked.
//   - A verdict is a decided one that somebody gave; undecided ones and those by default
//     (reasoning.ByDefault) tell nothing of the action.
//   - A correction worked if the next such verdict on its step says so. Giving up is none.
//   - Confidence is that of an answer about where the information is that a task needs. It
//     counts for each source the answer names. It is low under reasoning.Uncertain. A
//     switch is an answer with other sources than the one before it in the same task.
//
// The rows hold no text of anybody. A task that is erased leaves no row of its own, and
// what it was counted for stays counted. A rebuild after that gives the same rows but for
// what is read of sealed text: whether a query looks simple and how long a chain is. The
// rebuilt figures do not count an erased task among the simple ones, whatever it was, and
// count each of its chains as one action; all others are the same.
//
// An hour is kept for KeptFor, the sums since the beginning for ever.
package kpi
