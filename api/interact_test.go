package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/page"
)

// with is goodInteract with fields set (raw JSON), or removed ("").
func with(t testing.TB, fields map[string]string) string {
	t.Helper()
	body := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(goodInteract), &body); err != nil {
		t.Fatal(err)
	}
	for k, v := range fields {
		if v == "" {
			delete(body, k)
		} else {
			body[k] = json.RawMessage(v)
		}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func text(s string) string { return `"` + s + `"` }

func TestInteract_RefusesBadInput(t *testing.T) {
	t.Parallel()
	const validation = "VALIDATION_ERROR"
	tests := map[string]struct {
		fields map[string]string
		field  string
	}{
		"without a url":                         {map[string]string{"url": ""}, "url"},
		"with a url that is null":               {map[string]string{"url": "null"}, "url"},
		"with a relative url":                   {map[string]string{"url": text("/login")}, "url"},
		"with a url that cannot be parsed":      {map[string]string{"url": text("https://[::1")}, "url"},
		"with a url without a host":             {map[string]string{"url": text("https:///x")}, "url"},
		"on a page of the browser":              {map[string]string{"url": text("chrome://settings")}, "url"},
		"on a file":                             {map[string]string{"url": text("file:///etc/passwd")}, "url"},
		"on a script":                           {map[string]string{"url": text("javascript:alert(1)")}, "url"},
		"with an endless url":                   {map[string]string{"url": text("https://example.com/" + strings.Repeat("x", maxURL))}, "url"},
		"without a query":                       {map[string]string{"query": ""}, "query"},
		"with a blank query":                    {map[string]string{"query": text(`  \n`)}, "query"},
		"with a long query":                     {map[string]string{"query": text(strings.Repeat("x", maxQuery+1))}, "query"},
		"continued with a long query":           {map[string]string{"taskId": text(taskA), "query": text(strings.Repeat("x", maxQuery+1))}, "query"},
		"without a page":                        {map[string]string{"dom": ""}, "dom"},
		"with a hash for its first page":        {map[string]string{"dom": "", "domHash": text("ab12")}, "dom"},
		"with a hash that is too long":          {map[string]string{"taskId": text(taskA), "dom": "", "domHash": text(strings.Repeat("0", maxHash+1))}, "domHash"},
		"with a hash in an unknown mode":        {map[string]string{"taskId": text(taskA), "dom": "", "domHash": text("ab12"), "domMode": text("semantic_v4")}, "domMode"},
		"with an empty page":                    {map[string]string{"dom": text("")}, "dom"},
		"with a 600 KB page":                    {map[string]string{"dom": text(strings.Repeat("x", 600_000))}, "dom"},
		"with a 600 KB skeleton":                {map[string]string{"skeletonDom": text(strings.Repeat("x", 600_000))}, "skeletonDom"},
		"with an unknown mode":                  {map[string]string{"domMode": text("semantic_v4")}, "domMode"},
		"without a tree in the mode for trees":  {map[string]string{"dom": "", "domMode": text("semantic_v3"), "interactiveTree": "[]"}, "dom"},
		"without nodes in the mode for nodes":   {map[string]string{"dom": "", "domMode": text("semantic"), "interactiveTree": `[{"i":"1","r":"btn"}]`}, "dom"},
		"with a skeleton only in mode full":     {map[string]string{"dom": "", "domMode": text("full"), "skeletonDom": text("<p>")}, "dom"},
		"with a task id that is none":           {map[string]string{"taskId": text("42")}, "taskId"},
		"with a session id that is none":        {map[string]string{"sessionId": text("{" + sessionA + "}")}, "sessionId"},
		"with an unknown status":                {map[string]string{"lastActionStatus": text("maybe")}, "lastActionStatus"},
		"with an impossible chain index":        {map[string]string{"lastExecutedActionIndex": "-2"}, "lastExecutedActionIndex"},
		"with a previous url that is none":      {map[string]string{"previousUrl": text("the page before")}, "previousUrl"},
		"with a time zone nobody knows":         {map[string]string{"timezone": text("Mars/Olympus")}, "timezone"},
		"with the server's own time zone":       {map[string]string{"timezone": text("Local")}, "timezone"},
		"with a file for a time zone":           {map[string]string{"timezone": text("../../etc/passwd")}, "timezone"},
		"with a long time zone":                 {map[string]string{"timezone": text(strings.Repeat("Europe/", 20))}, "timezone"},
		"with a previous path":                  {map[string]string{"previousUrl": text("/cart")}, "previousUrl"},
		"with a previous script":                {map[string]string{"previousUrl": text("javascript:void(0)")}, "previousUrl"},
		"with a previous url without a host":    {map[string]string{"previousUrl": text("https://")}, "previousUrl"},
		"with a long previous url":              {map[string]string{"previousUrl": text("https://a.test/" + strings.Repeat("x", maxURL))}, "previousUrl"},
		"with changes after no url":             {map[string]string{"domChanges": `{"previousUrl":"x"}`}, "domChanges.previousUrl"},
		"with fewer elements than none added":   {map[string]string{"domChanges": `{"addedCount":-1}`}, "domChanges.addedCount"},
		"with fewer elements than none removed": {map[string]string{"domChanges": `{"removedCount":-1}`}, "domChanges.removedCount"},
		"with fewer requests than none":         {map[string]string{"clientObservations": `{"pendingRequests":-1}`}, "clientObservations.pendingRequests"},
		"with fewer script errors than none":    {map[string]string{"clientObservations": `{"scriptErrors":-1}`}, "clientObservations.scriptErrors"},
		"with fewer mutations than none":        {map[string]string{"clientObservations": `{"directMutations":-1}`}, "clientObservations.directMutations"},
		"with a status that is none":            {map[string]string{"clientObservations": `{"failedRequests":[{"status":500},{"status":6000}]}`}, "clientObservations.failedRequests[1].status"},
		"with nothing recovered":                {map[string]string{"recoveredElement": `{}`}, "recoveredElement.recoveredId"},
		"with a stale id recovered":             {map[string]string{"recoveredElement": `{"originalId":"14"}`}, "recoveredElement.recoveredId"},
		"with a chain index with a fraction":    {map[string]string{"lastExecutedActionIndex": "0.5"}, "lastExecutedActionIndex"},
		"with a chain index beyond any chain":   {map[string]string{"lastExecutedActionIndex": "1000"}, "lastExecutedActionIndex"},
		"with a chain index beyond its chain": {map[string]string{
			"lastExecutedActionIndex": "2", "chainPartialState": `{"executedActions":[],"totalActionsInChain":2}`,
		}, "lastExecutedActionIndex"},
		"with an empty chain":                       {map[string]string{"chainPartialState": `{}`}, "chainPartialState.executedActions"},
		"with a chain without its actions":          {map[string]string{"chainPartialState": `{"totalActionsInChain":2}`}, "chainPartialState.executedActions"},
		"with a chain without its length":           {map[string]string{"chainPartialState": `{"executedActions":[]}`}, "chainPartialState.totalActionsInChain"},
		"with a chain of fewer than none":           {map[string]string{"chainPartialState": `{"executedActions":[],"totalActionsInChain":-1}`}, "chainPartialState.totalActionsInChain"},
		"with actions executed and no index":        {map[string]string{"chainPartialState": `{"executedActions":["click(1)"],"totalActionsInChain":2}`}, "chainPartialState.executedActions"},
		"with more executed than the index":         {map[string]string{"lastExecutedActionIndex": "0", "chainPartialState": `{"executedActions":["click(1)","click(2)"],"totalActionsInChain":3}`}, "chainPartialState.executedActions"},
		"with a code of a failure that is a number": {map[string]string{"chainActionError": `{"code":7}`}, "chainActionError.code"},
		"with a failure before the chain":           {map[string]string{"chainActionError": `{"failedIndex":-1}`}, "chainActionError.failedIndex"},
		"with a failure beyond the chain": {map[string]string{
			"chainActionError": `{"failedIndex":2}`, "chainPartialState": `{"executedActions":[],"totalActionsInChain":2}`,
		}, "chainActionError.failedIndex"},
		"with a window of no width":              {map[string]string{"viewport": `{"width":-1,"height":800}`}, "viewport.width"},
		"with a window of miles":                 {map[string]string{"viewport": `{"width":1280,"height":1e9}`}, "viewport.height"},
		"with a long active element":             {map[string]string{"activeElement": text(strings.Repeat("x", maxWord+1))}, "activeElement"},
		"with a long scroll position":            {map[string]string{"scrollPosition": text(strings.Repeat("x", maxWord+1))}, "scrollPosition"},
		"with a long screenshot hash":            {map[string]string{"screenshotHash": text(strings.Repeat("x", maxWord+1))}, "screenshotHash"},
		"with a url with a NUL":                  {map[string]string{"url": text(`https://example.com/\u0000`)}, "url"},
		"with a request id with a NUL":           {map[string]string{"requestId": text(`a\u0000b`)}, "requestId"},
		"with a task id with a NUL":              {map[string]string{"taskId": text(taskA + `\u0000`)}, "taskId"},
		"with an unprintable request id":         {map[string]string{"requestId": text(`a\u0001b`)}, "requestId"},
		"with a long request id":                 {map[string]string{"requestId": text(strings.Repeat("x", maxKey+1))}, "requestId"},
		"with a number for a url":                {map[string]string{"url": "7"}, "url"},
		"with a number for a query":              {map[string]string{"query": "7"}, "query"},
		"with an object for a page":              {map[string]string{"dom": "{}"}, "dom"},
		"with a text for the tree":               {map[string]string{"interactiveTree": text("x")}, "interactiveTree"},
		"with a number for an observation":       {map[string]string{"clientObservations": `{"didDomMutate":1}`}, "clientObservations.didDomMutate"},
		"with a number too large for an integer": {map[string]string{"lastExecutedActionIndex": "1e30"}, "lastExecutedActionIndex"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			wantFailure(t, postInteract(t, w.server(), with(t, tt.fields)), http.StatusBadRequest, validation, tt.field)
			if len(w.requests) > 0 {
				t.Error("the request was handed on")
			}
		})
	}
}

