package agentbench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/internal/browser"
)

// Bench is what episodes are played with.
type Bench struct {
	// Server and Token are the agent's, Chromium is the client's.
	Server, Token string
	Chromium      *browser.Browser
	// Workers play at once, each on a tab of its own; at least one.
	Workers int
	// Each is told every episode as it ends, one at a time. It may be nil.
	Each func(Episode) error
}

// Play plays all trials and returns the episodes in the order of the trials. Each
// episode ends in bounded time; an error is that of the context or of Each.
func (b *Bench) Play(ctx context.Context, trials []Trial) ([]Episode, error) {
	played := make([]Episode, len(trials))
	told := make(chan struct{}, 1)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(b.Workers, 1))
	for i, t := range trials {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			played[i] = b.run(ctx, t, fmt.Sprintf("site-%d.localhost", i))
			if ctx.Err() != nil || b.Each == nil {
				return ctx.Err()
			}
			told <- struct{}{}
			defer func() { <-told }()
			return b.Each(played[i])
		})
	}
	return played, g.Wait()
}

// WriteLine writes an episode as a line of JSON.
func WriteLine(w io.Writer, e Episode) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(e)
}
