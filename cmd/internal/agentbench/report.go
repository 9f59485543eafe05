package agentbench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/stepledger/stepledger/internal/runner"
)

// Goal is the share of solved episodes of a set to compare with, in percent.
type Goal struct {
	Set string
	Ref float64
}

// What the bars over all episodes are compared with.
const (
	refRequests    = 2.5 // median
	refFalseDone   = 2
	refWrongTarget = 1
)

// Report prints a line per task and the bars: one per set that was played, and those over
// all episodes. It lists what was changed without the task being solved, and the tasks that
// were solved without a change.
func Report(w io.Writer, all []Episode, goals ...Goal) error {
	var b strings.Builder
	table(&b, all)
	for _, g := range goals {
		of := where(all, func(e Episode) bool { return e.Set == g.Set })
		if len(of) > 0 {
			bar(&b, g.Set+"_pct", share(where(of, solved), of), g.Ref, "%")
		}
	}
	bars(&b, all)
	for _, e := range where(all, changedUnasked) {
		fmt.Fprintf(&b, "changed unasked: %s (%s): %s\n", e.Task, e.End, strings.Join(e.Truth.Changed, ", "))
	}
	for _, e := range where(all, heldAlready) {
		fmt.Fprintf(&b, "held already, and counts as solved: %s\n", e.Task)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table has a line per task, in the order of the episodes.
func table(b *strings.Builder, all []Episode) {
	out := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "task\tsolved\trequests\tthe others")
	for len(all) > 0 {
		of := where(all, func(e Episode) bool { return e.Set == all[0].Set && e.Task == all[0].Task })
		fmt.Fprintf(out, "%s\t%d/%d\t%g\t%s\n", of[0].Task, len(where(of, solved)), len(of), medianRequests(of), endings(of))
		all = where(all, func(e Episode) bool { return e.Set != of[0].Set || e.Task != of[0].Task })
	}
	_ = out.Flush() // a strings.Builder takes everything
}

// endings counts how those that were not solved ended.
func endings(of []Episode) string {
	var parts []string
	for _, end := range []string{Wrong, FalseDone, Asked, Failed, UsedUp, TimedOut, Lost} {
		if n := len(where(of, func(e Episode) bool { return e.End == end })); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", end, n))
		}
	}
	return strings.Join(parts, ", ")
}

func bars(b *strings.Builder, all []Episode) {
	fmt.Fprintf(b, "all: %d/%d solved, requests %g: %s\n", len(where(all, solved)), len(all), medianRequests(all), endings(all))
	bar(b, "requests_per_episode", medianRequests(where(all, solved)), refRequests, "requests")
	bar(b, "requests_per_episode_all", medianRequests(all), refRequests, "requests")
	bar(b, "false_done_pct", share(where(all, falseDone), all), refFalseDone, "%")
	executed, unread, words := 0, 0, 0
	for _, e := range all {
		u, n := e.unread()
		executed, unread, words = executed+e.Actions, unread+u, words+n
	}
	wrong := len(where(all, func(e Episode) bool { return e.End == Wrong }))
	bar(b, "wrong_target_pct", percent(wrong, executed), refWrongTarget, "%")
	bar(b, "asked_pct", share(where(all, asked), all), 100, "%")
	bar(b, "holes_pct", percent(unread, words), 100, "%")
	bar(b, "changed_unasked", float64(len(where(all, changedUnasked))), 1, "episodes")
}

func bar(b *strings.Builder, name string, ours, ref float64, unit string) {
	fmt.Fprintf(b, "BAR agent.%s ours=%.3f ref=%.3f ratio=%.3f unit=%s\n", name, ours, ref, ours/ref, unit)
}

func solved(e Episode) bool         { return e.End == Solved }
func falseDone(e Episode) bool      { return e.Status == runner.Completed && !e.Truth.Solved }
func asked(e Episode) bool          { return e.Status == runner.Asked }
func changedUnasked(e Episode) bool { return !e.Truth.Solved && len(e.Truth.Changed) > 0 }

// heldAlready: what a verifier wants was so before anything was done, or it does not look
// at the state.
func heldAlready(e Episode) bool {
	return e.Truth.Solved && !e.Truth.Over && len(e.Truth.Changed) == 0
}

func where(all []Episode, holds func(Episode) bool) []Episode {
	return slices.DeleteFunc(slices.Clone(all), func(e Episode) bool { return !holds(e) })
}

func share(some, all []Episode) float64 { return percent(len(some), len(all)) }

// percent of nothing is 0.
func percent(some, all int) float64 {
	if all == 0 {
		return 0
	}
	return 100 * float64(some) / float64(all)
}

// medianRequests of no episode is 0.
func medianRequests(of []Episode) float64 {
	if len(of) == 0 {
		return 0
	}
	n := make([]int, len(of))
	for i, e := range of {
		n[i] = e.Requests
	}
	slices.Sort(n)
	return float64(n[(len(n)-1)/2]+n[len(n)/2]) / 2
}

// Tell prints an episode whole: what was asked, each step, and what came of it.
func Tell(w io.Writer, e Episode) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s seed %d: %s\n", e.Task, e.Seed, e.Words)
	for i, s := range e.Steps {
		fmt.Fprintf(&b, "%4d  %s\n", i+1, s.Thought)
		on := ""
		if s.Element != "" {
			on = "  on " + s.Element
		}
		if s.Again != "" {
			on += "  (another way: " + s.Again + ")"
		}
		if s.Refused != "" {
			on += "  refused: " + s.Refused
		}
		fmt.Fprintf(&b, "      %s%s\n", strings.Join(s.Actions, " "), on)
		if s.Verdict != "" {
			fmt.Fprintf(&b, "      %s\n", s.Verdict)
		}
	}
	fmt.Fprintf(&b, "   => %s after %d requests, %d actions, %.1f s; it says %s", e.End, e.Requests, e.Actions, e.Seconds, e.Status)
	for _, more := range [][2]string{{": ", e.Message}, {"\n      truth: ", e.Truth.Reason}, {"\n      error: ", e.Error}} {
		if more[1] != "" {
			b.WriteString(more[0] + more[1])
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}
