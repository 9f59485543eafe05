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
	task := lazy(func() string { return w.Own().TaskID })
	return known{
		"taskId": task, "a": task, "b": task, "userId": w.UserID,
		"sessionId": lazy(func() string { return w.Own().SessionID }), "callId": lazy(func() string { return w.Own().CallID }),
		"email": w.Email, "password": w.Password, "currentPassword": w.Password,
		"inviteId": lazy(w.Invite), "loginId": lazy(w.Login), "erasureId": lazy(w.Erasure), "acceptInvite token": lazy(w.InviteToken),
		"invite email": "invited@walk.example", "setDomains allowedDomains": []any{"*.example.com"}, "month": w.Month,
		// The caller is the last admin but for this one.
		// Files are sent to a source of files; without the name of another.
		"sourceId": lazy(w.Source), "documentId": lazy(w.Document), "recrawl sourceId": lazy(w.Site),
		"ingest name": "handbook.md", "ingest content": "IyBFeHBlbnNlcw==", "ingest text": absent{}, "ingest sourceName": absent{},
		"mediaType": "text/markdown", "language": "en", "domains": []any{"*.example.com"}, "searchKnowledge q": "expenses",
		"setRole userId": lazy(w.Colleague), "disableUser userId": lazy(w.Colleague),
		"requestErasure kind": "user", "requestErasure id": lazy(w.Colleague),
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
	"ingest":   {"content"},
}

// lazy is a value that is made when it is asked for.
type lazy func() string

// at is the value of a field, if it is known.
func (k known) at(operation, path string) (any, bool) {
	path = withoutIndexes(path)
	for _, key := range []string{operation + " " + path, path, lastName(path)} {
		v, ok := k[key]
		if make, isLazy := v.(lazy); isLazy {
			return make(), true
		}
		if ok {
			return v, true
		}
	}
	return nil, false
}

// World is what a walk needs to know of the server: how its caller logs in and what
// they own.
type World struct {
	// Token is the caller's.
	Token string
	// UserID, Email and Password are the caller's.
	UserID, Email, Password string
	// URL is where their task is.
	URL string
	// Month has a statement that was issued, or can be.
	Month string
	// Own makes a task of the caller's that goes on, with a session and a model call. Called
	// again it returns the same.
	Own func() IDs
	// These make what few operations need, and return what is named: the id of another
	// admin, of another login of the caller's, of an open invitation, the token of an open
	// invitation, and the id of an erasure. Called again they return the same.
	Colleague, Login, Invite, InviteToken, Erasure func() string
	// These are what the caller's tenant knows: a source of files, a document of it, and a
	// source that is a site. They are made when they are asked for, and again the same.
	Source, Document, Site func() string
}

// anotherID names nothing.
func anotherID() string { return domain.NewUUID() }
