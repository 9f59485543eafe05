package model

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// renderLookUps renders what was looked up on the page in this turn.
func renderLookUps(q reasoning.ActQuestion, v prompt.View) string {
	var parts []string
	more := 0
	for _, a := range q.LookedUp[:min(len(q.LookedUp), reasoning.MaxLookUps)] {
		switch a.Name {
		case action.Find:
			parts = append(parts, prompt.Find(q.Page, v, a.Text))
		case action.More:
			more++
			parts = append(parts, prompt.More(q.Page, v, more))
		}
	}
	return strings.Join(parts, "\n\n")
}

// renderClock says what day it is and how many steps are left. Without a known zone
// the hour would mislead.
func renderClock(q reasoning.ActQuestion) string {
	var parts []string
	if !q.Now.IsZero() {
		day := q.Now.Format("Monday, 2 January 2006")
		if zone := q.Now.Location().String(); zone == "UTC" {
			parts = append(parts, day+" (UTC).")
		} else {
			parts = append(parts, day+q.Now.Format(", 15:04")+" ("+zone+").")
		}
	}
	if q.Step > 0 {
		parts = append(parts, fmt.Sprintf("Step %d; %d more are possible after it.", q.Step, q.StepsLeft))
	}
	return strings.Join(parts, " ")
}

// noMoreLookUps is added once a turn has looked up as much as it may.
func noMoreLookUps(q reasoning.ActQuestion) string {
	return yes(len(q.LookedUp) >= reasoning.MaxLookUps)
}
