package page

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"
)

func TestCapture_DOMHashIsTheSHA256OfADocument(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, fingerprintBuffer - 1, fingerprintBuffer, fingerprintBuffer + 1, 3*fingerprintBuffer + 7} {
		dom := strings.Repeat("é", n)[:n]
		want := sha256.Sum256([]byte(dom))
		if got := (Capture{DOM: dom}).DOMHash(); got != hex.EncodeToString(want[:]) {
			t.Errorf("%d bytes: %s", n, got)
		}
	}
}

// Every field of a capture that a page is read from changes its frame or its
// hash; a field added later has to be told apart too.
func TestCapture_NothingAPageIsReadFromIsLeftOut(t *testing.T) {
	t.Parallel()
	full := func() Capture {
		return Capture{
			DOM: "<p>", Tree: []NodeV3{{XY: &[2]float64{1, 2}, Box: &[4]float64{1, 2, 3, 4}, Scroll: &ScrollInfo{}}},
			Nodes: []Node{{Bounds: &Bounds{}}}, Containers: []ScrollContainer{{}},
		}
	}
	plain := full()
	frame, hash := plain.Frame(), plain.DOMHash()
	notRead := map[string]bool{"ScreenshotHash": true, "Viewport": true, "ScrollPosition": true, "Secrets": true}
	var vary func(path string, of func(*Capture) reflect.Value)
	vary = func(path string, of func(*Capture) reflect.Value) {
		c := full()
		v := of(&c)
		switch v.Kind() {
		case reflect.Pointer:
			vary(path, func(c *Capture) reflect.Value { return of(c).Elem() })
		case reflect.Slice, reflect.Array:
			vary(path, func(c *Capture) reflect.Value { return of(c).Index(0) })
		case reflect.Struct:
			for i := range v.NumField() {
				vary(path+"."+v.Type().Field(i).Name, func(c *Capture) reflect.Value { return of(c).Field(i) })
			}
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Float64:
			v.SetFloat(99)
		default:
			t.Fatalf("%s has the kind %s", path, v.Kind())
		}
		if k := v.Kind(); k == reflect.String || k == reflect.Bool || k == reflect.Float64 {
			if c.Frame() == frame && c.DOMHash() == hash {
				t.Errorf("%s changes neither frame nor hash", path)
			}
		}
	}
	typ := reflect.TypeFor[Capture]()
	for i := range typ.NumField() {
		if name := typ.Field(i).Name; !notRead[name] {
			vary(name, func(c *Capture) reflect.Value { return reflect.ValueOf(c).Elem().Field(i) })
		}
	}
}

func TestCapture_TextsDoNotRunIntoEachOther(t *testing.T) {
	t.Parallel()
	a := Capture{Tree: []NodeV3{{ID: "1", Role: "btn", Name: "Save"}}}
	b := Capture{Tree: []NodeV3{{ID: "1", Role: "b", Name: "tnSave"}}}
	if a.DOMHash() == b.DOMHash() {
		t.Error("two trees have one hash")
	}
}

func TestPage_SizeCountsEveryText(t *testing.T) {
	t.Parallel()
	small := Page{}
	large := Page{
		Text: strings.Repeat("x", 1000), Headings: []string{strings.Repeat("x", 1000)}, Alerts: []Alert{{Text: strings.Repeat("x", 1000)}},
		Elements: []Element{{Name: strings.Repeat("x", 1000), Options: []Option{{Label: strings.Repeat("x", 1000)}}, XY: &Point{}, Box: &Rect{}}},
	}
	if n := large.Size() - small.Size(); n < 5000 || n > 5800 {
		t.Errorf("five texts of a thousand bytes count as %d", n)
	}
}
