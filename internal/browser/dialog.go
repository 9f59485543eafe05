package browser

import (
	"cmp"
	"context"
	"errors"
	"html"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	pages "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// ErrDialog is returned for what a page cannot do while a dialog of it is open.
var ErrDialog = errors.New("a dialog of the page is open")

// Ids of the elements that a dialog is shown as. No element of a page has such an id.
const (
	dialogAccept  = "dialog_accept"
	dialogDismiss = "dialog_dismiss"
	dialogText    = "dialog_text"
)

// maxDialog is how much of a dialog's message is shown, in characters.
const maxDialog = 1000

// dialog is an alert, a confirm, a prompt, or a question whether to leave, that blocks a
// page until it is answered.
type dialog struct {
	kind    pages.DialogType
	message string
	text    string // in the field of a prompt
	number  int    // tells those of a window apart
}

// asks reports a dialog that can be dismissed.
func (d dialog) asks() bool { return d.kind != pages.DialogTypeAlert }

// says is the message. Chromium does not tell the page's own for a question whether to
// leave.
func (d dialog) says() string {
	if d.kind == pages.DialogTypeBeforeunload {
		return cmp.Or(d.message, "Leave site? Changes you made may not be saved.")
	}
	return page.Cut(d.message, maxDialog)
}

// accepts is the name of the control that accepts.
func (d dialog) accepts() string {
	if d.kind == pages.DialogTypeBeforeunload {
		return "Leave"
	}
	return "OK"
}

// dialogBox holds the dialog that is open in a window, if there is one.
type dialogBox struct {
	mu      sync.Mutex
	open    *dialog
	waiting map[*func()]bool // told when one opens
	number  int              // the last one given
}

// opened takes a new dialog.
func (b *dialogBox) opened(d dialog) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.number++
	d.number = b.number
	b.open = &d
	for tell := range b.waiting {
		(*tell)()
	}
}

// closed forgets the dialog.
func (b *dialogBox) closed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = nil
}

// answered forgets the dialog with a number, whose end may be told only later.
func (b *dialogBox) answered(number int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open != nil && b.open.number == number {
		b.open = nil
	}
}

// present is a copy of the open dialog.
func (b *dialogBox) present() (dialog, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		return dialog{}, false
	}
	return *b.open, true
}

// write sets the text of the open dialog's field.
func (b *dialogBox) write(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open != nil {
		b.open.text = text
	}
}

// whenOpen calls tell when a dialog opens, at once if one is open. The result ends that.
func (b *dialogBox) whenOpen(tell func()) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open != nil {
		tell()
		return func() {}
	}
	if b.waiting == nil {
		b.waiting = map[*func()]bool{}
	}
	b.waiting[&tell] = true
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.waiting, &tell)
	}
}

// reply answers the open dialog as an action says. Any other action is refused: the page
// can do nothing before.
func (t *Tab) reply(ctx context.Context, a action.Action, d dialog) error {
	if err := a.Validate(); err != nil {
		return refuse(CodeInvalidAction, "%v", err)
	}
	switch {
	case a.Name == action.Click && a.Target == dialogAccept:
		return t.handleDialog(ctx, d, pages.HandleJavaScriptDialogParams{Accept: true, PromptText: d.text})
	case a.Name == action.Click && a.Target == dialogDismiss && d.asks():
		return t.handleDialog(ctx, d, pages.HandleJavaScriptDialogParams{Accept: false})
	case a.Name == action.SetValue && a.Target == dialogText && d.kind == pages.DialogTypePrompt:
		t.shows().dialog.write(a.Text)
		return nil
	}
	return blockedBy(d)
}

// blockedBy refuses what cannot be done before a dialog is answered.
func blockedBy(d dialog) *ActionError {
	ways := dialogAccept
	if d.asks() {
		ways += " or " + dialogDismiss
	}
	return refuse(CodeDialogOpen, "the page waits for an answer to %q: click %s first", d.says(), ways)
}

// handleDialog answers a dialog.
func (t *Tab) handleDialog(ctx context.Context, d dialog, answer pages.HandleJavaScriptDialogParams) error {
	w := t.shows()
	err := w.besides(ctx, func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, pages.HandleJavaScriptDialog, answer)
		return err
	})
	if err == nil {
		w.dialog.answered(d.number)
	}
	return err
}

// answer is execute while a dialog is open. What the page does afterwards still belongs
// to the action that opened it, and is counted together with it.
func (t *Tab) answer(ctx context.Context, a action.Action, d dialog, r *Report) (err error) {
	if r.PreviousURL, err = t.URL(ctx); err != nil {
		return err
	}
	t.witness.beginAction()
	t.opened.forget()
	window := t.shows()
	if err := t.refusedOrLost(t.reply(ctx, a, d), a, r); err != nil {
		return err
	}
	if err := t.conclude(ctx, window, t.armed, r); err != nil {
		return err
	}
	r.TargetChanged = nil // a dialog's button is gone with it
	return nil
}

