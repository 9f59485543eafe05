package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/action"
)

func TestStart(t *testing.T) {
	t.Parallel()
	t.Run("what is no browser fails and is named", func(t *testing.T) {
		t.Parallel()
		_, err := Start(t.Context(), Options{Path: "/nowhere/chromium"})
		if err == nil || !strings.Contains(err.Error(), "start /nowhere/chromium") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("one that ends before it listens is started again", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		path := filepath.Join(dir, "chromium")
		script := fmt.Sprintf("#!/bin/sh\necho x >> %q\n[ $(wc -l < %[1]q) -lt %d ] && exit 1\nexec %q \"$@\"\n",
			filepath.Join(dir, "tries"), starts, chromium(t).opts.Path)
		if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		b, err := Start(t.Context(), Options{Path: path, Stability: quick})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a context that has ended starts nothing", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Start(ctx, Options{Path: chromium(t).opts.Path}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a closed browser answers with errors", func(t *testing.T) {
		t.Parallel()
		b, err := Start(t.Context(), Options{Path: chromium(t).opts.Path, Stability: quick})
		if err != nil {
			t.Fatal(err)
		}
		tab, err := b.NewTab(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := tab.Capture(t.Context()); err == nil {
			t.Error("a tab of a closed browser was captured")
		}
		if _, err := b.NewTab(t.Context()); err == nil {
			t.Error("a closed browser opened a tab")
		}
	})
}

func TestTab_EndsWithTheContextOfItsCaller(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		html string
		act  func(Capture) action.Action
	}{
		"while it waits":          {`<button>x</button>`, func(Capture) action.Action { return action.Action{Name: action.Wait, Seconds: 50} }},
		"while the page is hung":  {`<button onclick="for (;;) {}">x</button>`, func(c Capture) action.Action { return click(string(c.Tree[0].ID)) }},
		"while the server stalls": {`<button>x</button>`, func(c Capture) action.Action { return action.Action{Name: action.Navigate, Text: c.URL + "stall"} }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openHTML(t, tt.html)
			c := tab.mustCapture(t)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			if _, err := tab.Execute(ctx, tt.act(c)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestTab_KeepsItsCookiesToItself(t *testing.T) {
	t.Parallel()
	one := openHTML(t, `<button>x</button>`)
	one.eval(t, `document.cookie = 'who=one'; localStorage.setItem('who', 'one')`)
	url, err := one.URL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, url)
	other.eval(t, `document.title = document.cookie + localStorage.getItem('who')`)
	if title := other.mustCapture(t).Title; title != "null" {
		t.Errorf("the other tab sees %q", title)
	}
}

func TestTab_WaitStable(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button>x</button>`)
	took, err := tab.WaitStable(t.Context())
	if err != nil || took < quick.Min || took >= quick.Max {
		t.Errorf("took %v, error %v", took, err)
	}
}
