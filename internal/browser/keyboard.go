package browser

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// setValue sets the value of an element: it types text over a field's content,
// chooses an option by text or value, or sets a checkbox by true or false.
func (t *Tab) setValue(ctx context.Context, id, value string, r *Report) error {
	l, err := t.locate(ctx, id, r)
	if err != nil {
		return err
	}
	if l.Readonly {
		return refuse(CodeNotEditable, "%s %q is read-only", l.Role, l.Name)
	}
	if l.Kind == "" && l.Role == "slider" {
		return t.setSlider(ctx, l, value, r)
	}
	switch l.Kind {
	case "select":
		return t.choose(ctx, l, value, r)
	case "check":
		return t.check(ctx, l, value, r)
	case "direct":
		return t.setDirect(ctx, l, value, r)
	case "text":
		return t.replaceText(ctx, l, value, r)
	case "keys":
		return t.pressValue(ctx, l, value, r)
	}
	return refuse(CodeNotEditable, "%s %q takes no text", l.Role, l.Name)
}

// field is a field's content after it was set.
type field struct {
	Found bool
	Value string
}

// maxTyped is the longest text that is typed key by key: a page may listen for keys. A
// longer one, or one of several lines, is inserted at once, as a paste is.
const maxTyped = 100

// replaceText types over a field's content.
func (t *Tab) replaceText(ctx context.Context, l located, value string, r *Report) error {
	if done, err := t.typeCode(ctx, l, value, r); done || err != nil {
		return err
	}
	if err := t.focus(ctx, l); err != nil {
		return err
	}
	if err := t.typeOver(ctx, value); err != nil {
		return err
	}
	var f field
	if left, err := t.change(ctx, l.ID, &f, "typed"); left || err != nil {
		return err
	}
	return holds(l, f, value, r)
}

// focus focuses an element and selects the text it holds.
func (t *Tab) focus(ctx context.Context, l located) error {
	var focused bool
	err := t.callOn(ctx, l.ID, &focused, "focusAll")
	if err == nil && !focused {
		err = refuse(CodeNotEditable, "%s %q does not take the focus", l.Role, l.Name)
	}
	return err
}

func (t *Tab) typeOver(ctx context.Context, value string) error {
	if value != "" && utf8.RuneCountInString(value) <= maxTyped && !strings.ContainsAny(value, "\r\n\t") {
		return t.typeKeys(ctx, value)
	}
	t.begun = true
	return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		if value == "" { // inserting nothing would not remove the selection
			_, err := chromedp.KeyEvent(kb.Delete)(ctx, target)
			return err
		}
		_, err := cdp.Call(ctx, target, input.InsertText, input.InsertTextParams{Text: value})
		return err
	})
}

