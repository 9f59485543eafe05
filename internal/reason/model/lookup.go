package model

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// renderLookUps renders what was looked up on a page in this turn.
func renderLookUps(lookedUp []action.Action, p page.Page, v prompt.View) string {
	var parts []string
	more := 0
	for _, a := range lookedUp[:min(len(lookedUp), reasoning.MaxLookUps)] {
		switch a.Name {
		case action.Find:
			parts = append(parts, prompt.Find(p, v, a.Text))
		case action.More:
			more++
			parts = append(parts, prompt.More(p, v, more))
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
func noMoreLookUps(lookedUp []action.Action) string {
	return yes(len(lookedUp) >= reasoning.MaxLookUps)
}
