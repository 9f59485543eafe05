package browser

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/input"
)

const (
	// maxSliderKeys is how often a key is pressed to move a slider.
	maxSliderKeys = 200
	// maxSliderMoves is how often the mouse corrects where it has dragged a slider.
	maxSliderMoves = 4
)

// sliderState is a slider that a script draws (extension/page/special.ts).
type sliderState struct {
	Found         bool
	Now, Min, Max float64
	Vertical      bool
	X, Y          float64 // of the thumb
	Width, Height float64 // of the track
}

// setSlider moves a slider that a script draws: by its keys, and where it hears none, by
// dragging its thumb.
func (t *Tab) setSlider(ctx context.Context, l located, value string, r *Report) error {
	wanted, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(value), " %"), 64)
	if err != nil {
		return refuse(CodeValueRefused, "slider %q takes a number, not %q", l.Name, value)
	}
	s, err := t.sliderNow(ctx, l)
	if err != nil {
		return err
	}
	began := s.Now
	if s, err = t.slideByKeys(ctx, l, s, wanted); err == nil && s.Now == began && wanted != began {
		s, err = t.slideByMouse(ctx, l, s, wanted)
	}
	switch {
	case err != nil:
		return err
	case s.Now == began && wanted != began:
		return refuse(CodeValueRefused, "slider %q did not move from %v; it goes from %v to %v", l.Name, s.Now, s.Min, s.Max)
	case s.Now != wanted:
		r.ActualState = strconv.FormatFloat(s.Now, 'f', -1, 64)
	}
	return nil
}

func (t *Tab) sliderNow(ctx context.Context, l located) (s sliderState, err error) {
	if err = t.callOn(ctx, l.ID, &s, "slider"); err == nil && !s.Found {
		err = refuse(CodeNotEditable, "%s %q does not say where it stands", l.Role, l.Name)
	}
	if err != nil {
		return s, err
	}
	at, err := t.inTab(ctx, t.rootOf(l.ID), s.X, s.Y, true)
	s.X, s.Y = at.X, at.Y
	return s, err
}

// slideByKeys presses arrow keys as long as they bring the slider nearer.
func (t *Tab) slideByKeys(ctx context.Context, l located, s sliderState, wanted float64) (sliderState, error) {
	var focused bool
	if err := t.callOn(ctx, l.ID, &focused, "focusAll"); err != nil || !focused {
		return s, err
	}
	key, back := "ArrowRight", "ArrowLeft"
	if l.Role == "spinbutton" {
		key, back = "ArrowUp", "ArrowDown"
	}
	if wanted < s.Now {
		key, back = back, key
	}
	for range maxSliderKeys {
		if s.Now == wanted {
			break
		}
		if err := t.press(ctx, key); err != nil {
			return s, err
		}
		next, err := t.sliderNow(ctx, l)
		if err != nil {
			return s, err
		}
		if math.Abs(next.Now-wanted) >= math.Abs(s.Now-wanted) {
			if next.Now == s.Now { // its end, or deaf
				break
			}
			if err := t.press(ctx, back); err != nil { // a step too far
				return s, err
			}
			return t.sliderNow(ctx, l)
		}
		s = next
	}
	return s, nil
}

// slideByMouse drags the thumb along the track, and corrects where that led.
func (t *Tab) slideByMouse(ctx context.Context, l located, s sliderState, wanted float64) (sliderState, error) {
	at := func(kind input.DispatchMouseEventType, x, y float64, buttons int64) input.DispatchMouseEventParams {
		return input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1}
	}
	x, y := s.X, s.Y
	err := t.mouse(ctx, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y},
		at(input.DispatchMouseEventTypeMousePressed, x, y, 1))
	if err != nil {
		return s, err
	}
	perUnit := s.Width / max(s.Max-s.Min, 1e-9)
	if s.Vertical {
		perUnit = -s.Height / max(s.Max-s.Min, 1e-9)
	}
	for range maxSliderMoves {
		if s.Now == wanted {
			break
		}
		if by := (wanted - s.Now) * perUnit; s.Vertical {
			y += by
		} else {
			x += by
		}
		if err = t.mouse(ctx, at(input.DispatchMouseEventTypeMouseMoved, x, y, 1)); err != nil {
			break
		}
		if s, err = t.sliderNow(ctx, l); err != nil {
			break
		}
	}
	if released := t.mouse(ctx, at(input.DispatchMouseEventTypeMouseReleased, x, y, 0)); err == nil {
		err = released
	}
	return s, err
}

// pressValue presses the keys of a value on what hears keys and holds no text.
func (t *Tab) pressValue(ctx context.Context, l located, value string, r *Report) error {
	if value == "" {
		return refuse(CodeValueRefused, "%s %q hears keys, and cannot be emptied", l.Role, l.Name)
	}
	if err := t.focus(ctx, l); err != nil {
		return err
	}
	keys := strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(value)
	if err := t.typeKeys(ctx, keys); err != nil || l.Role != "spinbutton" {
		return err
	}
	return t.step(ctx, l, value, r)
}

// step corrects by arrow keys a number that says where it stands, and has not heard what
// it was given.
func (t *Tab) step(ctx context.Context, l located, value string, r *Report) error {
	var s sliderState
	left, err := t.change(ctx, l.ID, &s, "slider")
	wanted, word := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if left || err != nil || !s.Found || word != nil { // a word, such as a month's name, has no steps
		return err
	}
	if s, err = t.slideByKeys(ctx, l, s, wanted); err == nil && s.Now != wanted {
		r.ActualState = strconv.FormatFloat(s.Now, 'f', -1, 64)
	}
	return err
}

// typeCode types a code into boxes that take a character each. It reports whether there
// are such boxes.
func (t *Tab) typeCode(ctx context.Context, l located, value string, r *Report) (done bool, err error) {
	code := []rune(strings.NewReplacer(" ", "", "-", "").Replace(value))
	var boxes []string
	if len(code) < 2 {
		return false, nil
	}
	if err := t.callOn(ctx, l.ID, &boxes, "codeBoxes"); err != nil || len(boxes) == 0 {
		return false, err
	}
	if len(code) > len(boxes) {
		return true, refuse(CodeValueRefused, "there are %d boxes for %d characters", len(boxes), len(code))
	}
	var holds strings.Builder
	for i, c := range code {
		var focused bool
		if err := t.callOn(ctx, boxes[i], &focused, "focusAll"); err != nil {
			return true, err
		}
		if err := t.typeKeys(ctx, string(c)); err != nil {
			return true, err
		}
	}
	for _, id := range boxes {
		var f field
		if left, err := t.change(ctx, id, &f, "typed"); left || err != nil {
			return true, err // a full code is often sent at once
		}
		holds.WriteString(f.Value)
	}
	if holds.String() == "" {
		return true, refuse(CodeValueRefused, "%s %q did not take the value", l.Role, l.Name)
	}
	if !l.Secret && holds.String() != value {
		r.ActualState = holds.String()
	}
	return true, nil
}
