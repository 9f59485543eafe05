package interact

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/page"
)

// screenshotWithin bounds how long a turn waits for the picture of an earlier
// one: it is a help, not a need.
const screenshotWithin = time.Second

// screenshot is the picture that goes with a page of mode hybrid: the one that
// was sent, or the newest kept one where the client says it is unchanged. Nil
// when there is none that can be had.
func (t *turn) screenshot(ctx context.Context) []byte {
	if t.now.Mode != page.ModeHybrid {
		return nil
	}
	sent := t.in.Capture.Screenshot
	if ref := t.state.Observed.Screenshot; sent == "" && ref != "" {
		ctx, cancel := context.WithTimeout(ctx, screenshotWithin)
		defer cancel()
		kept, err := t.Content.Get(ctx, t.in.Tenant, t.in.id, ref)
		if err != nil {
			return nil // the page's text stands by itself
		}
		sent = string(kept)
	}
	image, ok := page.DecodeScreenshot(sent)
	if !ok {
		return nil
	}
	return image
}
