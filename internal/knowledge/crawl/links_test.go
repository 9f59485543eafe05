package crawl

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	const base = "http://site.example/dir/page"
	for name, c := range map[string]struct {
		html string
		want Page
	}{
		"links": {
			`<a href=a>1</a><A HREF="/b?x=1&amp;y=2">2</A><area href="../c"><a href="a#part">again</a><a>none</a><a href="">itself</a>`,
			Page{Links: []string{"http://site.example/dir/a", "http://site.example/b?x=1&y=2", "http://site.example/c"}},
		},
		"what is no page":       {`<a href="mailto:a@b"></a><a href="javascript:x()"></a><a href="data:text/html,x"></a><a href="tel:1"></a><a href="#x"></a><a href="http://u:p@site.example/"></a>`, Page{}},
		"nofollow":              {`<a href=a rel="external NoFollow">1</a><a href=b rel=nofollower>2</a>`, Page{Links: []string{"http://site.example/dir/b"}}},
		"frames":                {`<frameset><frame src=f></frameset><iframe src="/g"></iframe>`, Page{Links: []string{"http://site.example/dir/f", "http://site.example/g"}}},
		"the next page":         {`<link rel=next href="?p=2"><link rel=prev href="?p=0"><link rel=stylesheet href=s.css>`, Page{Links: []string{"http://site.example/dir/page?p=2", "http://site.example/dir/page?p=0"}}},
		"a refresh":             {`<meta http-equiv=Refresh content="0; URL='/moved'">`, Page{Links: []string{"http://site.example/moved"}}},
		"a base, also later":    {`<a href=a>1</a><base href="/other/"><base href="/third/"><a href=b>2</a>`, Page{Links: []string{"http://site.example/other/a", "http://site.example/other/b"}}},
		"a base that is none":   {`<base href="javascript:x"><a href=a>1</a>`, Page{Links: []string{"http://site.example/dir/a"}}},
		"canonical":             {`<link rel=canonical href="https://WWW.site.example/x#y">`, Page{Canonical: "https://www.site.example/x"}},
		"robots":                {`<meta name=ROBOTS content="NoIndex, follow"><a href=a>1</a>`, Page{NoIndex: true, Links: []string{"http://site.example/dir/a"}}},
		"robots: no links":      {`<meta name=robots content="nofollow"><a href=a>1</a>`, Page{NoFollow: true}},
		"robots: none":          {`<meta name=robots content="none">`, Page{NoIndex: true, NoFollow: true}},
		"robots: ours":          {`<meta name=stepledger content="noindex"><meta name=googlebot content="none">`, Page{NoIndex: true}},
		"without scripts":       {`<noscript><a href=a>1</a></noscript>`, Page{Links: []string{"http://site.example/dir/a"}}},
		"what is no element":    {`<script>"<a href=a>"</script><!-- <a href=b> --><textarea><a href=c></textarea><title><a href=d></title><style><a href=e></style>`, Page{}},
		"what is no HTML":       {"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe", Page{}},
		"broken":                {`<a href="a>1</a><a href="b">`, Page{Links: []string{"http://site.example/dir/a%3E1%3C/a%3E%3Ca%20href="}}},
		"nothing":               {"", Page{}},
		"a page that is nested": {strings.Repeat("<div>", 100_000) + `<a href=a>1</a>`, Page{Links: []string{"http://site.example/dir/a"}}},
	} {
		got := Links([]byte(c.html), "", base)
		if !slices.Equal(got.Links, c.want.Links) || got.Canonical != c.want.Canonical || got.NoIndex != c.want.NoIndex ||
			got.NoFollow != c.want.NoFollow || got.Truncated != c.want.Truncated {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestLinks_Charsets(t *testing.T) {
	t.Parallel()
	var wide []byte
	for _, c := range utf16.Encode([]rune("<a href='/größe'>x</a>")) {
		wide = append(wide, byte(c), byte(c>>8))
	}
	for _, c := range []struct{ body, charset string }{
		{"<a href='/größe'>", "utf-8"}, {"<a href='/gr\xf6\xdfe'>", "iso-8859-1"}, {"<meta charset=latin1><a href='/gr\xf6\xdfe'>", ""},
		{string(wide), "utf-16le"}, {"\xff\xfe" + string(wide), ""},
	} {
		if got := Links([]byte(c.body), c.charset, "http://site.example/").Links; !slices.Equal(got, []string{"http://site.example/gr%C3%B6%C3%9Fe"}) {
			t.Errorf("%q in %q: %v", c.body, c.charset, got)
		}
	}
}

func TestLinks_AreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 3 * maxLinks {
		fmt.Fprintf(&b, "<a href=%d>", i)
	}
	got := Links([]byte(b.String()), "", "http://site.example/")
	if len(got.Links) != maxLinks || !got.Truncated {
		t.Errorf("%d links, truncated %t", len(got.Links), got.Truncated)
	}
}

func FuzzLinks(f *testing.F) {
	f.Add([]byte(`<base href="//x"><a href="a"><link rel=canonical href="?%"><meta name=robots content=none>`), "utf-8", "http://site.example/")
	f.Add([]byte("<noscript><a href='\xff'>"), "utf-16", "::")
	f.Fuzz(func(t *testing.T, body []byte, charset, base string) {
		p := Links(body, charset, base)
		if len(p.Links) > maxLinks {
			t.Fatalf("%d links", len(p.Links))
		}
		for _, at := range append(p.Links, p.Canonical) {
			if again, err := Normalize(at, ""); at != "" && (err != nil || again != at) {
				t.Fatalf("%q is %q: %v", at, again, err)
			}
		}
	})
}