// typeKeys types a line as a person does, each character by a key of its own.
func (t *Tab) typeKeys(ctx context.Context, line string) error {
	t.begun = true
	return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		for _, r := range line {
			if err := typeKey(ctx, target, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// typeKey types a character. One that is not on an American keyboard has a key on another.
func typeKey(ctx context.Context, target *chromedp.Target, r rune) error {
	if _, known := kb.Keys[r]; known {
		_, err := chromedp.KeyEvent(string(r))(ctx, target)
		return err
	}
	s := string(r)
	for _, e := range []input.DispatchKeyEventParams{{Type: kb.KeyDown, Key: s, Text: s, UnmodifiedText: s}, {Type: kb.KeyUp, Key: s}} {
		if _, err := cdp.Call(ctx, target, input.DispatchKeyEvent, e); err != nil {
			return err
		}
	}
	return nil
}

// setDirect sets dates, colours and ranges, which cannot be typed as they are stored.
// Chromium empties or corrects invalid values.
func (t *Tab) setDirect(ctx context.Context, l located, value string, r *Report) error {
	var f field
	if left, err := t.change(ctx, l.ID, &f, "setDirect", value); left || err != nil {
		return err
	}
	return holds(l, f, value, r)
}

// holds compares a field's content with the value. A page may format the value; an
// empty field did not take it.
func holds(l located, f field, value string, r *Report) error {
	if f.Found && f.Value == "" && value != "" {
		return refuse(CodeValueRefused, "%s %q did not take the value", l.Role, l.Name)
	}
	if f.Found && f.Value != value && !l.Secret {
		r.ActualState = f.Value
	}
	return nil
}

// typeText types into what has the focus, at the cursor. A line break is the key Enter.
func (t *Tab) typeText(ctx context.Context, text string) error {
	takes, err := t.focusTakesText(ctx)
	if err != nil {
		return err
	}
	if !takes {
		return refuse(CodeNotEditable, "nothing that takes text has the focus")
	}
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if i > 0 {
			if err := t.press(ctx, "Enter"); err != nil {
				return err
			}
		}
		if line == "" {
			continue
		}
		if err := t.typeOver(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// focusTakesText reports that what has the focus takes text, in whatever root.
func (t *Tab) focusTakesText(ctx context.Context) (takes bool, err error) {
	for _, r := range t.shows().presentRoots() {
		ask := func() error { return t.value(ctx, r, &takes, "document.hasFocus() && "+expression("focusTakesText")) }
		if err := inSomeDocument(ctx, ask); err != nil && !errors.Is(err, errFrameGone) {
			return false, err
		}
		if takes {
			return true, nil
		}
	}
	return false, nil
}

// choose selects an option, or exactly those of several lines.
func (t *Tab) choose(ctx context.Context, l located, wanted string, r *Report) error {
	var c struct {
		Found   bool
		Chosen  string
		Options []string
	}
	left, err := t.change(ctx, l.ID, &c, "choose", wanted)
	switch {
	case left || err != nil:
		return err
	case !c.Found:
		return refuse(CodeNotFound, "%s %q has just gone", l.Role, l.Name)
	case c.Chosen == "":
		return refuse(CodeOptionNotFound, "%s %q has no single option %q; it has: %s", l.Role, l.Name, wanted, strings.Join(c.Options, ", "))
	}
	r.ActualState = c.Chosen
	return nil
}

// checkWords are words for ticking or clearing a checkbox.
var checkWords = map[string]string{
	"true": "true", "on": "true", "yes": "true", "checked": "true", "1": "true",
	"false": "false", "off": "false", "no": "false", "unchecked": "false", "0": "false", "": "false",
}

// check clicks a checkbox, switch or radio button unless it has the wanted state.
func (t *Tab) check(ctx context.Context, l located, value string, r *Report) error {
	wanted, ok := checkWords[strings.ToLower(strings.TrimSpace(value))]
	switch {
	case !ok:
		return refuse(CodeValueRefused, "%s %q takes true or false, not %q", l.Role, l.Name, value)
	case cmp.Or(l.Checked, "false") == wanted:
		return nil
	case l.Role == "radio" && wanted == "false":
		return refuse(CodeValueRefused, "radio %q is cleared by choosing another", l.Name)
	}
	return t.click(ctx, l.ID, r)
}

// keyRunes are chromedp's runes of named keys.
var keyRunes = sync.OnceValue(func() map[string]rune {
	byName := map[string]rune{"Space": ' '}
	for r, k := range kb.Keys {
		// "\n" and "\r" are both Enter, as are the Enter and digits of the number
		// pad: the smallest rune is the one on the main keyboard.
		if old, twice := byName[k.Key]; len(k.Key) > 1 && (!twice || r < old) {
			byName[k.Key] = r
		}
	}
	byName["Enter"] = '\r'
	return byName
})

var modifierKeys = map[string]kb.Modifier{
	"Control": kb.ModifierCtrl, "Alt": kb.ModifierAlt, "Shift": kb.ModifierShift, "Meta": kb.ModifierMeta,
}

// press presses a key in the focused element: "Enter", "a", "Control+A".
func (t *Tab) press(ctx context.Context, keys string) error {
	var modifiers []kb.Modifier
	name := keys
	for {
		prefix, rest, found := strings.Cut(name, "+")
		m, known := modifierKeys[prefix]
		if !found || !known || rest == "" {
			break
		}
		modifiers, name = append(modifiers, m), rest
	}
	r, known := keyRunes()[name]
	if !known {
		single := []rune(name)
		if len(single) != 1 {
			return refuse(CodeInvalidAction, "there is no key %q", keys)
		}
		r = single[0]
	}
	t.begun = true
	return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.KeyEvent(string(r), chromedp.KeyModifiers(modifiers...))(ctx, target)
		return err
	})
}
