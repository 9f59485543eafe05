package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom"
)

// explainCmd shows how a task is understood without a model, and on which elements of a
// page it would be done. It needs no database.
func (p program) explainCmd() *cobra.Command {
	var task, file, address string
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Print how a task is read without a model: its steps, and the words that were not understood; with a page, what each step means there and why",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			read := instruction.Read(task)
			fmt.Fprint(p.out, read)
			unread, all := read.UnreadWords()
			fmt.Fprintf(p.out, "%d of %d words not understood (read as %s)\n", unread, all, read.Language)
			if file == "" {
				return nil
			}
			on, err := pageOf(cmd.InOrStdin(), file, address)
			if err != nil {
				return err
			}
			return explainOn(cmd.Context(), p.out, task, on)
		},
	}
	cmd.Flags().StringVar(&task, "task", "", "what the user says")
	cmd.Flags().StringVar(&file, "page", "", "an HTML file, - for standard input: the elements of it that each step means, why, and what would be done")
	cmd.Flags().StringVar(&address, "url", "https://page.test/", "the address of the page")
	if err := cmd.MarkFlagRequired("task"); err != nil {
		panic(err) // cannot happen: it is defined above
	}
	return cmd
}

// maxPageFile is how much of a page is read: more than any that a client may send.
const maxPageFile = 64 << 20

// pageOf reads a page from a file. What has no id gets one, as clients give one to what
// can be acted on.
func pageOf(stdin io.Reader, file, address string) (page.Page, error) {
	in := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return page.Page{}, fmt.Errorf("reading the page: %w", err)
		}
		defer f.Close()
		in = f
	}
	html, err := io.ReadAll(io.LimitReader(in, maxPageFile))
	if err != nil {
		return page.Page{}, fmt.Errorf("reading the page: %w", err)
	}
	on, err := dom.Reader{}.Read(page.Capture{URL: address, Mode: page.ModeFull, DOM: string(html)})
	if err != nil {
		return page.Page{}, fmt.Errorf("reading the page: %w", err)
	}
	for i := range on.Elements {
		if on.Elements[i].ID == "" {
			on.Elements[i].ID = "n" + strconv.Itoa(i+1)
		}
	}
	return on, nil
}
