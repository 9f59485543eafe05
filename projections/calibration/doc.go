// Package calibration is the read model of how far the agent's own estimates hold: the
// scores of its checkpoints and the confidence of its actions, against what happened.
//
// A checkpoint scores something before it is used and gives a verdict: PASS, or it
// rejects it by RETRY (make it anew) or FAIL. There are three: of plans, of what
// sub-tasks give, and of the last message of a task with sub-tasks. What is said here of
// plans and tasks goes for all of them; of sub-tasks each has a check that stands.
// What the scores would have led to is not known where a plan was rejected, since it was
// not carried out; so the figures rest on these definitions, over tasks that have ended
// (completed or failed; an interrupted one is still open):
//
//   - The check that stands for a task is the last that passed, or the last of all if
//     none did. Only these are set against the outcome, one a task, in bins and in the
//     correlation: the plan of any other check was replaced.
//   - A false rejection is a rejection in a task that was completed although no check of
//     it passed: the task could be done in spite of what was found fault with. Where a
//     check passed, the completion is that plan's and tells nothing of the rejected one.
//   - A verified failure is every other rejection in a task that has ended: something that
//     passed was used in its place, or the task failed.
//   - A missed failure is a check that passed and stands for a task that failed,
//     whatever the task failed of.
//   - Catch rate is verified failures / (verified failures + missed failures). False
//     positive rate is false rejections / all checks, of tasks that have ended.
//   - A retry is a check of what was made anew in the same turn, after RETRY. Retry success
//     is retries that passed / retries, of all tasks. It belongs to the time of the check
//     that was followed by it.
//   - The correlation is Pearson's between score and success (1 for completed, 0 for
//     failed), which is the point-biserial one. It is given from MinCorrelated ended tasks
//     on.
//   - An alert is given from MinRated cases on.
//
// The confidence of an action is set against its first decided verdict. Verdicts that
// nobody gave (reasoning.ByDefault) do not count, nor do corrections, which have no
// confidence of their own. A chain counts as one action; it ran whole if a verdict came
// and it had not stopped.
//
// The rows hold no personal text. Only how many actions a chain has is sealed: after a
// rebuild a task whose text was erased has no chains, neither whole nor stopped. A row is
// kept for KeptFor after the end of its task.
package calibration
