package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds on the client's texts, which go into events and prompts.
const (
	maxWitnessItems = 10
	maxWitnessText  = 200
	maxURLText      = 300 // of a URL in a line
)

// Observe returns the specification's list of observations: the URL, what changed on
// the page, the focus, and what the client reported, in this order. It states facts
// and does not judge.
func Observe(before Before, now Page, w Witness) []Observation {
	obs := []Observation{observeURL(before.URL, now.URL)}
	obs = append(obs, observeContent(before, now)...)
	obs = append(obs, observeFocus(before, now)...)
	obs = append(obs, observeClient(w)...)
	obs = append(obs, observeSentinel(w)...)
	obs = append(obs, observeEvents(w)...)
	return append(obs, observeReport(w)...)
}

// NothingChanged reports that the action had no noticeable effect: same URL, meaning
// and focus, no observation, and no report of an effect. A change of the document
// alone is no effect, since clocks and advertisements change it all the time. Such an
// action has failed without asking a model (spec, step 5.3). Of a page of which the
// client left something out nobody can tell.
func NothingChanged(before Before, now Page, w Witness) bool {
	if before.Skeleton.Partial || now.Partial() || !sameURL(before.URL, now.URL) || focusMoved(before, now) || w.sawSomething() {
		return false
	}
	if before.MeaningHash == "" { // recorded without a reading: the hash is all there is
		return before.DOMHash == now.DOMHash
	}
	return before.MeaningHash == now.MeaningHash && len(contentDiff(before, now)) == 0
}

// contentDiff returns what changed on the page: elements, messages and lines of text.
func contentDiff(before Before, now Page) []Observation {
	diff := Diff(before.Skeleton, now.Skeleton())
	return append(diff, textDiff(before, now, diff)...)
}

// sawSomething reports whether the client saw any effect. A missing expected element
// is none.
func (w Witness) sawSomething() bool {
	for _, said := range [...]*bool{
		w.NetworkOccurred, w.DOMMutated, w.URLChanged, w.TargetChanged, w.ElementFound, w.SentinelPassed, w.HasErrors, w.HasSuccess,
	} {
		if said != nil && *said {
			return true
		}
	}
	return len(w.ErrorsDetected)+len(w.SuccessMessages)+len(w.RecentEvents)+len(w.Refused)+count(w.Pending)+count(w.Direct) > 0 ||
		w.DropdownOpened || w.Added+w.Removed > 0
}

func observeURL(from, to string) Observation {
	if sameURL(from, to) {
		return Observation{Kind: URLSame, Text: "URL did not change"}
	}
	return Observation{
		Kind: URLChangedTo, From: from, To: to,
		Text: "Navigation occurred: URL changed from " + Cut(from, maxURLText) + " to " + Cut(to, maxURLText),
	}
}

// sameURL ignores a bare "#", which href="#" leaves behind.
func sameURL(a, b string) bool { return strings.TrimSuffix(a, "#") == strings.TrimSuffix(b, "#") }

func observeContent(before Before, now Page) []Observation {
	changed := before.DOMHash != now.DOMHash
	content := func(changed bool, yes, no string) []Observation {
		if changed {
			return []Observation{{Kind: ContentChanged, Text: yes}}
		}
		return []Observation{{Kind: ContentSame, Text: no}}
	}
	if before.MeaningHash == "" {
		return content(changed, "Page content updated (DOM changed)", "Page content did not change (DOM hash identical)")
	}
	if diff := contentDiff(before, now); len(diff) > 0 {
		return diff
	}
	return content(changed,
		"Page content updated (DOM changed; no interactive element changes detected)",
		"Page content did not change (no interactive element or alert changes)")
}

// focusMoved reports whether the focus is known now and is another element's.
func focusMoved(before Before, now Page) bool {
	return now.ActiveElement != "" && now.ActiveElement != before.ActiveElement
}

