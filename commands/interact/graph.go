package interact

import (
	"context"
	"fmt"
	"slices"
)

// A node is a step of the graph; an outcome says why it was left.
type (
	node    string
	outcome string
)

const (
	observe   node = "observe"
	verify    node = "verify"
	lookAgain node = "look again"
	goOn      node = "go on with chain"
	correct   node = "correct"
	planAhead node = "plan"
	act       node = "act"
	review    node = "review"
	search    node = "search"
	confirm   node = "confirm"
	finish    node = "finish"
	done      node = "done"
)

const (
	nothingPending outcome = "nothing pending"
	actionPending  outcome = "action pending"
	goalAchieved   outcome = "goal achieved"
	succeeded      outcome = "succeeded"
	failed         outcome = "failed"
	undecided      outcome = "undecided"
	stopped        outcome = "chain stopped"
	searches       outcome = "searches"
	decided        outcome = "decided"
	asked          outcome = "asked"
	claimed        outcome = "claimed"
	ready          outcome = "ready"
	foreseenWay    outcome = "foreseen"
	proposed       outcome = "proposed"
	objected       outcome = "objected"
	over           outcome = "over"
	informed       outcome = "informed"
	partOver       outcome = "part over"
	sentBack       outcome = "sent back"
	deferred       outcome = "deferred"
	replans        outcome = "replans"
)

// graph is the whole agent: from the page to the answer.
//
//	observe ─ action pending ─▶ verify ─ goal achieved ─▶ finish
//	 │ │                        │ │ │└─ failed ─▶ correct ─ over ─▶ finish
//	 │ │                        │ │ │             │  └─ foreseen ─▶ act
//	 │ │                        │ │ │             └─ decided/asked ─▶ done
//	 │ │                        │ │ └─ chain stopped ─▶ go on with chain ─ decided ─▶ done
//	 │ │    succeeded/part over │ │                                 succeeded │ ▶ act
//	 │ │                        ▼ └─ undecided ─▶ look again ─ succeeded ─▶ act
//	 │ └─ nothing pending ─▶ plan ─ asked ─▶ done          └─ decided/asked ─▶ done
//	 │    searches/informed  │▲ part over (from act and confirm), replans
//	 │          search ◀───▶ ▼│
//	 │        ┌─ objected ─ act ─ proposed ─▶ review ─ decided/asked ─▶ done
//	 │        └─────────────▶│ ▲                │
//	 │      claimed/searches ▼ │ succeeded/failed/sent back
//	 │                confirm, search ─ over ─▶ finish
//	 └─ asked (unknown page) ─▶ done
//
// A verdict may be deferred to the next action (verify ─ deferred ─▶ act), which then
// goes on to correct or look again where it did not work or nobody can tell.
//
// An action stays under judgement until it is decided whether it worked; a wait, a
// look or a question does not end that. What the agent says is done is confirmed first
// unless the page already proves it, and what it wants to know of the web is searched
// for. A value it lacks that documents may have is asked for again with them (sent back).
// A task in parts goes from part to part within the turn. maxConfirmations, maxSought,
// MaxSearches, MaxHops, MaxCritiques and plan.MaxRetries bound those cycles, and a part
// is never entered twice. Every node that can ask can also end the task, so no task asks
// for ever.
var graph = map[node]struct {
	run  func(context.Context, *turn) (outcome, error)
	next map[outcome]node
}{
	observe:   {runObserve, map[outcome]node{nothingPending: planAhead, actionPending: verify, asked: done, over: finish}},
	verify:    {runVerify, map[outcome]node{goalAchieved: finish, succeeded: planAhead, partOver: planAhead, failed: correct, undecided: lookAgain, deferred: act, stopped: goOn, over: finish}},
	lookAgain: {runLookAgain, map[outcome]node{succeeded: act, decided: done, asked: done, over: finish}},
	goOn:      {runRecoverChain, map[outcome]node{decided: done, succeeded: act, over: finish}},
	correct:   {runCorrect, map[outcome]node{foreseenWay: act, decided: done, asked: done, over: finish}},
	planAhead: {runPlan, map[outcome]node{ready: act, searches: search, asked: done, over: finish}},
	act:       {runAct, map[outcome]node{decided: done, proposed: review, asked: done, claimed: confirm, searches: search, failed: correct, undecided: lookAgain, partOver: planAhead, replans: planAhead, sentBack: act, over: finish}},
	review:    {runReview, map[outcome]node{decided: done, objected: act, asked: done, over: finish}},
	search:    {runSearch, map[outcome]node{succeeded: act, informed: planAhead, asked: done, over: finish}},
	confirm:   {runConfirm, map[outcome]node{succeeded: act, failed: act, partOver: planAhead, sentBack: act, asked: done, over: finish}},
	finish:    {runFinish, map[outcome]node{over: done}},
}

// walk runs nodes until the turn is done.
func walk(ctx context.Context, t *turn) error {
	for at := observe; at != done; {
		left, err := graph[at].run(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		next, ok := graph[at].next[left]
		if !ok {
			return fmt.Errorf("%s: no edge for %q", at, left)
		}
		t.Hook(edge(at, left))
		at = next
	}
	return nil
}

// edge returns the name of an edge for the hook: "verify: failed".
func edge(at node, left outcome) string { return string(at) + ": " + string(left) }

// Edges are all edges of the graph, sorted, by the names that Deps.Hook is told:
// "verify: failed" is the one that leaves verify where an action failed.
func Edges() (names []string) {
	for at, n := range graph {
		for left := range n.next {
			names = append(names, edge(at, left))
		}
	}
	slices.Sort(names)
	return names
}
