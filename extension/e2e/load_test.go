package e2e

import "testing"

// The extension is built, loaded, and its worker comes back after its end.
func TestExtension_Loads(t *testing.T) {
	t.Parallel()
	c := launch(t, extensionDir(t))
	for range 3 {
		if err := c.endWorker(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the worker's return", func() bool {
			c.evaluate(t, c.panel, `chrome.runtime.sendMessage({ panel: 1, do: "wake", tabId: 0 }).catch(() => {})`, nil)
			for _, w := range c.targets(t) {
				if w.Type == "service_worker" {
					return true
				}
			}
			return false
		})
	}
}
