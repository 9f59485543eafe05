package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/projections/history"
)

func (l looking) callCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "call TASK CALL",
		Short: "Print a model call of the task with its prompt and answer, as far as they are kept; --json: as they were sent and came",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				c, err := r.Call(ctx, tenant, args[0], args[1])
				if err != nil {
					return err
				}
				return l.print(c, func(w io.Writer) { printCall(w, c) })
			})
		},
	}
}

func printCall(w io.Writer, c history.CallTexts) {
	m := c.Call
	fmt.Fprintf(w, "call\t%s, turn %d, attempt %d\nfor\t%s %s\nmodel\t%s %s (%s)\n", m.CallID, m.Turn, m.Attempt, m.Purpose, m.PromptName,
		m.Provider, m.Model, m.Role)
	fmt.Fprintf(w, "came to\t%s %s, %d+%d tokens, %s USD, %s\n", m.State, m.Outcome, m.InputTokens, m.OutputTokens, costOf(m), time.Duration(m.DurationMs)*time.Millisecond)
	var prompt llm.Request
	printText(w, "PROMPT", c.Prompt, &prompt, func() (texts []string) {
		texts = append(texts, prompt.System)
		for _, p := range prompt.User {
			if p.Text == "" {
				p.Text = fmt.Sprintf("(%s, %d bytes)", p.MIME, len(p.Data))
			}
			texts = append(texts, p.Text)
		}
		return texts
	})
	var answer struct {
		Response llm.Response `json:"response"`
	}
	printText(w, "ANSWER", c.Answer, &answer, func() []string { return []string{answer.Response.Text} })
}

// printText prints the texts of what is kept, read into a value; whole, where it cannot
// be read.
func printText(w io.Writer, title string, kept history.CallText, into any, texts func() []string) {
	fmt.Fprintf(w, "\n%s (%s)\n", title, kept.State)
	if kept.State != history.TextKept {
		return
	}
	parts := []string{string(kept.Content)}
	if err := json.Unmarshal(kept.Content, into); err == nil {
		parts = texts()
	}
	for _, text := range parts {
		fmt.Fprintln(w, printable(text))
	}
}

// printable is a text of several lines without characters a terminal would obey.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
