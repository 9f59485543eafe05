package plan

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
)

// Action is what to do with a plan after a check.
type Action string

// The actions.
const (
	// Continue: the plan fits.
	Continue Action = "continue"
	// Validate: whoever acts has to see whether the remaining steps can be done on this
	// page.
	Validate Action = "validate"
	// Regenerate: the plan does not fit; make a new one without asking.
	Regenerate Action = "regenerate"
)

// Cause is why a plan was checked.
type Cause string

// The causes (spec: re-planning triggers). A major change of structure shows in
// the similarity, where it does not replace but only covers the page by itself.
const (
	NoCause         Cause = ""
	CauseURL        Cause = "url"
	CauseSimilarity Cause = "similarity"
	CauseCovered    Cause = "covered"
	CauseMissing    Cause = "missing"
	// CauseActor: whoever acts found that it does not lead on.
	CauseActor Cause = "actor"
)

// Health says whether a plan still fits. Similarity is that of the two pages, for the
// record.
type Health struct {
	Action     Action
	Cause      Cause
	Similarity float64
	Reason     string
}

// coveredShare is the share of covered elements from which a page cannot be worked
// on.
const coveredShare = 0.5

// Check compares the page of the last action with the page now, for the steps that are
// left. A changed page alone is no fault, since plans lead across pages. If the last
// action said what the next needs, that decides; leaving the site unexpectedly ends the
// plan; about everything else somebody has to look.
func Check(before page.Before, now page.Page, last page.Outcome) Health {
	h := drift(before, now)
	if h.Cause == NoCause {
		return h
	}
	var needs page.NextGoal
	known := last.NextGoal != nil
	if known {
		needs = *last.NextGoal
	}
	leads := last.Changes.URLChanges != nil && *last.Changes.URLChanges
	switch held := needs.Check(now).Held; {
	case known && held == page.True && h.Cause != CauseCovered:
		h.Action = Continue
		h.Reason += "; what the next step needs is there"
	case known && held == page.False && needs.Required:
		h.Action, h.Cause = Regenerate, CauseMissing
		h.Reason += "; what the next step needs is not there: " + needs.Description
	case otherSite(before.URL, now.URL) && !leads:
		h.Action = Regenerate
		h.Reason += "; it is another site"
	}
	return h
}

// drift compares the two pages alone.
func drift(before page.Before, now page.Page) Health {
	h := Health{Action: Validate, Similarity: page.Similarity(before.Skeleton, now.Skeleton())}
	if before.MeaningHash == "" {
		h.Similarity = 1 // recorded without a reading: nothing to compare with
	}
	switch page.Drifted(before, now) {
	case page.DriftURL:
		h.Cause, h.Reason = CauseURL, "another page is shown"
	case page.DriftSimilarity:
		h.Cause, h.Reason = CauseSimilarity, fmt.Sprintf("the page is %.0f %% like the one before", 100*h.Similarity)
	default:
		h.Action, h.Reason = Continue, "the page is the one the plan knows"
	}
	if covered(now) {
		h.Action, h.Cause, h.Reason = Validate, CauseCovered, "most of the page lies under something else"
	}
	return h
}

func covered(p page.Page) bool {
	visible, under := 0, 0
	for _, e := range p.Elements {
		if e.State.Hidden {
			continue
		}
		visible++
		if e.State.Occluded {
			under++
		}
	}
	return under > 0 && float64(under) >= coveredShare*float64(visible)
}

// otherSite compares hosts, ignoring www.
func otherSite(from, to string) bool {
	host := func(raw string) string {
		u, err := weburl.Parse(raw)
		if err != nil {
			return ""
		}
		return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	}
	return host(from) != host(to)
}
