package markup

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// differ says where two trees differ, "" for nowhere.
func differ(a, b *html.Node) string {
	for {
		switch {
		case a == nil && b == nil:
			return ""
		case a == nil || b == nil:
			return fmt.Sprintf("%v beside %v", a, b)
		}
		x, y := *a, *b
		if x.Type != y.Type || x.DataAtom != y.DataAtom || x.Data != y.Data || x.Namespace != y.Namespace || len(x.Attr) != len(y.Attr) {
			return fmt.Sprintf("%+v beside %+v", x, y)
		}
		for i := range x.Attr {
			if x.Attr[i] != y.Attr[i] {
				return fmt.Sprintf("%s: attribute %+v beside %+v", x.Data, x.Attr[i], y.Attr[i])
			}
		}
		if (x.Parent == nil) != (y.Parent == nil) || x.FirstChild == nil && x.LastChild != nil || x.Parent != nil && (x.NextSibling == nil) != (x.Parent.LastChild == a) ||
			x.NextSibling != nil && x.NextSibling.PrevSibling != a || x.FirstChild != nil && x.FirstChild.Parent != a {
			return x.Data + " is linked wrongly"
		}
		if d := differ(x.FirstChild, y.FirstChild); d != "" {
			return x.Data + " > " + d
		}
		a, b = x.NextSibling, y.NextSibling
	}
}

// compare holds Parse to what html.Parse makes of a page, and reports whether it said
// yes.
func compare(t *testing.T, src string) bool {
	t.Helper()
	tree, ok := Parse(src)
	if !ok {
		return false
	}
	defer tree.Release()
	want, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Errorf("html.Parse refuses it: %v: %.200q", err, src)
		return true
	}
	if d := differ(tree.Root, want); d != "" {
		t.Errorf("%s: %.2000q", d, src)
	}
	return true
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`<!doctype html><p>a<b>b<i>c</b>d</i><p>e<table><tr><td>f<a href=x y>g</a></table><svg viewbox=1 xlink:href=a><path/><title>t</title></svg>`,
		"<ul><li>a<li>b&amp&copy=1<a href='?a=1&copy=2&lt;&semi;&notit;'>x</a></ul><select><option>a<option>b<optgroup><option></select><hr><input>",
		"<pre>\r\n\nx</pre><textarea>\n</textarea a='>'><script><!--<script></script>--></script><style>a</style><title>&amp;</title><!--x--!><!-->",
		"a<dl><dt>a<dd>b<ruby>a<rt>b<rp>c</ruby><form><form></form></div></p><button><button><h1><h2></h1></body>x<!--y--></html> <!--z-->",
		"<table><caption>a<col><colgroup><tbody><tr><th>a<td>b<table><td></table></table><nobr><object><b></object></applet><em a=1 a=2><br/></em>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) { compare(t, src) })
}
