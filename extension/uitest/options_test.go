package uitest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	c := with(object{"settings": object{"server": "https://stepledger.example", "timing": object{"minWait": 100}}})
	c.Origins = []string{"https://clinic.example/*", "https://shop.example/*"}
	tab := open(t, "options.html", c)
	checkAccessible(t, tab)
	said := func() string { return evaluate[string](t, tab, "document.querySelector('.said').textContent") }
	type stored struct {
		Server                     string
		Trusted                    bool
		SendScreenshots, Highlight *bool
		Timing                     object
		HasLogin                   bool
	}
	settings := func() stored {
		return evaluate[stored](t, tab, "({ ...stored.settings, hasLogin: 'login' in stored })")
	}

	t.Run("a setting holds at once and leaves the others alone", func(t *testing.T) {
		click(t, tab, text(t, "options.highlight"))
		click(t, tab, text(t, "options.screenshots"))
		got := settings()
		if got.Highlight == nil || *got.Highlight || got.SendScreenshots == nil || *got.SendScreenshots || got.Timing["minWait"] != 100.0 || got.Server != "https://stepledger.example" {
			t.Errorf("stored: %+v", got)
		}
	})
	t.Run("a server that is none is refused, another one ends the login", func(t *testing.T) {
		server := func(address string) {
			do(t, tab, action.Action{Name: action.SetValue, Target: idOf(t, tab, text(t, "options.server.label")), Text: address})
			press(t, tab, "Enter")
		}
		server("http://stepledger.example")
		refused := evaluate[string](t, tab, "document.querySelector('#server-refused').textContent")
		if refused != text(t, "address.insecure") || settings().Server != "https://stepledger.example" {
			t.Errorf("%q, stored %+v", refused, settings())
		}
		checkAccessible(t, tab)
		server("http://127.0.0.1:9000/")
		if got := settings(); got.Server != "http://127.0.0.1:9000" || got.HasLogin || said() != text(t, "options.server.other") {
			t.Errorf("%q, stored %+v", said(), got)
		}
	})
	t.Run("a site is removed", func(t *testing.T) {
		click(t, tab, text(t, "options.sites.remove", "{site}", "https://clinic.example"))
		want := [][]any{{object{"origins": []any{"https://clinic.example/*"}}}}
		if diff := cmp.Diff(want, called(t, tab, "permissions.remove")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if left := evaluate[[]string](t, tab, `[...document.querySelectorAll(".sites span")].map((s) => s.textContent)`); !cmp.Equal(left, []string{"https://shop.example"}) {
			t.Errorf("left are %v", left)
		}
	})
	t.Run("what is stored is cleared only after a second yes", func(t *testing.T) {
		click(t, tab, text(t, "options.clear.button"))
		if evaluate[int](t, tab, "Object.keys(stored).length") == 0 {
			t.Fatal("it is cleared already")
		}
		click(t, tab, text(t, "options.clear.sure"))
		if left := evaluate[int](t, tab, "Object.keys(stored).length"); left != 0 || said() != text(t, "options.clear.done") {
			t.Errorf("%d things are stored, said is %q", left, said())
		}
	})
}

// The real mouse needs a permission: where the build cannot have it, that is said, and
// where it can, the click asks for it.
func TestOptions_Trusted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		optional []string
		grants   bool
		trusted  bool
	}{
		"a build without it": {nil, true, false},
		"given":              {[]string{"debugger"}, true, true},
		"refused":            {[]string{"debugger"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := with(nil)
			c.Manifest, c.Grants = object{"permissions": []string{"storage"}}, test.grants
			if test.optional != nil {
				c.Manifest["optional_permissions"] = test.optional
			}
			tab := open(t, "options.html", c)
			shown := evaluate[string](t, tab, "document.body.innerText")
			if unavailable := strings.Contains(shown, text(t, "options.trusted.unavailable")); unavailable == (test.optional != nil) {
				t.Errorf("said to be unavailable: %v", unavailable)
			}
			if test.optional == nil {
				if !evaluate[bool](t, tab, "document.querySelector('#trusted').disabled") {
					t.Error("it can be switched on")
				}
				return
			}
			click(t, tab, text(t, "options.trusted"))
			if got := evaluate[bool](t, tab, "stored.settings?.trusted === true && document.querySelector('#trusted').checked"); got != test.trusted {
				t.Errorf("switched on: %v", got)
			}
			if n := len(called(t, tab, "permissions.request")); n != 1 {
				t.Errorf("asked for %d times", n)
			}
		})
	}
}

// The server cannot be changed under a task.
func TestOptions_ServerUnderATask(t *testing.T) {
	t.Parallel()
	tab := open(t, "options.html", running("look", nil))
	do(t, tab, action.Action{Name: action.SetValue, Target: idOf(t, tab, text(t, "options.server.label")), Text: "https://other.example"})
	press(t, tab, "Enter")
	if refused := evaluate[string](t, tab, "document.querySelector('#server-refused').textContent"); refused != text(t, "options.server.open") {
		t.Errorf("said is %q", refused)
	}
}