func TestInteract_RefusesReportsOfNoAction(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ fields, field string }{
		"in the error of the last action": {`{"lastActionError":{"message":"no","action":"explode(\"1\")"}}`, "lastActionError.action"},
		"in the error of a chain":         {`{"chainActionError":{"action":"click("}}`, "chainActionError.action"},
		"in a chain":                      {`{"chainPartialState":{"executedActions":["click(1)","click(1); fail()"]}}`, "chainPartialState.executedActions[1]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fields := map[string]json.RawMessage{}
			if err := json.Unmarshal([]byte(tt.fields), &fields); err != nil {
				t.Fatal(err)
			}
			raw := map[string]string{}
			for k, v := range fields {
				raw[k] = string(v)
			}
			w := postInteract(t, newWorld().server(), with(t, raw))
			wantFailure(t, w, http.StatusBadRequest, "INVALID_ACTION_FORMAT", tt.field)
		})
	}
}

func TestInteract_LimitsAtTheirEdges(t *testing.T) {
	t.Parallel()
	const emoji = "😀" // two UTF-16 units, four bytes
	tests := map[string]struct {
		fields map[string]string
		fits   bool
		field  string
	}{
		"a query of 10 000 letters":                     {map[string]string{"query": text(strings.Repeat("é", 10_000))}, true, ""},
		"a query of 5 000 emoji":                        {map[string]string{"query": text(strings.Repeat(emoji, 5_000))}, true, ""},
		"a query of 5 000 emoji and a letter":           {map[string]string{"query": text(strings.Repeat(emoji, 5_000) + "x")}, false, "query"},
		"a query of one letter":                         {map[string]string{"query": text("x")}, true, ""},
		"a page of 500 000 letters":                     {map[string]string{"dom": text(strings.Repeat("x", 500_000))}, true, ""},
		"a page of 500 000 letters of three bytes":      {map[string]string{"dom": text(strings.Repeat("語", 500_000))}, true, ""},
		"a page of 250 000 emoji":                       {map[string]string{"dom": text(strings.Repeat(emoji, 250_000))}, true, ""},
		"a page of 500 001 letters":                     {map[string]string{"dom": text(strings.Repeat("x", 500_001))}, false, "dom"},
		"a page of 250 000 emoji and a letter":          {map[string]string{"dom": text(strings.Repeat(emoji, 250_000) + "x")}, false, "dom"},
		"a page of 500 000 halves of emoji":             {map[string]string{"dom": text(strings.Repeat(`\ud83d`, 500_000))}, true, ""},
		"a page of 500 001 halves of emoji":             {map[string]string{"dom": text(strings.Repeat(`\ud83d`, 500_001))}, false, "dom"},
		"a full page of 5 000 000 letters":              {map[string]string{"domMode": text("full"), "dom": text(strings.Repeat("x", 5_000_000))}, true, ""},
		"a full page of 5 000 001 letters":              {map[string]string{"domMode": text("full"), "dom": text(strings.Repeat("x", 5_000_001))}, false, "dom"},
		"a skeleton of 500 000 letters":                 {map[string]string{"skeletonDom": text(strings.Repeat("x", 500_000))}, true, ""},
		"a request id of 200 characters":                {map[string]string{"requestId": text(strings.Repeat("~", 200))}, true, ""},
		"a url of 8 192 letters":                        {map[string]string{"url": text("https://example.com/" + strings.Repeat("x", maxURL-20))}, true, ""},
		"a tree in the mode for trees":                  {map[string]string{"dom": "", "domMode": text("semantic_v3"), "interactiveTree": `[{"i":1,"r":"btn"}]`}, true, ""},
		"a skeleton in the hybrid mode":                 {map[string]string{"dom": "", "domMode": text("hybrid"), "skeletonDom": text("<p>"), "screenshot": "null"}, true, ""},
		"nodes without a mode":                          {map[string]string{"dom": "", "semanticNodes": `[{"id":"1","role":"button"}]`}, true, ""},
		"a hash in place of a continuation's page":      {map[string]string{"dom": "", "taskId": text(taskA), "domHash": text(strings.Repeat("0", maxHash))}, true, ""},
		"a hash in place of the tree of its mode":       {map[string]string{"dom": "", "taskId": text(taskA), "domHash": text("ab12"), "domMode": text("semantic_v3")}, true, ""},
		"a page instead of the tree of its mode":        {map[string]string{"domMode": text("semantic_v3")}, true, ""},
		"a continuation without a query":                {map[string]string{"query": "", "taskId": text(taskA)}, true, ""},
		"a previous page of the browser's":              {map[string]string{"previousUrl": text("about:blank")}, true, ""},
		"a chain of which nothing was executed":         {map[string]string{"lastExecutedActionIndex": "-1", "chainPartialState": `{"executedActions":[],"totalActionsInChain":2}`}, true, ""},
		"a chain that went over an action that failed":  {map[string]string{"lastExecutedActionIndex": "1", "chainPartialState": `{"executedActions":["click(1)"],"totalActionsInChain":2}`}, true, ""},
		"a url as a browser shows it":                   {map[string]string{"url": text("https://shop.example/sale/50%off?q=[a|b]"), "previousUrl": text("https://müller.example/a b#100%")}, true, ""},
		"fields nobody knows":                           {map[string]string{"colour": text("red"), "clientObservations": `{"mood":"fine"}`}, true, ""},
		"half an emoji, NUL and bidi marks in the page": {map[string]string{"dom": text(`a\ud800b\u0000c\u202e`)}, true, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := postInteract(t, newWorld().server(), with(t, tt.fields))
			if tt.fits && w.Code != http.StatusOK {
				t.Errorf("status %d: %.200s", w.Code, w.Body)
			}
			if !tt.fits {
				wantFailure(t, w, http.StatusBadRequest, "VALIDATION_ERROR", tt.field)
			}
		})
	}
}

