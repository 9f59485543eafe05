package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/reason"
	"github.com/stepledger/stepledger/internal/reason/model"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// errDiffers makes a replay with a difference exit with 1.
var errDiffers = errors.New("the replay differs from what was recorded")

func (p program) taskReplayCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay TASK|FILE",
		Short: "Decide a recorded or exported task anew from its recorded pages and answers; exit code 1 if anything differs",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !domain.ValidUUID(args[0]) {
				report, err := p.replayFile(cmd, args[0])
				return p.tellReplay(report, err, asJSON)
			}
			return p.withSystem(cmd.Context(), func(s *system) error {
				tenant, err := s.tenantOf(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				report, err := s.replay(cmd.Context(), tenant, args[0])
				return p.tellReplay(report, err, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// tellReplay prints a report, and is the error of one that differs.
func (p program) tellReplay(report replay.Report, err error, asJSON bool) error {
	if err != nil {
		return err
	}
	if asJSON {
		err = p.printJSON(report)
	} else {
		err = p.printReplay(report)
	}
	if _, differs := report.First(); differs && err == nil {
		return errDiffers
	}
	return err
}

// replay decides a recorded task anew.
func (s *system) replay(ctx context.Context, tenant, id string) (replay.Report, error) {
	t, err := s.source().Load(ctx, tenant, id)
	if err != nil {
		return replay.Report{}, err
	}
	return replay.Run(ctx, t, recordedMinds(s.cfg, t))
}

// recordedMinds answer by what is recorded, and ask nobody.
func recordedMinds(cfg config, t replay.Task) replay.Minds {
	byModel := false
	for _, turn := range t.Turns {
		byModel = byModel || len(turn.Calls) > 0
	}
	return func(turn replay.Turn) (replay.Mind, error) {
		tape := llm.NewTape(takesOf(turn), prompt.Tokens)
		var way []string
		said := turn.Documents(nil)
		deps := interact.Deps{
			Content: said, Knowledge: said, Pages: dom.Reader{}, Skills: skillsOf(turn), OneCall: cfg.OneCall,
			Clock: func() time.Time { return turn.At }, IDs: domain.NewUUID, Limits: cfg.Limits,
			Hook: func(edge string) { way = append(way, edge) },
		}
		chain := reason.Chain{Rules: reason.Within{Reasoner: rules.Reasoner{}}}
		if byModel {
			m := model.New(tape)
			m.PageTokens = cfg.Models.PageTokens
			chain.Model, deps.Planner = m, m
		}
		deps.Reasoner = chain
		if found, possible := searchesOf(turn); possible {
			deps.Search = recordedSearch{found}
		}
		return replay.Mind{
			Handler: interact.New(deps), Missed: func() []replay.Question { return questions(tape.Missed()) },
			Way: func() []string { return way },
		}, nil
	}
}

func questions(missed []llm.Miss) (out []replay.Question) {
	for _, m := range missed {
		out = append(out, replay.Question{Purpose: m.Purpose, Role: string(m.Role), InputTokens: m.Input, MaxOutputTokens: m.Output})
	}
	return out
}

// takesOf are the recorded model calls of a turn, with their answers.
func takesOf(turn replay.Turn) (out []llm.Take) {
	for _, c := range turn.Calls {
		take := llm.Take{
			Call: c.Started.Call, Purpose: string(c.Started.Purpose), PromptName: c.Started.PromptName,
			Model: c.Started.Model, Provider: c.Started.Provider, Attempt: c.Started.Attempt, Outcome: llm.Outcome(llm.Unavailable),
		}
		if c.Report != nil {
			take.Outcome = llm.Outcome(c.Report.Outcome)
		}
		take.Kept = turn.Answers[c.Started.Call]
		out = append(out, take)
	}
	return out
}

// recordedSkills are those that were shown in a turn.
type recordedSkills []reasoning.Skill

func skillsOf(t replay.Turn) recordedSkills {
	for _, e := range t.Decided {
		switch e := e.(type) {
		case task.ActionGenerated:
			if len(e.Shown) > 0 {
				return e.Shown
			}
		case task.CorrectionIssued:
			return e.Shown
		}
	}
	return nil
}

// Find implements commands.Skills.
func (r recordedSkills) Find(context.Context, string, string, string) ([]reasoning.Skill, error) {
	return r, nil
}

// recordedSearch finds what was found.
type recordedSearch struct{ found []task.WebSearched }

// searchesOf are the searches of a turn, and whether it could make one: a task that has
// searched can, also in a turn whose search was one too many.
func searchesOf(t replay.Turn) (out []task.WebSearched, possible bool) {
	for _, e := range t.Decided {
		if w, ok := e.(task.WebSearched); ok {
			out = append(out, w)
		}
	}
	return out, len(out) > 0 || len(t.Before.Searches) > 0
}

// Find implements commands.Search. A search of the site and the wider one of the whole web
// are recorded as one: the site had nothing.
func (r recordedSearch) Find(_ context.Context, q reasoning.WebQuery) ([]reasoning.WebResult, error) {
	for _, e := range r.found {
		switch {
		case e.Search.Query != q.Text:
		case e.Widened && len(q.Domains) > 0:
			return nil, nil
		case e.Search.Failed != "":
			return nil, errors.New("as recorded: " + e.Search.Failed)
		default:
			return e.Search.Results, nil
		}
	}
	return nil, errors.New("nothing is recorded of this search")
}

func (p program) printReplay(r replay.Report) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TURN\tREVISION\tRESULT\tVERDICT\tACTION\tFIRST DIFFERENCE")
	for _, t := range r.Turns {
		result, where := "same", ""
		switch {
		case t.Skipped != "":
			result, where = "skipped", t.Skipped
		case !t.Same:
			result = "differs"
		}
		if d := t.Difference; d != nil {
			where = fmt.Sprintf("%s%s: %s, now %s", d.Event, d.Field, shortJSON(d.Was), shortJSON(d.Now))
		}
		if len(t.Missed) > 0 {
			where += fmt.Sprintf(" (%d questions nothing is recorded of)", len(t.Missed))
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\n", t.Turn, t.Revision, result, printPair(t.Verdict), printPair(t.Action), where)
		for _, h := range t.Holds {
			fmt.Fprintf(w, "\t%d\t%s by user %s\n", h.Revision, heldWords[h.Kind], h.By)
		}
	}
	return w.Flush()
}

func printPair(p replay.Pair) string {
	if p.Was == p.Now {
		return p.Was
	}
	return p.Was + " -> " + p.Now
}

func shortJSON(b []byte) string {
	const most = 80
	if len(b) == 0 {
		return "nothing"
	}
	if len(b) > most {
		return string(b[:most]) + "…"
	}
	return string(b)
}
