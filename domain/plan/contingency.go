package plan

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// Contingency is what to do first if something foreseen is in the way: "if a cookie
// banner shows, close it". It is used at most once.
type Contingency struct {
	Name    string  `json:"name"`
	Trigger Trigger `json:"trigger"`
	Steps   []Step  `json:"steps"`
	Taken   bool    `json:"taken,omitempty"`
}

// Trigger is a pattern. All of its signs that are set have to match.
type Trigger struct {
	// Text is words that a person would read on the page, in its messages, in an
	// observation or in the verdict; alternatives are separated by |. Words match
	// whole: "Saved" does not match "Unsaved".
	Text string `json:"text,omitempty"`
	// Element is a selector of something that is on the page.
	Element string `json:"element,omitempty"`
	// URL is a part of the page's address.
	URL string `json:"url,omitempty"`
}

func checkContingencies(list []Contingency) error {
	if len(list) > MaxContingencies {
		return invalid("a plan has at most %d contingencies", MaxContingencies)
	}
	for i, c := range list {
		switch {
		case strings.TrimSpace(c.Name) == "":
			return invalid("contingency %d has no name", i)
		case slices.ContainsFunc(list[:i], func(other Contingency) bool { return other.Name == c.Name }):
			return invalid("two contingencies are called %q", c.Name)
		case strings.Trim(c.Trigger.Text, " |")+c.Trigger.Element+c.Trigger.URL == "":
			return invalid("contingency %q has no trigger", c.Name)
		case len(c.Steps) == 0:
			return invalid("contingency %q has no steps", c.Name)
		}
		if err := checkSteps(c.Steps); err != nil {
			return err
		}
	}
	return nil
}

// Failure is a failed verdict and what was observed.
type Failure struct {
	Reason       string
	Observations []page.Observation
	Page         page.Page
}

// Foreseen returns the first unused contingency that matches a failure. It is tried
// before a correction is asked for.
func (p Plan) Foreseen(f Failure) (index int, ok bool) {
	if p.Done() {
		return 0, false
	}
	for i, c := range p.Contingencies {
		if !c.Taken && c.Trigger.fires(f) && len(p.Steps)+len(c.Steps) <= MaxSteps {
			return i, true
		}
	}
	return 0, false
}

func (t Trigger) fires(f Failure) bool {
	signs := 0
	for _, sign := range []struct {
		given string
		shows func(string, Failure) bool
	}{{t.Text, readable}, {t.Element, onPage}, {t.URL, inAddress}} {
		if sign.given == "" {
			continue
		}
		if !sign.shows(sign.given, f) {
			return false
		}
		signs++
	}
	return signs > 0
}

func readable(pattern string, f Failure) bool {
	said := f.Page
	said.Alerts = append(slices.Clip(said.Alerts), page.Alert{Text: f.Reason})
	for _, o := range f.Observations {
		said.Alerts = append(said.Alerts, page.Alert{Text: o.Text})
	}
	for alternative := range strings.SplitSeq(pattern, "|") {
		if (page.NextGoal{Text: strings.TrimSpace(alternative)}).Check(said).Held == page.True {
			return true
		}
	}
	return false
}

func onPage(selector string, f Failure) bool { return page.Locate(f.Page, selector) == page.True }

func inAddress(part string, f Failure) bool {
	return strings.Contains(strings.ToLower(f.Page.URL), strings.ToLower(part))
}

// Take puts a contingency's steps before the current step, which is tried again after
// them.
func (p Plan) Take(contingency int) Plan {
	p = p.copied()
	c := &p.Contingencies[contingency]
	c.Taken = true
	if !p.Done() {
		p.Steps[p.Current].Status = Pending
	}
	p.Steps = slices.Insert(p.Steps, min(p.Current, len(p.Steps)), fresh(c.Steps, c.Name)...)
	return p.activate()
}