func observeFocus(before Before, now Page) []Observation {
	if !focusMoved(before, now) {
		return nil
	}
	to := now.ActiveElement
	if e, ok := now.ByID(to); ok {
		to = Describe(e)
	}
	text := "Focus moved to " + to
	if before.ActiveElement != "" {
		text = "Focus moved from " + focusedBefore(before) + " to " + to
	}
	return []Observation{{Kind: FocusMoved, From: before.ActiveElement, To: now.ActiveElement, Text: text}}
}

// focusedBefore describes what had the focus: a skeleton has only what a person sees.
func focusedBefore(before Before) string {
	for _, d := range before.Skeleton.Elements {
		if d.ID == before.ActiveElement {
			return describe(d.Role, d.Name, d.ID)
		}
	}
	return "an element that was not shown (" + Cut(before.ActiveElement, maxDescribed) + ")"
}

// observeClient reports what the extension itself saw (clientObservations,
// clientVerification).
func observeClient(w Witness) []Observation {
	var obs []Observation
	if isTrue(w.NetworkOccurred) {
		obs = append(obs, witnessed("Background network activity detected"))
	}
	for _, r := range w.Refused[:min(len(w.Refused), maxWitnessItems)] {
		obs = append(obs, Observation{Kind: Witnessed, Attr: AttrRequest, To: strconv.Itoa(r.Status), Text: r.String()})
	}
	if n := count(w.Pending); n > 0 {
		obs = append(obs, witnessed(fmt.Sprintf("Requests still without an answer: %d", n)))
	}
	if isTrue(w.DOMMutated) {
		obs = append(obs, witnessed("DOM was mutated"))
	}
	if w.TargetChanged != nil {
		text := "The element acted on looks as before"
		if *w.TargetChanged {
			text = "The element acted on, or what it stands in, looks different"
		}
		obs = append(obs, witnessed(text))
	}
	if w.Direct != nil {
		text := "The page's scripts changed nothing at once"
		if *w.Direct > 0 {
			text = fmt.Sprintf("The page's scripts answered the action at once: changes %d", *w.Direct)
		}
		obs = append(obs, witnessed(text))
	}
	if n := count(w.ScriptErrors); n > 0 {
		obs = append(obs, witnessed(fmt.Sprintf("Errors of the page's scripts that nobody caught: %d", n)))
	}
	if w.URLChanged != nil {
		obs = append(obs, witnessed(fmt.Sprintf("Extension reported URL changed: %t", *w.URLChanged)))
	}
	if w.ElementFound != nil {
		text := "Client verification: expected element not found"
		if *w.ElementFound {
			text = "Client verification: expected element found"
		}
		obs = append(obs, witnessed(text))
	}
	return obs
}

