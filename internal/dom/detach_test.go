package dom

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom/domtest"
)

// No string of a page is a part of its document: a page that is kept does not keep it.
func TestRead_keepsNothingOfTheDocument(t *testing.T) {
	t.Parallel()
	src := strings.Clone(domtest.FormPage(40_000) + `<table><caption>Caption</caption><tr><th>Column<td data-frame-id=frame7><input id=field7 aria-label="Label seven"
		min=10 max=20 step=5 placeholder="Something" name=named role=spinbutton aria-valuetext="seven of nine"></table><div role="dialog" aria-label="Over it">Hello there <a href=/somewhere
		title="The title" class="is-active">A link</a></div><div style="overflow:auto" id=scroller></div><x-odd role=button aria-expanded=true data-llm-id=odd7 aria-pressed=mixed>Odd one</x-odd>
		<div role=alert>An alert of one text</div><h2>A heading of one text</h2><div class=dropdown-select data-llm-id=pick7>Choice</div><select><optgroup label=More><option value=option7>Option seven</select>
		<div role=radiogroup aria-label="Group seven"><input type=radio value=r7 aria-label=Seven></div>`)
	p, err := Reader{}.Read(page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src})
	if err != nil {
		t.Fatal(err)
	}
	from := uintptr(unsafe.Pointer(unsafe.StringData(src)))
	seen := 0
	eachString(reflect.ValueOf(p), "page", func(where, s string) {
		seen++
		if at := uintptr(unsafe.Pointer(unsafe.StringData(s))); s != "" && at >= from && at < from+uintptr(len(src)) {
			t.Errorf("%s is a part of the document: %q", where, s)
		}
	})
	if runtime.KeepAlive(src); seen < 1_000 {
		t.Errorf("only %d strings", seen)
	}
}

func eachString(v reflect.Value, where string, visit func(where, s string)) {
	switch v.Kind() {
	case reflect.String:
		visit(where, v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			eachString(v.Elem(), where, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachString(v.Field(i), where+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachString(v.Index(i), where, visit)
		}
	}
}
