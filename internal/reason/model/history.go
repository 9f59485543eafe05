package model

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Bounds of the history in a prompt.
const (
	maxSteps        = 10
	fewSteps        = 3 // so many are not worth a summary
	maxObservations = 40
	maxSkills       = 5
	maxTask         = 4_000 // characters
	maxName         = 120   // characters of one name or text
	maxEarly        = 30    // things done before the last steps
	maxPastThought  = 100
	maxPastTarget   = 50
	maxPastWhere    = 50
)

// renderTask is the task and the user's replies. They are trusted, but bounded.
func renderTask(query string, answers []string) string {
	var b strings.Builder
	b.WriteString(page.Cut(query, maxTask))
	for _, a := range answers {
		b.WriteString("\nThe user added: " + page.Cut(a, maxTask))
	}
	return b.String()
}

// renderSteps lists the last steps in full and those before in a summary. Elements are
// named by what they show and where they are, since ids of earlier pages would mislead.
func renderSteps(steps []reasoning.Step) string {
	var b strings.Builder
	early := max(0, len(steps)-maxSteps)
	if early < fewSteps {
		early = 0
	}
	if early > 0 {
		b.WriteString(summary(steps[:early]))
		steps = steps[early:]
	}
	for i, s := range steps {
		fmt.Fprintf(&b, "%d. %s%s: %s", early+i+1, describeAction(s.Action, s.Target), describeWhere(s), describeResult(s))
		if thought := prompt.Clip(s.Thought, maxPastThought); thought != "" {
			fmt.Fprintf(&b, " (thought: %s)", thought)
		}
		if s.LeftOut != "" {
			fmt.Fprintf(&b, " (not done with it: %s)", prompt.Clip(s.LeftOut, maxName))
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

// summary says in few words what was done where in early steps, the same in a row as
// one. Of very many the first are only counted.
func summary(steps []reasoning.Step) string {
	var parts []string
	for i := 0; i < len(steps); {
		s, n := steps[i], i+1
		said := describeAction(s.Action, prompt.Clip(s.Target, maxPastTarget)) + describeWhere(s) + " " + outcomeWord(s)
		for n < len(steps) && steps[n].Action == s.Action && steps[n].Target == s.Target && steps[n].Where == s.Where && outcomeWord(steps[n]) == outcomeWord(s) {
			n++
		}
		if n-i > 1 {
			said += fmt.Sprintf(" (%d times)", n-i)
		}
		parts, i = append(parts, said), n
	}
	left := ""
	if over := len(parts) - maxEarly; over > 0 {
		left, parts = fmt.Sprintf("%d other things; ", over), parts[over:]
	}
	return fmt.Sprintf("before that (%d attempts): %s%s\n", len(steps), left, strings.Join(parts, "; "))
}

// describeWhere names the row or section of an action.
func describeWhere(s reasoning.Step) string {
	if where := prompt.Clip(s.Where, maxPastWhere); where != "" {
		return fmt.Sprintf(" in %q", where)
	}
	return ""
}

func outcomeWord(s reasoning.Step) string {
	switch {
	case s.Verified && s.Succeeded:
		return "succeeded"
	case s.Verified:
		return "failed" + describeErrorType(s.Code)
	}
	return "unsure"
}

func describeResult(s reasoning.Step) string {
	switch {
	case s.Undecided:
		if s.Likely {
			return "probably worked; not certain"
		}
		return "not known whether it worked"
	case !s.Verified:
		return "not checked"
	case s.Succeeded:
		return "succeeded"
	case s.Reason == "":
		return "failed" + describeErrorType(s.Code)
	}
	return "failed" + describeErrorType(s.Code) + ": " + prompt.Clip(s.Reason, 160)
}

// describeAction describes an action: setValue textbox "Name" to "Jas".
func describeAction(a action.Action, target string) string {
	s := string(a.Name)
	if s == "" {
		s = "an action"
	}
	if target != "" {
		s += " " + prompt.Clip(target, maxName)
	}
	switch {
	case a.Name == action.SetValue:
		s += fmt.Sprintf(" to %q", prompt.Clip(a.Text, maxName))
	case a.Text != "":
		s += fmt.Sprintf(" %q", prompt.Clip(a.Text, maxName))
	case a.Seconds > 0:
		s += fmt.Sprintf(" %gs", a.Seconds)
	}
	return s
}

// renderObservations lists observations, one per line, what is the same only once.
func renderObservations(list []page.Observation) string {
	var b strings.Builder
	list = page.Summary(list)
	for i, o := range list {
		if i == maxObservations {
			fmt.Fprintf(&b, "- and %d more\n", len(list)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", prompt.Clip(o.Text, 240))
	}
	return strings.TrimRight(b.String(), "\n")
}

// renderSkills lists skills, numbered from 1 (spec §6: "In the past, ... failed. Use
// ... instead."). Names come from pages.
func renderSkills(skills []reasoning.Skill) string {
	var b strings.Builder
	for i, s := range skills[:min(len(skills), maxSkills)] {
		fmt.Fprintf(&b, "%d. In the past, %s failed%s. Use %s instead.\n",
			i+1, describeSkillAction(s.FailedAction, s.FailedTarget), describeErrorType(s.ErrorType), describeSkillAction(s.UseAction, s.UseTarget))
	}
	return strings.TrimRight(b.String(), "\n")
}

// describeErrorType adds the client's error code, or "" if the action only had no
// effect.
func describeErrorType(code string) string {
	if code == "" || code == reasoning.VerificationFailed {
		return ""
	}
	return " (" + prompt.Clip(code, 40) + ")"
}

func describeSkillAction(name string, t reasoning.Target) string {
	s := prompt.Clip(name, 40) + " " + page.Describe(page.Element{Role: page.Clean(t.Role), Name: page.Clean(t.Name)})
	if t.Group != "" {
		s += " in " + prompt.Clip(t.Group, 60)
	}
	return strings.TrimSpace(s)
}
