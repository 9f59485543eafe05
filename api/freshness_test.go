package api

import (
	"net/http"
	"strings"
	"testing"
)

// foldLog are the reads that wait for nothing, by why.
var foldLog = map[string]string{
	"taskEvents": "the log", "taskTurns": "the log", "taskTurn": "the log", "turnPage": "the log", "taskCall": "the log", "taskState": "the log",
	"taskDiff": "the log", "taskFields": "the log", "taskGraph": "the log", "taskReplay": "the log", "taskBisect": "the log", "taskCompare": "the log",
	"sessionExport": "the log", "projectionList": "says itself how far they are", "parked": "what a projection put aside is written with its place in the log",
	"currentSession": "accounts", "logins": "accounts", "preferences": "accounts", "tenant": "accounts", "users": "accounts", "invites": "accounts", "audit": "accounts", "erasures": "the log", "erasure": "the log",
	"usageBudget": "the ledger of money", "statements": "the ledger of money", "resolveKnowledge": "what a turn would find, which waits for nothing",
	"health": "itself", "live": "itself", "ready": "itself",
}

// Every read of a projection takes atLeast and waits; the others wait for nothing.
func TestFreshness_OfEveryRead(t *testing.T) {
	t.Parallel()
	for path, item := range newWorld().server().huma.OpenAPI().Paths {
		op := item.Get
		if op == nil {
			continue
		}
		takes := false
		for _, p := range op.Parameters {
			takes = takes || p.In == "query" && p.Name == "atLeast"
		}
		if takes == (foldLog[op.OperationID] != "") {
			t.Errorf("%s (%s): atLeast %t, but it reads %q", op.OperationID, path, takes, foldLog[op.OperationID])
		}
		t.Run(op.OperationID, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.lag = 1
			a := good(w.server())[op.OperationID]
			if takes {
				a.target += map[bool]string{true: "&", false: "?"}[strings.Contains(a.target, "?")] + "atLeast=77"
			}
			res := send(t, w.server(), a)
			switch {
			case takes:
				wantFailure(t, res, http.StatusServiceUnavailable, "TIMEOUT", "")
			case len(w.waits) > 0:
				t.Errorf("it waits for %v", w.waits)
			}
		})
	}
}

// The description says of every POST what repeating it does, and of nothing else.
func TestDescribe_Repeats(t *testing.T) {
	t.Parallel()
	left := map[string]bool{}
	for id := range repeats {
		left[id] = true
	}
	for path, item := range newWorld().server().huma.OpenAPI().Paths {
		if op := item.Post; op != nil && repeats[op.OperationID] == "" {
			t.Errorf("%s (%s): nothing is said of repeating it", op.OperationID, path)
		} else if op != nil {
			delete(left, op.OperationID)
		}
	}
	if len(left) > 0 {
		t.Errorf("said of no route: %v", left)
	}
}

// Who has a state is told that it still holds.
func TestState_NotModified(t *testing.T) {
	t.Parallel()
	s := newWorld().server()
	state := ask{method: get, target: "/api/debug/tasks/" + taskA + "/state", token: tokenA}
	tag := send(t, s, state).Header().Get("ETag")
	for header, want := range map[string]int{
		tag: http.StatusNotModified, `W/` + tag: http.StatusNotModified, `"x", ` + tag: http.StatusNotModified, "*": http.StatusNotModified,
		`"x"`: http.StatusOK, "": http.StatusOK, strings.Trim(tag, `"`): http.StatusOK,
	} {
		state.header = map[string]string{"If-None-Match": header}
		got := send(t, s, state)
		if got.Code != want || (got.Body.Len() == 0) != (want == http.StatusNotModified) || got.Header().Get("ETag") != tag {
			t.Errorf("%q: %d %v %s", header, got.Code, got.Header(), got.Body)
		}
	}
}