// count is a number that the client may have left out.
func count(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// String describes the request and its result.
func (r Refusal) String() string {
	what := Cut(Clean(strings.TrimSpace(r.Method+" "+r.Path)), maxWitnessText)
	if r.Status == 0 {
		return "Request failed: " + what + " was not answered"
	}
	return fmt.Sprintf("Request failed: %s was answered with status %d", what, r.Status)
}

// observeSentinel reports the client's own check of the expected outcome.
func observeSentinel(w Witness) []Observation {
	var obs []Observation
	if w.SentinelPassed != nil {
		text := "Sentinel verification failed"
		if *w.SentinelPassed {
			text = "Sentinel verification passed"
		}
		obs = append(obs, witnessed(text+suffix(": ", w.SentinelMessage)))
	}
	for _, m := range items(w.ErrorsDetected) {
		obs = append(obs, Observation{Kind: Witnessed, Alert: AlertError, To: m, Text: "Error detected: " + m})
	}
	for _, m := range items(w.SuccessMessages) {
		obs = append(obs, Observation{Kind: Witnessed, Alert: AlertSuccess, To: m, Text: "Success message detected: " + m})
	}
	if isTrue(w.HasErrors) && len(w.ErrorsDetected) == 0 {
		obs = append(obs, Observation{Kind: Witnessed, Alert: AlertError, Text: "Extension reported an error message on the page"})
	}
	if isTrue(w.HasSuccess) && len(w.SuccessMessages) == 0 {
		obs = append(obs, Observation{Kind: Witnessed, Alert: AlertSuccess, Text: "Extension reported a success message on the page"})
	}
	return obs
}

// observeEvents reports the mutation stream and the DOM changes.
func observeEvents(w Witness) []Observation {
	var obs []Observation
	for _, m := range items(w.RecentEvents) {
		obs = append(obs, witnessed("Recent event: "+m))
	}
	if options := items(w.DropdownOptions); len(options) > 0 {
		obs = append(obs, opened("Dropdown opened with options: "+strings.Join(options, ", ")))
	} else if w.DropdownOpened {
		obs = append(obs, opened("Dropdown opened"))
	}
	if w.Added > 0 || w.Removed > 0 {
		obs = append(obs, witnessed(fmt.Sprintf("DOM nodes added: %d, removed: %d", w.Added, w.Removed)))
	}
	return obs
}

// observeReport reports whether the client could do the action.
func observeReport(w Witness) []Observation {
	var obs []Observation
	switch {
	case w.Error != nil:
		text := "Extension reported an error" + suffix(" in ", w.Error.Action) + suffix(" on element ", w.Error.ElementID) +
			suffix(": ", w.Error.Message) + suffix(" ", parenthesised(w.Error.Code))
		obs = append(obs, Observation{Kind: Reported, Alert: AlertError, To: w.Error.Code, Text: text})
	case w.Status == "failure":
		obs = append(obs, Observation{Kind: Reported, Alert: AlertError, Text: "Extension reported that the action failed"})
	}
	if state := suffix("", w.Result); state != "" {
		obs = append(obs, Observation{Kind: Reported, Text: "Extension reported the state after the action: " + state})
	}
	if c := w.Chain; c != nil {
		obs = append(obs, Observation{Kind: Reported, Text: c.describe(w.Status == "success" && w.Error == nil)})
	}
	if w.RecoveredID != "" {
		ids := suffix("ID ", w.RecoveredID)
		if from := suffix("ID ", w.RecoveredFrom); from != "" {
			ids = from + " → " + ids
		}
		obs = append(obs, Observation{
			Kind: Reported, From: w.RecoveredFrom, To: w.RecoveredID,
			Text: "Action executed on recovered element (" + ids + ")",
		})
	}
	return obs
}

// describe says how far the chain came; its length may be unknown. A client reports also
// on a chain that did not stop.
func (c ChainProgress) describe(succeeded bool) string {
	done, says := max(0, c.LastExecuted+1), "Action chain stopped"
	if succeeded {
		says = "Action chain"
	}
	if c.Total > 0 {
		return fmt.Sprintf("%s: %d of %d actions executed", says, done, c.Total)
	}
	return fmt.Sprintf("%s: %d actions executed", says, done)
}

// OpensList reports whether a menu or list opened: the client saw one, or one of its
// items appeared.
func (o Observation) OpensList() bool {
	if o.Kind == Witnessed {
		return o.Attr == AttrExpanded && o.To == "true"
	}
	role, _, _ := strings.Cut(o.Key, "|")
	return o.Kind == ElementAppeared && slices.Contains(listRoles, role)
}

func opened(text string) Observation {
	return Observation{Kind: Witnessed, Attr: AttrExpanded, To: "true", Text: text}
}

func witnessed(text string) Observation { return Observation{Kind: Witnessed, Text: text} }

func isTrue(b *bool) bool { return b != nil && *b }

// suffix returns separator and text, or "" if there is no text.
func suffix(separator, text string) string {
	if text = Cut(Clean(text), maxWitnessText); text == "" {
		return ""
	}
	return separator + text
}

func parenthesised(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// items returns the last few non-empty texts: the newest are last.
func items(list []string) []string {
	var out []string
	for _, s := range list[max(0, len(list)-maxWitnessItems):] {
		if s = Cut(Clean(s), maxWitnessText); s != "" {
			out = append(out, s)
		}
	}
	return out
}