func TestInteract_HandsOnWhatItReceived(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	body := `{
		"url": "https://example.com/form", "query": "Save it", "taskId": "` + strings.ToUpper(taskA) + `", "sessionId": "` + sessionA + `",
		"requestId": "from-the-body", "domHash": "ab12", "domMode": "semantic_v3", "pageTitle": "Form", "viewport": {"width": 1280, "height": 800},
		"interactiveTree": [{"i": 14, "r": "btn", "n": "Save", "xy": [1, 2]}], "previousUrl": "chrome://newtab/", "timezone": "Europe/Oslo",
		"lastActionStatus": "failure",
		"lastActionError": {"message": "gone", "code": "ELEMENT_NOT_FOUND", "action": "click(14)", "elementId": 14},
		"recoveredElement": {"originalId": "14", "recoveredId": 92},
		"clientObservations": {"didNetworkOccur": false, "didUrlChange": true},
		"clientVerification": {"elementFound": true, "urlChanged": false},
		"domChanges": {"addedCount": 3, "removedCount": 1, "dropdownDetected": true, "dropdownOptions": ["a", "b"], "didNetworkOccur": true},
		"verification_passed": false, "verification_message": "URL unchanged", "errors_detected": ["Invalid email"],
		"success_messages": ["Saved"], "recentEvents": ["Added: x"], "hasErrors": true, "hasSuccess": false,
		"lastExecutedActionIndex": 0,
		"chainPartialState": {"executedActions": ["click(1)"], "totalActionsInChain": 3, "domAfterLastSuccess": "<p>"}
	}`
	w := newWorld()
	res := send(t, w.server(), ask{
		method: post, target: "/api/agent/interact", token: tokenA, body: body,
		header: map[string]string{"Idempotency-Key": "from the header"},
	})
	if res.Code != http.StatusOK || len(w.requests) != 1 {
		t.Fatalf("status %d, %d requests: %s", res.Code, len(w.requests), res.Body)
	}
	sum := sha256.Sum256([]byte(body))
	want := interact.Request{
		Tenant: tenantA, User: userA, Key: "from the header", BodyHash: hex.EncodeToString(sum[:]), ReceivedAt: noon,
		TaskID: taskA, SessionID: sessionA, Query: "Save it", PreviousURL: "chrome://newtab/", Timezone: "Europe/Oslo", PageHash: "ab12",
		Capture: page.Capture{
			URL: "https://example.com/form", Mode: page.ModeSemanticV3, Title: "Form", Viewport: &page.Viewport{Width: 1280, Height: 800},
			Tree: []page.NodeV3{{ID: "14", Role: "btn", Name: "Save", XY: &[2]float64{1, 2}}},
		},
		Witness: page.Witness{
			NetworkOccurred: &no, URLChanged: &yes, ElementFound: &yes, SentinelPassed: &no, SentinelMessage: "URL unchanged",
			ErrorsDetected: []string{"Invalid email"}, SuccessMessages: []string{"Saved"}, RecentEvents: []string{"Added: x"},
			HasErrors: &yes, HasSuccess: &no, DropdownOpened: true, DropdownOptions: []string{"a", "b"}, Added: 3, Removed: 1,
			Status: "failure", RecoveredID: "92", RecoveredFrom: "14",
			Error: &page.ActionError{Message: "gone", Code: "ELEMENT_NOT_FOUND", Action: "click(14)", ElementID: "14"},
			Chain: &page.ChainProgress{LastExecuted: 0, Executed: []string{"click(1)"}, Total: 3},
		},
	}
	if diff := cmp.Diff(want, w.requests[0]); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestInteract_UnderstandsOtherSpellings(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tests := map[string]struct {
		fields map[string]string
		want   page.Witness
	}{
		"camel case for the sentinel": {
			map[string]string{"verificationPassed": "true", "verificationMessage": text("ok"), "errorsDetected": `["e"]`, "successMessages": `["s"]`},
			page.Witness{SentinelPassed: &yes, SentinelMessage: "ok", ErrorsDetected: []string{"e"}, SuccessMessages: []string{"s"}},
		},
		"snake case for the mutation stream": {
			map[string]string{"recent_events": `["r"]`, "has_errors": "false", "has_success": "true"},
			page.Witness{RecentEvents: []string{"r"}, HasErrors: &no, HasSuccess: &yes},
		},
		"a result for a status":            {map[string]string{"lastActionResult": `{"success":true,"actualState":"menu open"}`}, page.Witness{Status: "success", Result: "menu open"}},
		"a failed result for a status":     {map[string]string{"lastActionResult": `{"success":false}`}, page.Witness{Status: "failure"}},
		"a recovered id and the stale one": {map[string]string{"recoveredElement": `{"originalId":55,"recoveredId":"92"}`}, page.Witness{RecoveredFrom: "55", RecoveredID: "92"}},
		"requests that were refused": {
			map[string]string{"clientObservations": `{"failedRequests":[{"method":"POST","path":"/apply?token=1","status":500}]}`},
			page.Witness{Refused: []page.Refusal{{Method: "POST", Path: "/apply", Status: 500}}},
		},
		"what became of the control": {
			map[string]string{"clientObservations": `{"pendingRequests":1,"scriptErrors":0,"targetChanged":false,"directMutations":2}`},
			page.Witness{Pending: new(1), ScriptErrors: new(0), TargetChanged: &no, Direct: new(2)},
		},
		"a recovered id alone":  {map[string]string{"recoveredElement": text("92")}, page.Witness{RecoveredID: "92"}},
		"an element id in text": {map[string]string{"lastActionError": `{"elementId":"f1_5"}`}, page.Witness{Status: "failure", Error: &page.ActionError{ElementID: "f1_5"}}},
		"a chain that failed at once": {
			map[string]string{"chainActionError": `{"message":"no","action":"click(1)","failedIndex":0}`},
			page.Witness{Status: "failure", Error: &page.ActionError{Message: "no", Action: "click(1)"}, Chain: &page.ChainProgress{LastExecuted: -1}},
		},
		"nulls": {map[string]string{"clientObservations": "null", "lastActionError": "null", "taskId": "null", "recentEvents": "null"}, page.Witness{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			if res := postInteract(t, w.server(), with(t, tt.fields)); res.Code != http.StatusOK {
				t.Fatalf("status %d: %s", res.Code, res.Body)
			}
			if diff := cmp.Diff(tt.want, w.requests[0].Witness); diff != "" {
				t.Errorf("witness (-want +got):\n%s", diff)
			}
		})
	}
}

// The extractor's own result (spec: the V3 payload) is understood as it is.
func TestInteract_UnderstandsTheTreeAsItIsExtracted(t *testing.T) {
	t.Parallel()
	w := newWorld()
	res := postInteract(t, w.server(), `{"query": "Buy it", "mode": "semantic_v3", "url": "https://a.test/checkout", "title": "Checkout",
		"scroll_position": "25%", "viewport": {"width": 1280, "height": 800},
		"interactive_tree": [{"i": "99", "r": "btn", "n": "Place Order", "xy": [600, 700], "occ": true}],
		"scrollable_containers": [{"id": "cart-items", "depth": "0%", "hasMore": true}],
		"recent_events": ["Added: x"], "meta": {"totalElements": 40, "occludedElements": 1}}`)
	if res.Code != http.StatusOK {
		t.Fatalf("status %d: %s", res.Code, res.Body)
	}
	want := page.Capture{
		URL: "https://a.test/checkout", Mode: page.ModeSemanticV3, Title: "Checkout", ScrollPosition: "25%",
		Viewport:   &page.Viewport{Width: 1280, Height: 800},
		Tree:       []page.NodeV3{{ID: "99", Role: "btn", Name: "Place Order", XY: &[2]float64{600, 700}, Occluded: true}},
		Containers: []page.ScrollContainer{{ID: "cart-items", Depth: "0%", HasMore: true}},
	}
	if diff := cmp.Diff(want, w.requests[0].Capture); diff != "" {
		t.Errorf("capture (-want +got):\n%s", diff)
	}
}

func TestInteract_CutsWhatItsReportsSay(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("😀", maxReport)
	var events []string
	for range 3 * maxReports {
		events = append(events, long)
	}
	events = append(events, "the last one")
	raw, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld()
	postInteract(t, w.server(), with(t, map[string]string{"recentEvents": string(raw), "errors_detected": string(raw), "pageTitle": text(long)}))
	got := w.requests[0]
	if n := len(got.Witness.RecentEvents); n != maxReports || got.Witness.RecentEvents[n-1] != "the last one" {
		t.Errorf("%d events were kept, want the last %d", n, maxReports)
	}
	if n := len(got.Witness.ErrorsDetected); n != maxReports || units(got.Witness.ErrorsDetected[0]) != maxReport {
		t.Errorf("%d errors were kept of %d units, want the first %d, of %d", n, units(got.Witness.ErrorsDetected[0]), maxReports, maxReport)
	}
	if units(got.Capture.Title) != maxTitle {
		t.Errorf("the title has %d units, want %d", units(got.Capture.Title), maxTitle)
	}
}

func TestInteract_SendsTheStoredAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld()
	res := postInteract(t, w.server(), goodInteract)
	if want := `{"success":true,"data":` + string(w.answer.Answer) + "}\n"; res.Body.String() != want {
		t.Errorf("body = %s, want %s", res.Body, want)
	}
	if res.Header().Get("ETag") != `"3"` || res.Header().Get("X-Event-Position") != "41" {
		t.Errorf("headers = %v", res.Header())
	}
}

