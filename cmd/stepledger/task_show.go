package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/projections/history"
)

func (l looking) showCmd() *cobra.Command {
	var turn, from, limit int
	cmd := &cobra.Command{
		Use:   "show TASK",
		Short: "Print the task turn by turn: page, verdict, action, model calls and what they cost; --turn N prints one turn with everything",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				if turn > 0 {
					t, err := r.Turn(ctx, tenant, args[0], turn)
					if err != nil {
						return err
					}
					return l.print(t, func(w io.Writer) { printTurn(w, t) })
				}
				t, err := r.Turns(ctx, tenant, args[0], from, limit)
				if err != nil {
					return err
				}
				return l.print(t, func(w io.Writer) { printTurns(w, t) })
			})
		},
	}
	cmd.Flags().IntVar(&turn, "turn", 0, "this turn only, with its events, calls and texts")
	cmd.Flags().IntVar(&from, "from", 1, "the turn to begin at")
	cmd.Flags().IntVar(&limit, "limit", history.MaxTurns, "how many turns, at most 200")
	return cmd
}

// textCell is how much of a text a line shows, nameCell how much of what is short.
const (
	textCell = 100
	nameCell = 40
)

func printTurns(w io.Writer, t history.Turns) {
	fmt.Fprintln(w, "TURN\tEVENTS\tBEGAN\tPAGE\tVERDICT\tACTION\tSTATUS\tCALLS\tTOKENS\tUSD\tWAIT")
	for _, turn := range t.Turns {
		fmt.Fprintf(w, "%d\t%d-%d\t%s\t%s\t%s\t%s\t%s\t%s\n", turn.Turn, turn.FromRevision, turn.ToRevision,
			turn.BeganAt.UTC().Format(time.DateTime), cell(turn.Before.URL, nameCell), shownVerdicts(turn), shownActions(turn), turn.Status, totalsOf(turn.Totals))
	}
	for _, c := range t.OtherCalls {
		fmt.Fprintf(w, "%d\t-\t%s\tno such turn\t-\t%s\t%s\t%s\n", c.Turn, c.StartedAt.Format(time.DateTime), c.Purpose, c.State, callCost(c))
	}
	fmt.Fprintf(w, "all %d\t0-%d\t\t\t\t\t\t%s\n", t.Last, t.Head, totalsOf(t.Totals))
	if p := t.Paused; p != nil {
		fmt.Fprintf(w, "%s by user %s since %s\n", heldWords[p.Kind], p.By, p.At.UTC().Format(time.DateTime))
	}
	if t.More {
		fmt.Fprintf(w, "more: --from %d\n", t.Turns[len(t.Turns)-1].Turn+1)
	}
}

func totalsOf(t history.CallTotals) string {
	cost := t.CostUSD
	if unknown := t.OpenCalls + t.UnpricedCalls; unknown > 0 {
		cost += fmt.Sprintf(" and %d unknown", unknown)
	}
	return fmt.Sprintf("%d\t%d+%d\t%s\t%s", t.Calls, t.InputTokens, t.OutputTokens, cost, time.Duration(t.DurationMs)*time.Millisecond)
}

func callCost(c history.ModelCall) string {
	cost := "-"
	if c.CostUSD != nil {
		cost = *c.CostUSD
	}
	return fmt.Sprintf("1\t%d+%d\t%s\t%s", c.InputTokens, c.OutputTokens, cost, time.Duration(c.DurationMs)*time.Millisecond)
}

func shownVerdicts(t history.Turn) string {
	var all []string
	for _, v := range t.Verdicts {
		all = append(all, fmt.Sprintf("%s (%s)", v.Outcome, cmp.Or(v.Rule, v.By)))
	}
	return cmp.Or(cell(strings.Join(all, ", "), nameCell), "-")
}

func shownActions(t history.Turn) string {
	var all []string
	for _, a := range t.Actions {
		what := a.Action
		if a.TargetName != "" {
			what += " " + a.TargetRole + " " + a.TargetName
		}
		if a.Strategy != "" {
			what = "correction: " + what
		}
		all = append(all, what)
	}
	if t.Ended != nil {
		all = append(all, string(t.Ended.Status))
	}
	if t.Question != "" {
		all = append(all, "asked: "+t.Question)
	}
	for _, h := range t.Holds {
		all = append(all, heldWords[h.Kind])
	}
	return cmp.Or(cell(strings.Join(all, ", "), valueCell), "-")
}

