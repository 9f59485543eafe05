package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/identity"
)

// The requests clients are documented to send (spec: API Request Structure and its
// examples, client contract, V3 and advanced fields, hybrid, chains). Every one is
// accepted, with its continuation, whatever else stands in it.
func TestFields_EveryDocumentedOneIsAccepted(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	email := newUser(t, s.identity, "fields@acme.example")
	s.tool(t, "tenant", "tier", email, identity.TierEnterprise)
	c := s.loginAs(t, email)
	const search = `"url":"https://www.example.com","query":"Search for SpaceX","dom":"<html><input id=1 aria-label=Search><button id=2>Search now</button></html>"`
	pages := map[string]string{
		"the basic one":     search,
		"semantic_v3":       search + `,"domMode":"semantic_v3","viewport":{"width":1280,"height":800},"pageTitle":"Search","interactiveTree":[{"i":"1","r":"inp","n":"Search","v":"","xy":[400,300]},{"i":"2","r":"btn","n":"Search now","xy":[400,350]},{"i":"4","r":"link","n":"Mail","xy":[900,20]}]`,
		"semantic":          search + `,"domMode":"semantic","pageTitle":"Search","semanticNodes":[{"id":"1","role":"searchbox","name":"Search","value":""},{"id":"2","role":"button","name":"Search now"}]`,
		"skeleton":          search + `,"domMode":"skeleton","skeletonDom":"<input id=\"1\" name=\"q\" type=\"text\" />\n<button id=\"2\">Search now</button>"`,
		"hybrid":            `"url":"https://example.com/dashboard","query":"Click the Settings button","dom":"<html></html>","domMode":"hybrid","skeletonDom":"<button id=\"1\" aria-label=\"Settings\">S</button>","screenshot":"/9j/4AAQSkZJRgABAQEASABIAAD","screenshotHash":"1010101010101010"`,
		"hybrid, unchanged": `"url":"https://example.com/dashboard","query":"Click the Settings button","dom":"<html></html>","domMode":"hybrid","skeletonDom":"<button id=\"1\" aria-label=\"Settings\">S</button>","screenshot":null`,
		"full":              search + `,"domMode":"full"`,
		"as the extractor returns it": `"mode":"semantic_v3","url":"https://shop.example.com/checkout","query":"Set Street to Main Road","title":"Checkout","scroll_position":"25%","viewport":{"width":1280,"height":800},` +
			`"interactive_tree":[{"i":"5","r":"inp","n":"Full Name","v":"John Doe","xy":[200,150],"box":[100,140,200,30]},{"i":"6","r":"inp","n":"Street","focused":true,"xy":[200,200]},{"i":"99","r":"btn","n":"Place Order","xy":[600,700],"occ":true,"f":0,"s":"disabled","scr":{"depth":"0%","h":true}}],` +
			`"scrollable_containers":[{"id":"cart-items","depth":"0%","hasMore":true}],"recent_events":["[3s ago] Added: 'Shipping calculated'"]`,
		"filtered": `"mode":"filtered","reason":"Filtered for 'Samsung Price'","originalCount":500,"filteredCount":8,"tokenReduction":92,"url":"https://shop.example.com/","query":"Click Add to Cart",` +
			`"tree":[{"i":"45","r":"item","n":"Samsung Odyssey G7","v":"$299"},{"i":"46","r":"btn","n":"Add to Cart"},{"i":"47","r":"link","n":"See Details"}]`,
	}
	// Each with what uses it.
	fields := map[string]string{
		"lastActionStatus":     `"lastActionStatus":"success"`,                                                                                                                                                                             // the verdict: client-error
		"pending":              `"lastActionStatus":"pending"`,                                                                                                                                                                             // the verdict waits for an answer
		"lastActionError":      `"lastActionError":{"message":"m","code":"ELEMENT_NOT_FOUND","action":"click(1)","elementId":123}`,                                                                                                         // verdict and correction
		"lastActionResult":     `"lastActionResult":{"success":true,"actualState":"clicked"}`,                                                                                                                                              // observations
		"domChanges":           `"domChanges":{"addedCount":2,"removedCount":1,"dropdownDetected":true,"dropdownOptions":["a"],"stabilizationTime":300,"previousUrl":"https://www.example.com","urlChanged":false,"didNetworkOccur":true}`, // observations; stabilizationTime: nothing
		"clientObservations":   `"clientObservations":{"didNetworkOccur":true,"didDomMutate":true,"didUrlChange":false}`,                                                                                                                   // observations, verdict
		"clientVerification":   `"clientVerification":{"elementFound":true,"selector":"#a","urlChanged":false}`,                                                                                                                            // observations
		"sentinel":             `"verification_passed":true,"verification_message":"m","errors_detected":["e"],"success_messages":["s"]`,                                                                                                   // observations, proofs
		"sentinel, other case": `"verificationPassed":false,"verificationMessage":"m","errorsDetected":[],"successMessages":[]`,                                                                                                            // the same
		"mutation stream":      `"recentEvents":["[1s ago] Added: 'x'"],"hasErrors":false,"hasSuccess":true`,                                                                                                                               // observations
		"view":                 `"scrollPosition":"50%","scrollableContainers":[{"id":"list","depth":"40%","hasMore":true}],"activeElement":"1","viewport":{"width":1280,"height":800}`,                                                    // looks further down; what type goes to
		"recoveredElement":     `"recoveredElement":{"originalId":"1","recoveredId":"2"}`,                                                                                                                                                  // the verdict looks at the found one
		"a chain":              `"lastExecutedActionIndex":-1,"chainPartialState":{"executedActions":[],"totalActionsInChain":1},"chainActionError":{"message":"m","code":"c","action":"click(2)","elementId":2,"failedIndex":0}`,          // only what was executed is judged
		"of the client":        `"previousUrl":"https://www.example.com","timezone":"Europe/Oslo","clientCapabilities":["press","chain","somethingNew"],"requestId":"%s"`,                                                                  // verdict; dates; which actions are asked for; doing it once
		"unknown ones":         `"sessionState":{"a":[1,2]},"extensionVersion":"3.1","dom_stats":null`,                                                                                                                                     // nobody
	}
	n := 0
	for name, page := range pages {
		for field, text := range fields {
			if strings.Contains(text, "%s") {
				n++
				text = fmt.Sprintf(text, fmt.Sprint("field-", n))
			}
			first := c.contractInteract(t, name+" with "+field, `{`+page+`,`+withoutOf(text, page)+`}`)
			first.has(t, map[string]string{"data.metrics.turn": "number", "data.metrics.totalTokens": "number", "data.usage.promptTokens": "number", "data.stepIndex": "number"})
			if first.at("data.action") != nil {
				first.has(t, map[string]string{"data.toolAction.toolName": "text", "data.toolAction.toolType": "text"})
			}
			if strings.Contains(text, "requestId") {
				continue // the same key is the same request
			}
			known := fmt.Sprintf(`"taskId":%q,"sessionId":%q`, first.at("data.taskId"), first.at("data.sessionId"))
			if first.at("data.status") != "executing" {
				continue
			}
			next := c.contractInteract(t, name+" with "+field+", after it", `{`+page+`,`+known+`,`+withoutOf(text, page)+`}`)
			next.has(t, map[string]string{"data.verification.outcome": "text", "data.verification.confidence": "number"})
		}
	}
	if n != len(pages) {
		t.Errorf("%d keys for %d pages", n, len(pages))
	}
}

// withoutOf drops what the page says already: a field given twice is refused.
func withoutOf(text, page string) string {
	if strings.Contains(page, `"viewport"`) {
		text = strings.Replace(text, `,"viewport":{"width":1280,"height":800}`, "", 1)
	}
	return text
}