func TestInteract_RepeatedIsNotCounted(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.limits[account.Interact] = 10
	s := w.server()
	if got := postInteract(t, s, goodInteract).Header().Get("X-RateLimit-Remaining"); got != "9" {
		t.Errorf("after a turn %s remain, want 9", got)
	}
	w.answer.Replayed = true
	if got := postInteract(t, s, goodInteract).Header().Get("X-RateLimit-Remaining"); got != "9" || w.refunded[account.Interact] != 1 {
		t.Errorf("after its repetition %s remain with %d refunds, want 9 with 1", got, w.refunded[account.Interact])
	}
	if got := postInteract(t, s, `{}`).Header().Get("X-RateLimit-Remaining"); got != "8" {
		t.Errorf("after an invalid request %s remain, want 8: it counts", got)
	}
}

func TestInteract_AStoredErrorIsAnAnswerToo(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.limits[account.Interact] = 10
	w.fail = domain.Errorf(domain.Invalid, "MAX_STEPS_EXCEEDED", "too many steps")
	s := w.server()
	for _, tt := range []struct {
		replayed             bool
		left, etag, position string
	}{{false, "9", "", ""}, {true, "9", `"3"`, "41"}} {
		w.answer.Replayed = tt.replayed
		res := postInteract(t, s, goodInteract)
		wantFailure(t, res, http.StatusBadRequest, "MAX_STEPS_EXCEEDED", "")
		h := res.Header()
		if h.Get("X-RateLimit-Remaining") != tt.left || h.Get("ETag") != tt.etag || h.Get("X-Event-Position") != tt.position {
			t.Errorf("replayed %v: headers %v, want %+v", tt.replayed, h, tt)
		}
	}
}
