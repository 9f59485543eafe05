package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/internal/runner"
)

// printer prints what happens: for a person, or with --json for a program.
func (p program) printer(f runFlags) func(runner.Event) {
	if f.json {
		return p.printLine
	}
	p.out = plainText{p.out}
	return func(e runner.Event) {
		switch e := e.(type) {
		case runner.Step:
			p.printStep(e)
		case runner.Verdict:
			p.printVerdict(e)
		case runner.Question:
			fmt.Fprintf(p.out, "\n   ?  %s\n", e.Question)
		case runner.Pause:
			p.printPause(e)
		case runner.End:
			p.printEnd(f, e)
		}
	}
}

// plainText keeps what pages say from giving orders to a terminal, or from turning
// text around.
type plainText struct{ io.Writer }

// Write implements io.Writer.
func (w plainText) Write(b []byte) (int, error) {
	plain := bytes.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, b)
	if _, err := w.Writer.Write(plain); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (p program) printLine(e runner.Event) {
	line, err := runner.Line(e)
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	fmt.Fprintf(p.out, "%s\n", line)
}

func (p program) printStep(s runner.Step) {
	fmt.Fprintln(p.out)
	if c := s.Correction; c != nil {
		fmt.Fprintf(p.out, "      another way (%s, attempt %d): %s\n", c.Strategy, c.Attempt, c.Reason)
	}
	fmt.Fprintf(p.out, "%4d  %s\n", s.Number, s.Thought)
	for i, action := range s.Actions {
		on := ""
		if i == 0 && s.Element != "" {
			on = "  on " + s.Element
		}
		fmt.Fprintf(p.out, "      %s%s\n", action, on)
	}
}

func (p program) printPause(e runner.Pause) {
	if e.Over {
		fmt.Fprintf(p.out, "      the task was handed back: it goes on\n")
		return
	}
	fmt.Fprintf(p.out, "\n  ..  waiting: %s\n", e.Message)
}

// verdictWords say an outcome to a person.
var verdictWords = map[string]string{
	runner.Worked: "it worked", runner.DidNotWork: "it did not work", runner.NotKnown: "it is not known yet whether it worked",
}

func (p program) printVerdict(v runner.Verdict) {
	if r := v.Refused; r != nil {
		fmt.Fprintf(p.out, "      the page did not allow it: %s (%s)\n", r.Message, r.Code)
	}
	before := ""
	if v.Number == 0 {
		before = "of the last step before: "
	}
	line := before + verdictWords[v.Outcome]
	if v.Confidence > 0 {
		line += fmt.Sprintf(" (%.2f)", v.Confidence)
	}
	if v.Reason != "" {
		line += ": " + v.Reason
	}
	fmt.Fprintf(p.out, "      %s\n      so far %s\n", line, costWords(v.Cost))
}

// costWords say what model calls have used and cost.
func costWords(c runner.Cost) string {
	words := []string{fmt.Sprintf("%d tokens in, %d out", c.InputTokens, c.OutputTokens)}
	if c.USD != "" {
		words = append(words, c.USD+" USD")
	}
	if c.UnpricedCalls > 0 {
		words = append(words, fmt.Sprintf("%d calls without a known price", c.UnpricedCalls))
	}
	return strings.Join(words, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// endWords say a status to a person.
var endWords = map[runner.Status]string{
	runner.Completed: "Done", runner.Failed: "Failed", runner.BrokenOff: "Broken off", runner.Asked: "It asked", runner.Stopped: "Stopped",
}

// printEnd says how it ended and how to go on. What could not start has an error,
// which main prints.
func (p program) printEnd(f runFlags, e runner.End) {
	words, started := endWords[e.Status]
	if !started {
		return
	}
	fmt.Fprintf(p.out, "\n%s after %d %s", words, e.Steps, plural(e.Steps, "step"))
	if e.Message != "" {
		fmt.Fprintf(p.out, ": %s", e.Message)
	}
	fmt.Fprintln(p.out)
	if e.TaskID != "" {
		fmt.Fprintf(p.out, "  task  %s\n  cost  %s\n", e.TaskID, costWords(e.Cost))
	}
	if e.IsOpen() {
		fmt.Fprintf(p.out, "  go on with: %s\n", f.resumeLine(e.Result))
	}
}

// resumeLine is the command that goes on with a task.
func (f runFlags) resumeLine(r runner.Result) string {
	line := "stepledger run --resume " + r.TaskID + " --url " + quotedURL(cmp.Or(r.URL, f.URL))
	if f.Server != "" {
		line += " --server " + quotedURL(f.Server)
	}
	if r.Status == runner.Asked {
		line += " --task '…'"
	}
	return line
}

// quotedURL is an address for a shell, without a password that may be in it.
func quotedURL(address string) string {
	if u, err := url.Parse(address); err == nil {
		address = u.Redacted()
	}
	return "'" + strings.ReplaceAll(address, "'", "%27") + "'"
}
