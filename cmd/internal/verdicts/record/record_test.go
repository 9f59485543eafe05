package record

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/cmd/internal/verdicts"
	"github.com/stepledger/stepledger/internal/browser"
)

// shared is the one Chromium of this test binary, or why there is none.
var (
	shared *browser.Browser
	absent error
)

// quick waits as the specification says, in a tenth of the time.
var quick = browser.Stability{NetworkIdle: 60 * time.Millisecond, DOMSettled: 60 * time.Millisecond, Min: 50 * time.Millisecond, Max: 3 * time.Second}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(runWithBrowser(m))
}

func runWithBrowser(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	path, err := browser.Ensure(ctx, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if errors.Is(err, browser.ErrNotFound) && os.Getenv("CI") == "" {
		absent = err
		return m.Run()
	}
	if err == nil {
		shared, err = browser.Start(ctx, browser.Options{Path: path, Stability: quick})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := shared.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

func chromium(t *testing.T) *browser.Browser {
	t.Helper()
	if absent != nil {
		t.Skipf("%v; then: make test", absent)
	}
	return shared
}

const shop = `<!doctype html><title>Shop</title><a href="list.html">List</a>
<form><label>Town <input id="town"></label></form>
<button id="save">Save</button><button>Buy</button><button>Buy</button><button disabled>Pay</button>
<script>
let saved = 0;
document.getElementById('save').onclick = async () => { await fetch('/_/save/towns', { method: 'POST', body: '{}' }); saved++; };
</script>`

// folder writes a page folder with the shop and these cases.
func folder(t *testing.T, cases string) verdicts.Page {
	t.Helper()
	dir := filepath.Join(t.TempDir(), verdicts.Train, "shop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"page.html": shop, "list.html": "<!doctype html><title>List</title><h1>Everything</h1>",
		"bill.410.html":    "<h1>Gone</h1>",
		verdicts.CasesFile: `{"about":"a shop","language":"en","hand":"ours","cases":[` + cases + `]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := verdicts.ReadPage(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// one is a case of the shop that begins a list of them.
func one(name, do, worked string) string {
	return fmt.Sprintf(`{"name":%q,"kind":"k","goal":"Do it","do":%s,"worked":%q,"settle":0}`, name, do, worked)
}

const save = `{"action":"click","role":"button","name":"Save"}`

func TestPages_RecordsWhatAClientSends(t *testing.T) {
	t.Parallel()
	b := chromium(t)
	p := folder(t, strings.Join([]string{
		one("saved", save, "saved === 1 && (await (await fetch('/_/box/towns')).json()).length === 1"),
		one("not-bought", `{"action":"click","role":"button","name":"Buy","nth":1}`, "saved === 1"),
		one("followed", `{"action":"click","role":"link","name":"List"}`, "document.title === 'List'"),
		`{"name":"typed","kind":"k","goal":"York","setup":[{"action":"click","role":"button","name":"Save"}],
			"do":{"action":"setValue","role":"textbox","name":"Town","text":"York"},"worked":"town.value === 'York' && saved === 1","settle":0}`,
	}, ","))
	for range 2 { // the second time gives the same truths
		if err := Pages(t.Context(), b, []verdicts.Page{p}, Options{Tabs: 2, Out: io.Discard}); err != nil {
			t.Fatal(err)
		}
		recorded, err := p.Recorded()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range recorded {
			got = append(got, fmt.Sprintf("%s %s %t", r.ID(), r.Action[:strings.IndexByte(r.Action, '(')], r.Worked))
			check(t, r)
		}
		want := "train/shop/saved click true, train/shop/not-bought click false, train/shop/followed click true, train/shop/typed setValue true"
		if strings.Join(got, ", ") != want {
			t.Errorf("recorded %s, want %s", strings.Join(got, ", "), want)
		}
	}
}

// check holds what every recorded case must be.
func check(t *testing.T, r verdicts.Recorded) {
	t.Helper()
	for _, body := range []string{string(r.Before), string(r.Request)} {
		if !strings.Contains(body, `"url":"http://shop.test/shop/`) || strings.Contains(body, "127.0.0.1") {
			t.Errorf("%s names another origin: %s", r.ID(), body)
		}
	}
	if !strings.Contains(string(r.Request), `"lastActionStatus":"success"`) {
		t.Errorf("%s lacks the report on the action: %s", r.ID(), r.Request)
	}
	if _, err := verdicts.Judge(t.Context(), r); err != nil {
		t.Error(err)
	}
}

func TestPages_RefusesWhatProvesNothing(t *testing.T) {
	t.Parallel()
	b := chromium(t)
	p := folder(t, strings.Join([]string{
		one("fine", save, "saved === 1"),
		one("nowhere", `{"action":"click","role":"button","name":"Sell"}`, "saved === 1"),
		one("twins", `{"action":"click","role":"button","name":"Buy"}`, "saved === 1"),
		one("disabled", `{"action":"click","role":"button","name":"Pay"}`, "saved === 1"),
		one("number", save, "saved"),
		one("nothing", save, "document.querySelector('x')"),
		one("throws", save, "unheard.of"),
		one("foregone", save, "document.title === 'Shop'"),
	}, ","))
	err := Pages(t.Context(), b, []verdicts.Page{p}, Options{Tabs: 2, Out: io.Discard})
	if err == nil {
		t.Fatal("the recording succeeded")
	}
	for _, want := range []string{
		`train/shop/nowhere: the page has 0 elements button "Sell"; it has: link "List";`,
		`train/shop/twins: the page has 2 elements button "Buy"`,
		`train/shop/disabled: button "Pay" is disabled`,
		"train/shop/number: worked is neither true nor false but 1",
		"train/shop/nothing: worked is neither true nor false but null",
		"train/shop/throws: worked:",
		"train/shop/foregone: " + errForegone.Error(),
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	recorded, err := p.Recorded()
	if err != nil || len(recorded) != 1 || recorded[0].Name != "fine" {
		t.Errorf("kept %v, %v, want the one case that is fine", recorded, err)
	}
}

func TestPages_DrivesTheDemoApplication(t *testing.T) {
	t.Parallel()
	b := chromium(t)
	p := folder(t, one("menu", `{"action":"click","role":"button","name":"More"}`, "document.getElementById('more').ariaExpanded === 'true'"))
	p.App = "demoapp"
	if err := Pages(t.Context(), b, []verdicts.Page{p}, Options{Out: io.Discard, Missing: true}); err != nil {
		t.Fatal(err)
	}
	if recorded, err := p.Recorded(); err != nil || len(recorded) != 1 || !recorded[0].Worked {
		t.Errorf("recorded %v, %v", recorded, err)
	}
}
