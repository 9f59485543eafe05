// Package record drives the cases of a verdict set through a real Chromium, as
// the extension would, and keeps what it would have sent.
//
// Every case has a fresh tab and a server of its own, so cases cannot disturb
// each other and may be driven at once. A case that cannot be driven as it is
// written, whose truth is no boolean, or whose truth holds before the action
// already, fails by name, and so does the whole recording: what was recorded of the
// case before stays, and the other cases are kept.
//
// What differs from one recording to the next without meaning (the port, the time
// a page took to settle, the time zone) is evened out. Pages that show the time or
// draw at random differ all the same.
package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/cmd/internal/verdicts"
	"github.com/stepledger/stepledger/internal/browser"
)

// Options of a recording.
type Options struct {
	// Tabs is how many cases are driven at once; zero means one.
	Tabs int
	// Only drives the cases of this name, Missing those that were never recorded;
	// the others stay as they were.
	Only    string
	Missing bool
	// Out gets a line for every page.
	Out io.Writer
}

// Naming is how long a capture may take over its names. Many tabs on a busy machine
// are slow, and a capture whose names were cut short would differ from the one
// before it where the page did not.
const Naming = time.Minute

// patience bounds one case.
const patience = 90 * time.Second

// Pages records every case of the pages. The error joins those of all cases that
// failed.
func Pages(ctx context.Context, b *browser.Browser, pages []verdicts.Page, o Options) error {
	var failed []error
	for _, p := range pages {
		start := time.Now()
		n, err := onePage(ctx, b, p, o)
		if err != nil {
			failed = append(failed, err)
		}
		if _, err := fmt.Fprintf(o.Out, "%s: %d cases in %.0f s\n", p.ID(), n, time.Since(start).Seconds()); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errors.Join(append(failed, ctx.Err())...)
		}
	}
	return errors.Join(failed...)
}

// onePage records a page and says how many cases were driven.
func onePage(ctx context.Context, b *browser.Browser, p verdicts.Page, o Options) (int, error) {
	before, err := p.Recorded()
	if err != nil {
		return 0, err
	}
	known := map[string]verdicts.Recorded{}
	for _, r := range before {
		known[r.Name] = r
	}
	driven := 0
	faults := make([]error, len(p.Cases))
	results := make([]verdicts.Recorded, len(p.Cases))
	var g errgroup.Group
	g.SetLimit(max(o.Tabs, 1))
	for i, c := range p.Cases {
		results[i] = known[c.Name]
		if o.Only != "" && o.Only != c.Name || o.Missing && results[i].Name != "" {
			continue
		}
		driven++
		g.Go(func() error {
			r, err := oneCase(ctx, b, p, c)
			if faults[i] = err; err == nil {
				results[i] = r
			}
			return nil
		})
	}
	_ = g.Wait() // every fault is kept with its case
	results = slices.DeleteFunc(results, func(r verdicts.Recorded) bool { return r.Name == "" })
	return driven, errors.Join(append(faults, p.Keep(results))...)
}

func oneCase(ctx context.Context, b *browser.Browser, p verdicts.Page, c verdicts.Case) (verdicts.Recorded, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := drive(limited, b, p, c)
	if err != nil {
		return r, fmt.Errorf("%s/%s: %w", p.ID(), c.Name, err)
	}
	return r, nil
}
