package page

import (
	"fmt"
	"strconv"
)

// Values of Attr in observations of a change.
const (
	AttrText     = "text"
	AttrValue    = "value"
	AttrChecked  = "checked"
	AttrExpanded = "ariaExpanded"
	AttrDisabled = "disabled"
	AttrSelected = "selected"
	AttrInvalid  = "invalid"
	AttrHref     = "href"
	// AttrFilled: a secret field was filled in or emptied.
	AttrFilled = "filled"
	// AttrMarks: a class that says its state was switched on or off.
	AttrMarks = "state"
	// AttrOccluded: something now covers the element, or no longer does.
	AttrOccluded = "occluded"
	// AttrOnHover: the element is drawn only while the mouse is over it, or was.
	AttrOnHover = "onhover"
	// AttrRequest: a request failed; To is the status.
	AttrRequest = "request"
	// AttrNumber: only numbers changed in a line of text.
	AttrNumber = "number"
)

// How many lines of each kind a diff has; one more line counts the rest. A
// navigation replaces everything, and past a dozen lines nobody reads on.
const (
	maxAlertLines    = 10
	maxOccludedLines = 5 // a dialog covers and uncovers all of the page
	maxChangeLines   = 30
	maxAppearedLines = 15
	maxGoneLines     = 10
)

// Diff returns the changes between two skeletons in the specification's words, the
// most important first: messages, then values and states, then elements that appeared
// and disappeared. Ticking texts are no change. What a partial skeleton lacks may only
// have been left out of it, so nothing appeared after one and nothing is gone on one.
// The result is bounded.
func Diff(before, after Skeleton) []Observation {
	p := pair(before.Elements, after.Elements)
	obs := alertsDiff(before, after)

	var changed, covered, uncovered, hovered, appeared, gone []Observation
	for i, j := range p.after {
		if j < 0 {
			continue
		}
		b, a := before.Elements[i], after.Elements[j]
		changed = append(changed, changes(b, a)...)
		switch {
		case a.Occluded && !b.Occluded:
			covered = append(covered, flagLine(b, a, AttrOccluded, a.Occluded))
		case b.Occluded && !a.Occluded:
			uncovered = append(uncovered, flagLine(b, a, AttrOccluded, a.Occluded))
		}
		if a.OnHover != b.OnHover {
			hovered = append(hovered, flagLine(b, a, AttrOnHover, a.OnHover))
		}
	}
	// What lies beyond the last common element of a skeleton that was cut may
	// only have been pushed over the edge.
	for j, i := range p.before[:comparedUpTo(p.before, before.Cut)] {
		if i < 0 && !before.Partial {
			appeared = append(appeared, elementLine(ElementAppeared, "New element appeared: ", after.Elements[j]))
		}
	}
	for i, j := range p.after[:comparedUpTo(p.after, after.Cut)] {
		if j < 0 && !after.Partial {
			gone = append(gone, elementLine(ElementGone, "Element disappeared: ", before.Elements[i]))
		}
	}
	obs = append(obs, capped(changed, maxChangeLines, "more changes of elements")...)
	obs = append(obs, capped(uncovered, maxOccludedLines, "more elements uncovered")...)
	obs = append(obs, capped(covered, maxOccludedLines, "more elements covered")...)
	obs = append(obs, capped(hovered, maxOccludedLines, "more elements are seen or no longer seen under the mouse")...)
	obs = append(obs, capped(appeared, maxAppearedLines, "more elements appeared")...)
	return append(obs, capped(gone, maxGoneLines, "more elements disappeared")...)
}

func comparedUpTo(pairs []int, cut bool) int {
	n := len(pairs)
	for cut && n > 0 && pairs[n-1] < 0 {
		n--
	}
	return n
}

func elementLine(kind ObservationKind, text string, d Descriptor) Observation {
	return Observation{Kind: kind, Key: d.Key, Text: text + describe(d.Role, d.Name, d.ID)}
}

// changeLine describes a change of an element.
func changeLine(b, a Descriptor, attr, from, to string) Observation {
	return Observation{
		Kind: ElementChanged, Key: a.Key, Attr: attr, From: from, To: to,
		Text: fmt.Sprintf("Element '%s' changed '%s' from '%s' to '%s'", describe(b.Role, b.Name, b.ID), attr, from, to),
	}
}

func flagLine(b, a Descriptor, attr string, is bool) Observation {
	return changeLine(b, a, attr, strconv.FormatBool(!is), strconv.FormatBool(is))
}

// changes returns the changes of one element.
func changes(b, a Descriptor) []Observation {
	var obs []Observation
	line := func(attr, from, to string) { obs = append(obs, changeLine(b, a, attr, from, to)) }
	text := func(attr, from, to string) {
		if from != to && dropTicking(from, false) != dropTicking(to, false) {
			line(attr, from, to)
		}
	}
	flag := func(attr string, from, to bool) {
		if from != to {
			obs = append(obs, flagLine(b, a, attr, to))
		}
	}
	text(AttrText, b.Name, a.Name)
	if !changesByItself(b.Role, b.Name) {
		text(AttrValue, b.Value, a.Value)
	}
	text(AttrChecked, b.Checked, a.Checked)
	text(AttrExpanded, b.Expanded, a.Expanded)
	flag(AttrDisabled, b.Disabled, a.Disabled)
	flag(AttrSelected, b.Selected, a.Selected)
	flag(AttrInvalid, b.Invalid, a.Invalid)
	flag(AttrFilled, b.Filled, a.Filled)
	text(AttrMarks, b.Marks, a.Marks)
	text(AttrHref, target(b.Href), target(a.Href))
	return obs
}

// alertsDiff compares messages as a multiset: the same text twice is two messages.
func alertsDiff(before, after Skeleton) []Observation {
	var appeared, gone []Observation
	old := alertCount(before.Alerts)
	for _, kind := range [...]AlertKind{AlertError, AlertSuccess, AlertOther} {
		for _, a := range after.Alerts {
			if k := alertKey(a); a.Kind == kind {
				if old[k]--; old[k] < 0 && !before.Partial {
					appeared = append(appeared, Observation{
						Kind: AlertAppeared, Alert: a.Kind, To: a.Text, Text: "New message/alert appeared: " + a.Text,
					})
				}
			}
		}
	}
	now := alertCount(after.Alerts)
	for _, a := range before.Alerts {
		if k := alertKey(a); now[k] > 0 {
			now[k]--
		} else if !after.Partial {
			gone = append(gone, Observation{
				Kind: AlertGone, Alert: a.Kind, From: a.Text, Text: "Message/alert disappeared: " + a.Text,
			})
		}
	}
	appeared = capped(appeared, maxAlertLines, "more messages appeared")
	return append(appeared, capped(gone, maxAlertLines, "more messages disappeared")...)
}

func alertCount(list []Alert) map[string]int {
	n := make(map[string]int, len(list))
	for _, a := range list {
		n[alertKey(a)]++
	}
	return n
}

func alertKey(a Alert) string { return string(a.Kind) + "\x00" + dropTicking(a.Text, true) }

// capped keeps the first n observations and counts the others in one more.
func capped(obs []Observation, n int, rest string) []Observation {
	if len(obs) <= n {
		return obs
	}
	more := Observation{Kind: obs[0].Kind, Text: strconv.Itoa(len(obs)-n) + " " + rest}
	if isCover(obs[0]) {
		more.Attr, more.From, more.To = obs[0].Attr, obs[0].From, obs[0].To
	}
	return append(obs[:n:n], more)
}
