package acttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/browser"
)

// world is the world beside the page's scripts in which the actions run.
const world = "actor"

// prelude gives a page a log, saw, and what writes events into it.
const prelude = `<!doctype html><meta charset=utf-8><title>test</title><script src=/world.js></script><script>
	var saw = []
	const nameOf = (el) => el?.id || el?.localName || (el === document ? "document" : el === window ? "window" : String(el))
	function log(...what) { saw.push(what.join(" ")) }
</script><body>`

// opened is a page in a tab of its own.
type opened struct {
	*testing.T
	tab     *browser.Tab
	address string
	file    string // the file an upload has, as an expression
	body    atomic.Pointer[string]
	token   int
}

// page shows a page with this body. Other paths answer with themselves.
func page(t *testing.T, body string) *opened {
	t.Helper()
	if absent != nil {
		t.Skipf("%v; then: make test", absent)
	}
	o := &opened{T: t, file: "undefined"}
	o.body.Store(&body)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, prelude, *o.body.Load())
		case "/world.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, ownWorld)
		case "/refused":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/stall":
			<-r.Context().Done()
		default:
			fmt.Fprint(w, "<!doctype html><title>", r.URL.Path, "</title>", r.URL.Path)
		}
	}))
	t.Cleanup(srv.Close)
	o.tab = <-tabs
	t.Cleanup(func() { tabs <- o.tab })
	o.address = srv.URL + "/"
	o.again()
	return o
}

// show opens a page with another body in the same tab.
func (o *opened) show(body string) {
	o.Helper()
	o.body.Store(&body)
	o.again()
}

// again opens the page anew, with the mouse where no element is.
func (o *opened) again() {
	o.Helper()
	if err := o.tab.Open(o.Context(), o.address); err != nil {
		o.Fatal(err)
	}
}

// asks evaluates an expression in the page's own world. Texts come without quotes.
func (o *opened) asks(expression string) string {
	o.Helper()
	value, err := o.tab.Evaluate(o.Context(), expression)
	if err != nil {
		o.Fatalf("%s: %v", expression, err)
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// act evaluates an expression beside the actions and decodes its value into out.
func (o *opened) act(out any, expression string) error {
	value, err := o.tab.EvaluateBeside(o.Context(), world, `globalThis.actor !== undefined`)
	if err == nil && string(value) != "true" {
		_, err = o.tab.EvaluateBeside(o.Context(), world, actor+"\n;true")
	}
	if err == nil {
		value, err = o.tab.EvaluateBeside(o.Context(), world, expression)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(value, out)
}

// result is ActResult of extension/protocol.ts.
type result struct {
	Done  bool `json:"done"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Recovered   string `json:"recovered"`
	ActualState string `json:"actualState"`
}

// code is the error's code, "" if the action was done.
func (r result) code() string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

// does does an action: its name, then the selector of its element where it has one,
// then its text. It does not fail the test if the page does not allow the action, nor
// if the page is replaced.
func (o *opened) does(name string, args ...string) result {
	o.Helper()
	o.token++
	var r result
	err := o.act(&r, fmt.Sprintf("actor.perform({token: 't%d', action: %s, file: %s})", o.token, written(name, args...), o.file))
	if errors.Is(err, browser.ErrReplaced) {
		return result{Done: true}
	}
	if err != nil {
		o.Fatalf("%s %q: %v", name, args, err)
	}
	return r
}

// written writes an action as an expression.
func written(name string, args ...string) string {
	args = append(slices.Clone(args), "", "")
	quote := func(s string) string {
		text, _ := json.Marshal(s)
		return string(text)
	}
	target, text, to := `""`, `""`, `""`
	switch name {
	case "press", "type", "wait":
		text = quote(args[0])
	case "drag":
		target, to = "actor.idOf("+quote(args[0])+")", "actor.idOf("+quote(args[1])+")"
	default:
		if args[0] != "" {
			target = "actor.idOf(" + quote(args[0]) + ")"
		}
		text = quote(args[1])
	}
	return fmt.Sprintf("{name: %q, target: %s, text: %s, to: %s, seconds: 0}", name, target, text, to)
}

// must is does for what the page allows.
func (o *opened) must(name string, args ...string) result {
	o.Helper()
	r := o.does(name, args...)
	if !r.Done || r.Error != nil {
		o.Fatalf("%s %q: %+v", name, args, r.Error)
	}
	return r
}

// saw compares the log of the page with what it should be. What comes a moment later is
// waited for.
func (o *opened) saw(want ...string) {
	o.Helper()
	var got []string
	for end := time.Now().Add(3 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if err := json.Unmarshal([]byte(o.asks("saw")), &got); err != nil {
			o.Fatal(err)
		}
		if slices.Equal(got, want) {
			return
		}
		if len(got) >= len(want) || time.Now().After(end) {
			break
		}
	}
	o.Errorf("the page saw\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
}

// is compares an expression of the page's own world.
func (o *opened) is(expression, want string) {
	o.Helper()
	if got := o.asks(expression); got != want {
		o.Errorf("%s is %s, want %s", expression, got, want)
	}
}

// refuses checks the code of an action that the page does not allow, and that its
// message names something.
func (o *opened) refuses(code, named, name string, args ...string) {
	o.Helper()
	r := o.does(name, args...)
	if r.Done || r.code() != code || !strings.Contains(r.Error.Message, named) {
		o.Errorf("%s %q: %+v %+v, want %s with %q", name, args, r, r.Error, code, named)
	}
}
