package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules"
	"github.com/stepledger/stepledger/internal/reason/rules/act"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
)

// explainable is what a client that does everything declares.
var explainable = action.Declared([]string{"multiSelect", "type", "press", "hover", "scrollDirection", "drag", "upload"})

// explainOn prints what each step of a task means on a page, and what would be done
// first.
func explainOn(ctx context.Context, out io.Writer, task string, on page.Page) error {
	q := reasoning.ActQuestion{Client: explainable, Query: task, Page: on}
	answer, err := rules.Reasoner{}.Act(ctx, q)
	if err != nil {
		return err
	}
	usable := 0
	for _, e := range on.Elements {
		if e.Usable() {
			usable++
		}
	}
	fmt.Fprintf(out, "\nOn %s with %d elements that can be acted on (of %d):\n", on.URL, usable, len(on.Elements))
	steps, notBy := act.NewView(ctx, q).Explain()
	for _, x := range steps {
		printStep(out, x)
	}
	printChoice(out, steps, notBy, answer, on)
	return nil
}

// printStep prints a step with what it looks for.
func printStep(out io.Writer, x do.Explained) {
	fmt.Fprintf(out, "\nStep %d (%s): %s\n", x.N, x.State, x.Step)
	switch {
	case x.Step.Act == instruction.Using:
		fmt.Fprintln(out, "  It says where the steps behind it are done.")
	case x.State == do.StepDone && x.Move.Evidence != "":
		fmt.Fprintf(out, "  The page has it already: %s.\n", x.Move.Evidence)
	}
	for _, s := range x.Searches {
		what := s.What.String()
		if what == "" {
			what = "any"
		}
		fmt.Fprintf(out, "  %s to %s: %s\n    %s\n", s.Of, s.Need, what, s.Choice)
		for _, c := range s.Candidates {
			mark := " "
			if c.Meant {
				mark = "*"
			}
			fmt.Fprintf(out, "  %s %.2f  %s\n           %s\n", mark, c.Score, element(c.Element), reasons(c.Factors))
		}
		if s.More > 0 {
			fmt.Fprintf(out, "           and %d more\n", s.More)
		}
		for _, c := range s.Refused {
			fmt.Fprintf(out, "    none  %s\n           %s\n", element(c.Element), reasons(c.Factors[len(c.Factors)-1:]))
		}
	}
}

// element is an element in a line: what it is, its id, and its row, which tells it from
// others of its name.
func element(e page.Element) string {
	s := page.Describe(e)
	if id := "(" + e.ID + ")"; !strings.HasSuffix(s, id) {
		s += " " + id
	}
	if e.Row != "" && e.Row != e.Label() {
		s += " in the row “" + page.Cut(page.Clean(e.Row), 60) + "”"
	}
	return s
}

// reasons are the factors of a score that say something.
func reasons(factors []ground.Factor) string {
	var out []string
	for _, f := range factors {
		switch {
		case f.Score == 1 && f.Why != "", f.Score == 0:
			out = append(out, f.Why)
		case f.Score < 1 && f.Why != "":
			out = append(out, fmt.Sprintf("%s (×%.2f)", f.Why, f.Score))
		case f.Score < 1:
			out = append(out, fmt.Sprintf("%s (×%.2f)", lessFor[f.Of], f.Score))
		}
	}
	if len(out) == 0 {
		return "nothing speaks against it"
	}
	return strings.Join(out, "; ")
}

// lessFor says why a factor is less than 1 that does not say so itself.
var lessFor = map[string]string{
	"need":       "is rarely what that is done to",
	"attributes": "an attribute that was said cannot be seen",
}

// printChoice prints what would be done first, and which step it is for.
func printChoice(out io.Writer, steps []do.Explained, notBy string, a reasoning.ActAnswer, on page.Page) {
	fmt.Fprintln(out)
	if notBy != "" {
		fmt.Fprintf(out, "The steps above are not gone by: %s. What comes now was found otherwise.\n", notBy)
	}
	switch {
	case a.UserQuestion != "":
		fmt.Fprintf(out, "Asks: %s\n", a.UserQuestion)
	case a.Undecided:
		fmt.Fprintf(out, "Does not know: %s\n", a.Reason)
	default:
		e, known := on.ByID(a.Action.Target)
		fmt.Fprintf(out, "Does: %s", a.Action)
		if known {
			fmt.Fprintf(out, ", %s", page.Describe(e))
		}
		fmt.Fprintf(out, "\n  confidence %.2f%s\n  %s\n", a.Confidence, stepOf(a, steps), a.Thought)
	}
}

// stepOf says which step an action is for.
func stepOf(a reasoning.ActAnswer, steps []do.Explained) string {
	n := a.For.Step
	switch {
	case n == 0 || n > len(steps):
		return ""
	case a.For.Completes:
		return fmt.Sprintf(", completes step %d", n)
	}
	return fmt.Sprintf(", on the way to step %d", n)
}
