package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/browser"
)

// patience is longer than anything takes on a busy machine.
const patience = 60 * time.Second

// chromium is one with the extension in it.
type chromium struct {
	*pipe
	cmd *exec.Cmd
	// id of the extension.
	id string
	// panel is the session of the panel's document, which is open in a tab.
	panel string

	mu       sync.Mutex
	sessions map[string]string // by target
}

// launch starts a Chromium with the extension of a folder. It ends with the test.
func launch(t *testing.T, extension string) *chromium {
	t.Helper()
	path, err := browser.Ensure(t.Context(), quietLog)
	if errors.Is(err, browser.ErrNotFound) && os.Getenv("CI") == "" {
		t.Skipf("%v; then: make test", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &chromium{sessions: map[string]string{}}
	c.cmd = exec.Command(path, flags(t.TempDir(), extension)...)
	pipe, started, err := openPipe(c.cmd, func(event) {})
	if err != nil {
		t.Fatal(err)
	}
	c.pipe = pipe
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		_ = c.call(ctx, "", "Browser.close", nil, nil) // it may have ended by itself
		_ = c.cmd.Wait()
	})
	c.findExtension(t)
	return c
}

// flags of a Chromium that takes the extension and asks nobody anything.
func flags(profile, extension string) []string {
	all := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile,
		"--load-extension=" + extension, "--disable-extensions-except=" + extension,
		"--window-size=1280,900", "--disable-gpu", "--mute-audio",
		"--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-features=Translate,OptimizationHints,MediaRouter,CalculateNativeWinOcclusion",
		// Pages of parallel tests are all in front.
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"about:blank",
	}
	if os.Geteuid() == 0 {
		all = append(all, "--no-sandbox")
	}
	return all
}

// target is a page, a frame or a worker.
type target struct{ TargetID, Type, Title, URL string }

func (c *chromium) targets(t *testing.T) []target {
	t.Helper()
	var all struct{ TargetInfos []target }
	c.must(t, "", "Target.getTargets", nil, &all)
	return all.TargetInfos
}

// must is call for what cannot fail.
func (c *chromium) must(t *testing.T, session, method string, params map[string]any, into any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.call(ctx, session, method, params, into); err != nil {
		t.Fatal(err)
	}
}

// findExtension waits for the worker, opens the panel, and lets go of the worker.
func (c *chromium) findExtension(t *testing.T) {
	t.Helper()
	eventually(t, "the extension's worker", func() bool {
		for _, w := range c.targets(t) {
			if id, ok := extensionOf(w.URL); ok && w.Type == "service_worker" {
				c.id = id
			}
		}
		return c.id != ""
	})
	c.panel = c.open(t, "chrome-extension://"+c.id+"/sidepanel.html")
	eventually(t, "the panel", func() bool {
		var there bool
		c.evaluate(t, c.panel, `Promise.resolve(typeof chrome !== "undefined" && !!chrome.storage)`, &there)
		return there
	})
}

func extensionOf(address string) (id string, ok bool) {
	u, err := url.Parse(address)
	return u.Host, err == nil && u.Scheme == "chrome-extension"
}

// open opens a page in a window of its own.
func (c *chromium) open(t *testing.T, address string) (session string) {
	t.Helper()
	var opened struct{ TargetID string }
	c.must(t, "", "Target.createTarget", map[string]any{"url": address, "newWindow": true}, &opened)
	session = c.attach(t, opened.TargetID)
	c.must(t, session, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	return session
}

func (c *chromium) attach(t *testing.T, targetID string) (session string) {
	t.Helper()
	c.mu.Lock()
	known := c.sessions[targetID]
	c.mu.Unlock()
	if known != "" {
		return known
	}
	var attached struct{ SessionID string }
	c.must(t, "", "Target.attachToTarget", map[string]any{"targetId": targetID, "flatten": true}, &attached)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[targetID] = attached.SessionID
	return attached.SessionID
}

// evaluate evaluates an expression, waits for its promise, and reads its value into
// what is not nil.
func (c *chromium) evaluate(t *testing.T, session, expression string, into any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	value, err := c.tryEvaluate(ctx, session, expression)
	if err != nil {
		t.Fatal(err)
	}
	if into != nil {
		if err := json.Unmarshal(value, into); err != nil {
			t.Fatalf("%s: %s: %v", expression, value, err)
		}
	}
}

// tryEvaluate is evaluate where a page may be about to go.
func (c *chromium) tryEvaluate(ctx context.Context, session, expression string) (json.RawMessage, error) {
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := c.call(ctx, session, "Runtime.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
	}, &answer)
	if err != nil {
		return nil, err
	}
	if e := answer.ExceptionDetails; e != nil {
		return nil, fmt.Errorf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if len(answer.Result.Value) == 0 {
		return json.RawMessage("null"), nil
	}
	return answer.Result.Value, nil
}

// endWorker ends the extension's worker as the browser does when it wants its memory.
func (c *chromium) endWorker(ctx context.Context) error {
	var all struct{ TargetInfos []target }
	if err := c.call(ctx, "", "Target.getTargets", nil, &all); err != nil {
		return err
	}
	for _, w := range all.TargetInfos {
		if w.Type == "service_worker" && strings.HasPrefix(w.URL, "chrome-extension://"+c.id) {
			return c.call(ctx, "", "Target.closeTarget", map[string]any{"targetId": w.TargetID}, nil)
		}
	}
	return nil // it has ended already
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) || t.Context().Err() != nil {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}
