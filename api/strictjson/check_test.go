package strictjson

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var roomy = Limits{Depth: 10, Items: 100, Values: 1000, Fold: 10}

func TestCheck(t *testing.T) {
	t.Parallel()
	many := func(n int) string { return strings.TrimSuffix(strings.Repeat("{},", n), ",") }
	names := func(n int, last string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`"k` + strconv.Itoa(i) + `":0,`)
		}
		return "{" + b.String() + last + "}"
	}
	for name, tt := range map[string]struct {
		doc    string
		reason Reason // 0: none
		path   string
	}{
		"an object":                   {`{"a":[1,2.5e3,{"b":null}],"c":"\"\\","d":true}`, 0, ""},
		"a text":                      {`"x"`, 0, ""},
		"empty things":                {` { } `, 0, ""},
		"a lone surrogate":            {`{"a":"\ud800"}`, 0, ""},
		"characters":                  {`{"ü":"日本 😀"}`, 0, ""},
		"a backslash at the end":      {`{"a":"\\","b":"\\\""}`, 0, ""},
		"a bad value":                 {"{\"a\":\"x\xffy\"}", NotUTF8, "a"},
		"a bad value deep down":       {"{\"tree\":[{},{\"n\":\"\xc3(\"}]}", NotUTF8, "tree[1].n"},
		"a bad name":                  {"{\"a\":{\"x\xff\":1}}", NotUTF8, "a"},
		"a bad name on top":           {"{\"x\xff\":1}", NotUTF8, ""},
		"half a character at the end": {"{\"a\":\"\xe6\x97\"}", NotUTF8, "a"},
		"an encoded surrogate":        {"{\"a\":\"\xed\xa0\x80\"}", NotUTF8, "a"},
		"bad in a text without end":   {"{\"a\":\"\xff", NotUTF8, "a"},
		"a name twice":                {`{"a":1,"b":2,"a":3}`, Duplicate, "a"},
		"twice in an element":         {`{"list":[{"x":1},{"x":1,"x":1}]}`, Duplicate, "list[1].x"},
		"twice, once escaped":         {`{"a":1,"\u0061":2}`, Duplicate, "a"},
		"twice, in another case":      {`{"url":1,"URL":2}`, Duplicate, "url"},
		"twice, in the Kelvin sign":   {`{"k":1,"K":2}`, Duplicate, "k"},
		"twice among many":            {names(20, `"k7":1`), Duplicate, "k7"},
		"many names":                  {names(20, `"z":1`), 0, ""},
		"the same name elsewhere":     {`{"a":{"a":{"a":1}},"b":{"a":1}}`, 0, ""},
		"as deep as it may be":        {strings.Repeat("[", 10) + strings.Repeat("]", 10), 0, ""},
		"too deep":                    {`{"a":` + strings.Repeat("[", 10), TooDeep, "a[0][0][0][0][0][0][0][0][0]"},
		"as many as there may be":     {`{"a":[` + many(100) + `]}`, 0, ""},
		"too many in one":             {`{"a":[` + many(101) + `]}`, TooMany, "a"},
		"too many names":              {names(101, `"z":1`), TooMany, ""},
		"too many in all":             {`[` + strings.TrimSuffix(strings.Repeat(`[`+many(99)+`],`, 11), ",") + `]`, TooMany, "[9][99]"},
	} {
		err := Check([]byte(tt.doc), roomy)
		var fault *Fault
		if tt.reason == 0 {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.As(err, &fault) || fault.Reason != tt.reason || tt.reason != TooMany && fault.Path != tt.path {
			t.Errorf("%s: %v, want reason %d at %q", name, err, tt.reason, tt.path)
		}
	}
}

func TestCheck_NamesAreShortened(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 1_000_000)
	err := Check([]byte(`{"`+long+`":1,"`+long+`":2}`), roomy)
	if fault := new(Fault); !errors.As(err, &fault) || len(fault.Path) > 200 {
		t.Errorf("%.300v", err)
	}
}

func TestCheck_FoldsAsDeepAsItIsTold(t *testing.T) {
	t.Parallel()
	l := roomy
	l.Fold = 1
	if err := Check([]byte(`{"a":{"b":1,"B":2}}`), l); err != nil {
		t.Errorf("below: %v", err)
	}
	if err := Check([]byte(`{"a":{"b":1,"b":2}}`), l); err == nil {
		t.Error("below, the same: taken")
	}
	if err := Check([]byte(`{"a":1,"A":2}`), l); err == nil {
		t.Error("on top: taken")
	}
}

func TestCheck_NoJSON(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{"", " ", "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, "[1,]", "[1 2]", `{"a" 1}`, "{1:2}", `"`, `"\"`, "{}x", "{}{}", "'a'"} {
		if err := Check([]byte(doc), roomy); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q: %v", doc, err)
		}
	}
}

// What the decoder takes is refused for a reason of ours, or for none.
func FuzzCheck(f *testing.F) {
	for _, doc := range []string{`{"a":[1,{"b":"\u0061"}]}`, `[[],{}]`, "{\"a\":\"\xff\"}", `{"a":1,"A":2}`, `"\\\""`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		err := Check(doc, roomy)
		if json.Valid(doc) && errors.Is(err, ErrSyntax) {
			t.Errorf("%q is JSON", doc)
		}
		if fault := new(Fault); errors.As(err, &fault) && !utf8.ValidString(fault.Path) {
			t.Errorf("%q: path %q", doc, fault.Path)
		}
		var any any
		if err == nil && !utf8.Valid(doc) && json.Unmarshal(doc, &any) == nil {
			t.Errorf("%q is not UTF-8", doc)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	doc := []byte(`{"dom":"` + strings.Repeat(`<p class=\"x\">some text</p>`, 500_000) + `"}`)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Check(doc, roomy); err != nil {
			b.Fatal(err)
		}
	}
}