func printTurn(w io.Writer, t history.Turn) {
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, cell(text, textCell))
		}
	}
	row("turn", fmt.Sprintf("%d, events %d-%d, %s", t.Turn, t.FromRevision, t.ToRevision, t.Status))
	row("request", t.Request)
	printSnapshot(row, "before", &t.Before)
	printSnapshot(row, "after", t.After)
	row("reply", t.Reply)
	printKnowledge(row, t.Knowledge)
	for _, v := range t.Verdicts {
		printVerdict(row, v)
	}
	for _, a := range t.Actions {
		printAction(row, a)
	}
	row("question", t.Question)
	for i, s := range t.Plan {
		row(fmt.Sprintf("plan %d", i+1), fmt.Sprintf("%s: %s", s.Status, s.Description))
	}
	for i, p := range t.Parts {
		row(fmt.Sprintf("part %d", i+1), fmt.Sprintf("%s: %s", p.Status, p.Goal))
	}
	if t.Ended != nil {
		row(string(t.Ended.Status), strings.TrimSpace(t.Ended.Code+" "+t.Ended.Message))
	}
	for _, h := range t.Holds {
		row(heldWords[h.Kind], strings.TrimSpace(fmt.Sprintf("by user %s at %s %s", h.By, h.At.UTC().Format(time.DateTime), h.Note)))
	}
	for _, c := range t.Calls {
		row("call "+c.CallID, fmt.Sprintf("%s %s by %s %s, attempt %d: %s, %d+%d tokens, %s USD, %s", c.Purpose, c.PromptName, c.Provider, c.Model,
			c.Attempt, cmp.Or(c.Outcome, c.State), c.InputTokens, c.OutputTokens, costOf(c), time.Duration(c.DurationMs)*time.Millisecond))
	}
	row("calls", strings.ReplaceAll(totalsOf(t.Totals), "\t", " "))
	for _, e := range t.Events {
		row(fmt.Sprintf("event %d", e.Revision), shortType(e.Type))
	}
}

func costOf(c history.ModelCall) string {
	if c.CostUSD == nil {
		return "unknown"
	}
	return *c.CostUSD
}

func printSnapshot(row func(name, text string), name string, s *history.Snapshot) {
	if s != nil {
		row("page "+name, fmt.Sprintf("%s (%s, %d elements, meaning %s, kept as %s)", s.URL, s.DOMMode, s.Elements, cmp.Or(s.MeaningHash, "-"), cmp.Or(s.Page, "-")))
	}
}

// printKnowledge prints which pieces of documents the turn was shown.
func printKnowledge(row func(name, text string), k *history.Knowledge) {
	if k == nil {
		return
	}
	switch {
	case k.Failed:
		row("documents", "could not be asked")
	case len(k.Citations) == 0:
		row("documents", "say nothing")
	}
	if k.Value != "" {
		row("looked for", k.Value)
	}
	for i, c := range k.Citations {
		row(fmt.Sprintf("document %d", i+1), fmt.Sprintf("%s (%s)", cited(c), c.ChunkID))
	}
}

// cited says where a piece of a document stands.
func cited(c reasoning.Citation) string {
	where := c.Document
	if c.Section != "" {
		where += " › " + c.Section
	}
	if c.Page > 0 {
		where += fmt.Sprintf(", page %d", c.Page)
	}
	if !c.At.IsZero() {
		where += ", indexed " + c.At.UTC().Format(time.DateOnly)
	}
	if c.Public {
		where += ", public"
	}
	return where
}

func printVerdict(row func(name, text string), v history.GivenVerdict) {
	of := ""
	if v.Of != nil {
		of = fmt.Sprintf(" on %s of turn %d", v.Of.Action, v.Of.Turn)
	}
	row("verdict", fmt.Sprintf("%s %.2f%s, by %s", v.Outcome, v.Confidence, of, strings.TrimSpace(v.By+" "+v.Rule+" "+v.Veto)))
	row("reason", v.Reason)
	for _, o := range v.Observations {
		row("observed", o)
	}
}

func printAction(row func(name, text string), a history.DecidedAction) {
	name := "action"
	if a.Strategy != "" {
		name = "correction"
		row("corrects", a.Failed)
		row("strategy", string(a.Strategy)+": "+a.Reason)
	}
	row(name, fmt.Sprintf("%s %s %s, by %s", a.Action, a.TargetRole, a.TargetName, a.By))
	for _, item := range a.Chain {
		row("in the chain", item)
	}
	row("thought", a.Thought)
	row("expected", a.Expected)
	row("skills shown", strings.Join(a.Skills, " "))
	if n := len(a.Documents); n > 0 {
		row("documents shown", fmt.Sprintf("%d, the first %s", n, a.Documents[0].ChunkID))
	}
}