// interrupted puts a dialog and the end of a window into the terms of an action: what was
// under way has led to it, and is done; what had not begun is refused.
func (t *Tab) interrupted(err error) error {
	d, open := t.shows().dialog.present()
	switch {
	case errors.Is(err, errWindowClosed) && !t.begun:
		return refuse(CodeNotFound, "the tab with it has just closed")
	case !errors.Is(err, ErrDialog) && !errors.Is(err, errWindowClosed):
		return err
	case t.begun:
		return nil
	case !open: // answered by a person meanwhile, in a window to watch
		return refuse(CodeDialogOpen, "the page asked something")
	}
	return blockedBy(d)
}

// behindDialog is what is known of a page that a dialog blocks: what the last capture
// said, or nothing if that was of another page.
func (t *Tab) behindDialog(ctx context.Context) (rawCapture, error) {
	var address, title string
	err := t.shows().besides(ctx, func(ctx context.Context, target *chromedp.Target) error {
		entry, err := presentEntry(ctx, target)
		address, title = entry.URL, entry.Title
		return err
	})
	if err != nil {
		return rawCapture{}, err
	}
	if pathOf(t.last.URL) == pathOf(address) {
		return t.last, nil
	}
	return rawCapture{
		URL: address, Title: title, LastID: t.lastID, Width: float64(t.opts.Width), Height: float64(t.opts.Height),
		Scroll: "0%", HTML: "<html><head><title>" + html.EscapeString(title) + "</title></head><body></body></html>",
	}, nil
}

// presentEntry is the entry of the history that a target shows, empty if there is none.
func presentEntry(ctx context.Context, target *chromedp.Target) (pages.NavigationEntry, error) {
	history, err := cdp.Call(ctx, target, pages.GetNavigationHistory, cdp.Empty{})
	if err != nil || history.CurrentIndex < 0 || int(history.CurrentIndex) >= len(history.Entries) {
		return pages.NavigationEntry{}, err
	}
	return *history.Entries[history.CurrentIndex], nil
}

// withDialog shows a dialog on top of a page: as the last of its elements, which cover
// all others.
func withDialog(raw rawCapture, d dialog) rawCapture {
	nodes := make([]rawNode, len(raw.Nodes))
	for i, n := range raw.Nodes {
		n.Occluded = true
		nodes[i] = n
	}
	raw.Nodes, raw.Focused = append(nodes, d.nodes(raw.Width)...), dialogAccept
	if d.kind == pages.DialogTypePrompt {
		raw.Focused = dialogText
	}
	body, end, found := cutLast(raw.HTML, "</body>")
	if !found {
		body, end = raw.HTML, ""
	}
	raw.HTML = body + d.markup() + end
	return raw
}

// cutLast cuts a text before the last occurrence of what is searched.
func cutLast(s, searched string) (before, from string, found bool) {
	i := strings.LastIndex(s, searched)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i:], true
}

// nodes are the dialog's elements as a browser draws them, in the middle of the top.
func (d dialog) nodes(width float64) []rawNode {
	left := max(0, width/2-200)
	at := func(x, y, w float64) [4]float64 { return [4]float64{left + x, y, w, 30} }
	var nodes []rawNode
	if d.kind == pages.DialogTypePrompt {
		nodes = append(nodes, rawNode{ID: dialogText, Role: "textbox", Name: page.Cut(page.Clean(d.says()), maxName), Value: d.text, Box: at(20, 80, 360)})
	}
	nodes = append(nodes, rawNode{ID: dialogAccept, Role: "button", Name: d.accepts(), Box: at(220, 120, 75)})
	if d.asks() {
		nodes = append(nodes, rawNode{ID: dialogDismiss, Role: "button", Name: "Cancel", Box: at(305, 120, 75)})
	}
	return nodes
}

// markup is the dialog in the document.
func (d dialog) markup() string {
	out := `<div role="alertdialog" aria-modal="true" aria-label="The page says"><p>` + html.EscapeString(d.says()) + `</p>`
	if d.kind == pages.DialogTypePrompt {
		out += `<input data-llm-id="` + dialogText + `" aria-label="` + html.EscapeString(page.Cut(page.Clean(d.says()), maxName)) + `" value="` + html.EscapeString(d.text) + `">`
	}
	out += `<button data-llm-id="` + dialogAccept + `">` + d.accepts() + `</button>`
	if d.asks() {
		out += `<button data-llm-id="` + dialogDismiss + `">Cancel</button>`
	}
	return out + `</div>`
}
