package apitest

import (
	"encoding/json"

	"github.com/stepledger/stepledger/domain"
)

// known has values of parameters and fields that work, where the schema does not say
// everything: names of things that exist, texts of a language of their own. The key is
// the operation and the path of the field, or the path alone, or its last name.
type known map[string]any

// absent stands for a field that has no value a stranger could know.
type absent struct{}

// knownOf are those of a server with the things of a caller.
func knownOf(w World) known {
	return known{
		"taskId": w.TaskID, "a": w.TaskID, "b": w.TaskID, "sessionId": w.SessionID, "userId": w.UserID, "callId": w.CallID,
		"email": w.Email, "password": w.Password,
		"turn": json.Number("1"), "projection": "tasks", "condition": "/status = active", "field": "stepIndex=0", "minCost": "0.01",
		"timeZone": "Europe/Oslo", "timezone": "Europe/Oslo",
		// A place in a list is what the page before said.
		"after":   absent{},
		"atLeast": json.Number("1"),
		"settings": map[string]any{
			"STEPLEDGER_MAX_STEPS": "3",
		},
		"taskDiff from": "0", "taskDiff to": "0", "revision": "0", "at": "2999-01-01T00:00:00Z",
		// A state is named by one of the two.
		"taskState at":  absent{},
		"usageCalls to": "2999-01-01T00:00:00Z", "usageExport to": "2999-01-01T00:00:00Z", "usageSummary to": "2999-01-01T00:00:00Z", "taskList to": "2999-01-01T00:00:00Z",
		// Sums begin at a quarter of an hour.
		"usageSummary from": "2026-01-27T00:00:00.000Z",
		"logs before":       "2999-01-01T00:00:00Z", "calibration to": "2999-01-01T00:00:00Z",

		"url": w.URL, "previousUrl": "https://example.com/", "query": "Press Save", "dom": `<button id="14">Save</button>`,
		"lastActionError.action": `click("14")`, "chainActionError.action": `click("14")`, "chainPartialState.executedActions": []any{`click("14")`},
		"chainPartialState.totalActionsInChain": json.Number("1"), "lastExecutedActionIndex": json.Number("0"), "chainActionError.failedIndex": json.Number("0"),
		"viewport.width": json.Number("1280"), "viewport.height": json.Number("720"), "domMode": "hybrid",
	}
}

// needed are fields that an operation takes only together with others, which a schema
// that lists what is required cannot say.
var needed = map[string][]string{
	"interact": {"query", "dom"},
}

// unwalked are operations that need what a World does not have yet: an invitation that
// is open, a login beside the caller's, a statement that was issued, a domain, a second admin. Most of
// their fields are checked by the database of accounts, which fakes do not do.
var unwalked = []string{
	"GET /api/usage/statements/{month}", "POST /api/usage/statements/{month}/issue",
	"POST /api/admin/invites", "POST /api/admin/invites/{inviteId}/revoke", "POST /api/v1/auth/invite/accept",
	"POST /api/admin/tenant/domains", "POST /api/admin/users/{userId}/disable", "POST /api/admin/users/{userId}/role",
	"POST /api/v1/auth/logins/{loginId}/revoke", "POST /api/v1/auth/password",
}

// at is the value of a field, if it is known.
func (k known) at(operation, path string) (any, bool) {
	path = withoutIndexes(path)
	for _, key := range []string{operation + " " + path, path, lastName(path)} {
		if v, ok := k[key]; ok {
			return v, true
		}
	}
	return nil, false
}

// World is what a walk needs to know of the server: how its caller logs in and what
// they own.
type World struct {
	IDs

	// Token is of a caller who owns the things of IDs.
	Token string
	// URL is where their task is.
	URL string
	// Email and Password are the caller's.
	Email, Password string
}

// anotherID names nothing.
func anotherID() string { return domain.NewUUID() }
