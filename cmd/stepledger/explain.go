package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/instruction"
)

// explainCmd shows how a task is understood without a model. It needs no database.
func (p program) explainCmd() *cobra.Command {
	var task string
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Print how a task is read without a model: its steps, and the words that were not understood",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			read := instruction.Read(task)
			fmt.Fprint(p.out, read)
			unread, all := read.UnreadWords()
			fmt.Fprintf(p.out, "%d of %d words not understood (read as %s)\n", unread, all, read.Language)
			return nil
		},
	}
	cmd.Flags().StringVar(&task, "task", "", "what the user says")
	if err := cmd.MarkFlagRequired("task"); err != nil {
		panic(err) // cannot happen: it is defined above
	}
	return cmd
}
