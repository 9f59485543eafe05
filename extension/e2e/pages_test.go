package e2e

import (
	"encoding/json"
	"testing"
)

// TestPages_Extension does the table with the extension.
func TestPages_Extension(t *testing.T) {
	t.Parallel()
	c, b := launch(t, extensionDir(t)), newBrain(t)
	c.logIn(t, b.URL, "token")
	for _, p := range pages(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, p)
			task := b.begin(p.name, s.steps())
			k := c.begin(t, s.address(), p.name+" "+p.Asks)
			defer k.forget(t)
			r := k.followed(t)
			task.judge(t, p.Hidden)
			if r.Phase != "done" && !t.Failed() {
				t.Errorf("the task is in phase %s: %s %+v\n%s", r.Phase, r.Message, r.Failure, k.log(t, r))
			}
			p.judge(t, s, func(expression string) json.RawMessage { return k.where(t, expression) })
		})
	}
}
