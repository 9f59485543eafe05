package interact

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/domain/page"
)

// screenshotWithin bounds the wait for an earlier screenshot, which helps but is not
// needed.
const screenshotWithin = time.Second

// screenshot returns the screenshot of a page in mode hybrid: the one sent, or the
// last stored one if the client says that it is unchanged. It returns nil if there is
// none.
func (t *turn) screenshot(ctx context.Context) []byte {
	if t.now.Mode != page.ModeHybrid {
		return nil
	}
	sent := t.in.Capture.Screenshot
	if ref := t.state.Observed.Screenshot; sent == "" && ref != "" && t.Content != nil {
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
