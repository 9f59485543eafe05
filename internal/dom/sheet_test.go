package dom

import (
	"strings"
	"testing"
)

func TestAccessibleName_styleSheets(t *testing.T) {
	t.Parallel()
	const button = `<div id=d dir=rtl><button id=x class="a b" data-k=K><i class=c>one</i><i>two</i></button></div>`
	for css, want := range map[string]string{
		``:                                                     "onetwo",
		`.c{display:none}`:                                     "two",
		`.c{DISPLAY : NONE !important}`:                        "two",
		`.c{visibility:hidden}`:                                "two",
		`.c{display:none} i.c{display:inline}`:                 "onetwo",
		`i.c{display:inline} .c{display:none}`:                 "onetwo",
		`.c{display:none} .c{display:inline}`:                  "onetwo",
		`.c{display:none} .c:hover{display:block}`:             "onetwo",
		`.c{display:none} @media print{.c{display:block}}`:     "onetwo",
		`.c:hover{display:none}`:                               "onetwo",
		`@media (max-width:9px){.c{display:none}}`:             "onetwo",
		`@layer base{.c{display:none}}`:                        "two",
		`@import "x{y}"; /* .z{ */ .c{display:none}`:           "two",
		`.q, .c{display:none}`:                                 "two",
		`.b .c{display:none}`:                                  "two",
		`#d > .b > i.c{display:none}`:                          "two",
		`#d > .c{display:none}`:                                "onetwo",
		`.q .c{display:none}`:                                  "onetwo",
		`.c + i{display:none}`:                                 "onetwo",
		`i{display:block}`:                                     "one two",
		`.a.b::before{content:"0 "}`:                           "0 onetwo",
		`.a.q::before{content:"0 "}`:                           "onetwo",
		`#x:before{content:"0"; display:block}`:                "0 onetwo",
		`#x::after{content:none}`:                              "onetwo",
		`#x::after{content:"a" attr(data-k) 'b;}'}`:            "onetwoaKb;}",
		`#x::after{content:"\2713\20 ok" / "done"}`:            "onetwodone",
		`#x::after{content:"\f101"}`:                           "onetwo",
		`#x::after{content:"\201C q\""}`:                       "onetwo“q\"",
		`#x::after{content:url(x.png)}`:                        "onetwo",
		`[data-k="K"]::after{content:"!"}`:                     "onetwo!",
		`[data-k=k]::after{content:"!"}`:                       "onetwo",
		`#x:dir(rtl)::after{content:"!"}`:                      "onetwo!",
		`#x:dir(ltr)::after{content:"!"}`:                      "onetwo",
		`*{display:inline-block}`:                              "one two",
		`.c{color:red;{display:none}} } .c{`:                   "onetwo",
		`.c{display:none`:                                      "two",
		`.c{content:"`:                                         "onetwo",
		`::::before{content:"a"} .{display:none} >{display:no`: "onetwo",
	} {
		doc, tree := parseDocument(t, "<style>"+css+"</style>"+button)
		if got := accessibleName(doc, withID(tree, "x")); got != want {
			t.Errorf("%s: got %q, want %q", css, got, want)
		}
	}
}

func TestAccessibleName_ownStyleBeatsTheSheet(t *testing.T) {
	t.Parallel()
	doc, tree := parseDocument(t, `<style>.c{display:none}</style><button id=x>one<i class=c style="display:inline">two</i></button>`)
	if got := accessibleName(doc, withID(tree, "x")); got != "onetwo" {
		t.Errorf("got %q", got)
	}
}

// The sheets of a page are read for names alone: what they hide may be shown
// by a sheet or script that is not in the document.
func TestRead_sheetsHideNoElement(t *testing.T) {
	t.Parallel()
	p := read1(t, `<style media=screen>.menu{display:none}</style><nav class=menu><a href=/ id=x>Home</a></nav>`)
	if e, ok := p.ByID("x"); !ok || e.State.Hidden || e.Name != "Home" || p.Text != "Home" {
		t.Errorf("%t %+v, text %q", ok, e, p.Text)
	}
}

func FuzzSheet(f *testing.F) {
	f.Add(`.a>b:is(c,d)::before{content:"x" / attr(y);display:none}@media x{.e{visibility:hidden}}/*`)
	f.Add(`.a{content:"\`)
	f.Fuzz(func(t *testing.T, css string) {
		if strings.Contains(strings.ToLower(css), "</style") {
			return
		}
		doc, tree := parseDocument(t, "<style>"+css+"</style><div class=a><b class=e id=x>m</b></div>")
		first := accessibleName(doc, withID(tree, "x"))
		if again := accessibleName(doc, withID(tree, "x")); first != again {
			t.Errorf("%q, then %q", first, again)
		}
	})
}
