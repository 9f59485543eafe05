package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/dom/snapshot"
	"github.com/stepledger/stepledger/projections/history"
)

// snapshots implements api.Snapshots.
type snapshots struct{}

// Render implements api.Snapshots.
func (snapshots) Render(c page.Capture, target string) (document []byte, policy string) {
	return snapshot.Render(c, target), snapshot.Policy
}

func (l looking) pageCmd() *cobra.Command {
	var turn int
	var asText bool
	cmd := &cobra.Command{
		Use:   "page TASK --turn N",
		Short: "Print the page a turn began on as HTML that does nothing, with the element of the turn's action outlined; --json: as captured; --text: as models are shown pages",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.withHistory(cmd.Context(), args[0], func(ctx context.Context, r history.Reader, tenant string) error {
				p, err := r.Page(ctx, tenant, args[0], turn)
				if err != nil {
					return err
				}
				if asText {
					text, err := textOf(p)
					if err != nil {
						return err
					}
					return l.print(text, func(w io.Writer) { fmt.Fprintln(w, text.Text) })
				}
				if *l.asJSON {
					return l.printJSON(p.Capture)
				}
				_, err = l.out.Write(snapshot.Render(p.Capture, p.Target))
				return err
			})
		},
	}
	cmd.Flags().IntVar(&turn, "turn", 1, "the turn")
	cmd.Flags().BoolVar(&asText, "text", false, "elements and the text between them, in place of a document")
	return cmd
}

// pageText is the page a turn began on as models are shown pages: elements and the text
// between them, within the budget that holds for models. Target is the id of the element
// of the turn's action; Left is how many elements there was no room for.
type pageText struct {
	TaskID string `json:"taskId"`
	Turn   int    `json:"turn"`
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Target string `json:"target,omitempty"`
	Text   string `json:"text"`
	Left   int    `json:"elementsLeftOut"`
}

func textOf(p history.TurnPage) (pageText, error) {
	read, err := dom.Reader{}.Read(p.Capture)
	if err != nil {
		return pageText{}, err
	}
	shown := prompt.Page(read, prompt.View{})
	return pageText{p.TaskID, p.Turn, p.Capture.URL, read.Title, p.Target, shown.Text, shown.Left}, nil
}
