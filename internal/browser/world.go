package browser

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// world is the name of the isolated world the watcher lives in, binding the
// function through which it tells what a page says.
const (
	world   = "stepledger"
	binding = "stepledgerSaid"
)

//go:embed script/*.js
var scriptFiles embed.FS

// timers is the one script in the page's own world: which timers an action has
// set cannot be seen from beside it.
//
//go:embed script/page/timers.js
var timers string

// script is the watcher: the files of script/ in order, as one function. It
// runs in the top frame only, reaches into frames of the same origin from
// there, and is put in place once per document.
var script = assemble()

func assemble() string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\nif (window.top !== window || globalThis.stepledger) return;\n")
	b.WriteString("const SECRET = " + secretWords() + ";\n")
	names, err := fs.Glob(scriptFiles, "script/*.js") // in lexical order
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, name := range names {
		src, err := scriptFiles.ReadFile(name)
		if err != nil {
			panic(err) // embedded just above
		}
		b.Write(src)
	}
	b.WriteString("})();\n")
	return b.String()
}

// secretWords are the words for secrets, and the tokens of autocomplete, as the
// server has them.
func secretWords() string {
	var w struct {
		Names        []string `json:"names"`
		NotMeant     []string `json:"notMeant"`
		Autocomplete []string `json:"autocomplete"`
		Ordinary     []string `json:"ordinary"`
	}
	w.Names, w.NotMeant = vocabulary.SecretEntries()
	w.Autocomplete, w.Ordinary = vocabulary.AutocompleteTokens()
	b, err := json.Marshal(w)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(b)
}

// replacedFor is how long call waits for a document that is just being
// replaced by another.
const replacedFor = 5 * time.Second

// call runs a function of the watcher in the present document and reads its
// result into out. When the document goes away under it, it asks the next one.
func (t *Tab) call(ctx context.Context, out any, function string, args ...any) error {
	deadline := time.Now().Add(replacedFor)
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		err := t.callOnce(ctx, out, function, args...)
		if err == nil || !documentGone(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// callOnce is call that fails when the document goes away.
func (t *Tab) callOnce(ctx context.Context, out any, function string, args ...any) error {
	err := t.evaluate(ctx, expression(function, args...), func(_ context.Context, _ *chromedp.Target, result *runtime.RemoteObject) error {
		if out == nil {
			return nil
		}
		return json.Unmarshal(result.Value, out)
	}, chromedp.EvalAsValue)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("watcher %s: %w", function, err)
	}
	return err
}

// change is callOnce for a function that does something: it must not be done
// again to the next document. left says that the document went away under it,
// which is what some pages do when a field changes.
func (t *Tab) change(ctx context.Context, out any, function string, args ...any) (left bool, err error) {
	err = t.callOnce(ctx, out, function, args...)
	if documentGone(err) {
		return true, nil
	}
	return false, err
}

// expression calls a function of the watcher.
func expression(function string, args ...any) string {
	list, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		panic(err) // arguments are texts, numbers and booleans
	}
	return fmt.Sprintf("stepledger.%s(...%s)", function, list)
}

// evaluate evaluates an expression beside the watcher and hands the result to
// use.
func (t *Tab) evaluate(ctx context.Context, expression string,
	use func(context.Context, *chromedp.Target, *runtime.RemoteObject) error, opts ...chromedp.EvaluateOption,
) error {
	return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		w, err := cdp.Call(ctx, target, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: t.frame, WorldName: world})
		if err != nil {
			return err
		}
		here := func(p *runtime.EvaluateParams) { p.ContextID, p.ObjectGroup = w.ExecutionContextID, handles }
		ask := chromedp.Evaluate[*runtime.RemoteObject](expression, append(opts, here)...)
		result, err := ask(ctx, target)
		if missing(err) {
			// Documents that Chromium makes itself (error pages) do not get new-document scripts.
			if _, err := chromedp.Evaluate[chromedp.Void](script, here)(ctx, target); err != nil {
				return err
			}
			result, err = ask(ctx, target)
		}
		if err != nil {
			return err
		}
		return use(ctx, target, result)
	})
}

// missing reports that the watcher is not in the document.
func missing(err error) bool {
	var e *chromedp.ExceptionError
	return errors.As(err, &e) && strings.Contains(e.Error(), "stepledger is not defined")
}

// documentGone reports that a document was replaced while it was asked. The
// protocol has one code for every server error, so the text has to tell.
func documentGone(err error) bool {
	var e *cdproto.Error
	if !errors.As(err, &e) {
		return false
	}
	for _, text := range []string{"Cannot find context", "context was destroyed", "navigated or closed", "No frame for given id", "Could not create isolated world"} {
		if strings.Contains(e.Message, text) {
			return true
		}
	}
	return false
}
