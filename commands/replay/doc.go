// Package replay decides recorded tasks anew: turn by turn, each from the state, the page
// and what documents said as they were recorded, by whatever rules, prompts, limits and answers it is given,
// and says in which event and field the outcome differs from what was recorded.
//
// It promises that a replay writes nothing, anywhere; that a difference in one turn does
// not carry over into the next; and that a turn that cannot be replayed, because its page
// or an answer is gone, is said to be so and not counted as equal.
//
// What it cannot show: the client and its page are as they were recorded, so that after a
// turn that differs the following ones are still decided on the pages the recorded action
// led to.
package replay
