package snapshot_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom/snapshot"
)

// harmless reports everything in a document that could do something: what is said here
// is written apart from what the package allows.
func harmless(t testing.TB, doc []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(doc))
	if err != nil {
		t.Fatalf("the snapshot cannot be read: %v", err)
	}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("a comment: %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "iframe", "frame", "object", "embed", "applet", "base", "link", "form", "foreignObject", "use", "image", "animate",
			"set", "math", "template", "noscript", "audio", "video", "source", "portal", "svg:script":
			t.Errorf("a %s is left", n.Data)
		case "meta":
			for _, a := range n.Attr {
				if a.Key == "http-equiv" {
					t.Error("a meta with http-equiv is left")
				}
			}
		case "style":
			if n.FirstChild != nil {
				harmlessStyle(t, n.FirstChild.Data)
			}
		}
		for _, a := range n.Attr {
			harmlessAttribute(t, n.Data, a)
		}
	}
	return root
}

func harmlessAttribute(t testing.TB, element string, a html.Attribute) {
	t.Helper()
	switch key := strings.ToLower(a.Key); {
	case strings.HasPrefix(key, "on"):
		t.Errorf("a handler is left: %s=%q", a.Key, a.Val)
	case key == "src":
		if element != "img" || !strings.HasPrefix(a.Val, "data:image/") || strings.Contains(a.Val, "svg") {
			t.Errorf("an address is left: %s src=%q", element, a.Val)
		}
	case key == "href" || key == "srcset" || key == "srcdoc" || key == "action" || key == "formaction" || key == "data" || key == "poster" ||
		key == "background" || key == "ping" || key == "cite" || key == "manifest" || key == "longdesc" || strings.HasPrefix(key, "xlink"):
		t.Errorf("an address is left: %s=%q", a.Key, a.Val)
	case key == "style":
		harmlessStyle(t, a.Val)
	}
}

func harmlessStyle(t testing.TB, css string) {
	t.Helper()
	// Outside of quoted texts, which are only shown.
	var bare strings.Builder
	for i, part := range strings.Split(css, `"`) {
		if i%2 == 0 {
			bare.WriteString(part)
		}
	}
	lower := strings.ToLower(bare.String())
	for _, bad := range []string{"url(", "@import", "@font-face", "expression(", "image-set(", "src(", "element(", "paint(", "-moz-binding", "behavior", "</"} {
		if strings.Contains(lower, bad) {
			t.Errorf("%s is left in a style: %.300q", bad, css)
		}
	}
}

func TestRender_HostilePages(t *testing.T) {
	t.Parallel()
	const pixel = "data:image/png;base64,iVBORw0KGgo="
	for name, tt := range map[string]struct {
		src        string
		has, hasNo []string
	}{
		"a script":                     {`<p>a<script>fetch("//evil.example")</script>b</p>`, []string{"<p>ab</p>"}, []string{"evil"}},
		"a script in a script's name":  {`<scr<script>ipt>alert(1)</scr</script>ipt>`, nil, []string{"<script"}},
		"handlers":                     {`<div onclick="x()" ONMOUSEOVER=y() onfoo=z>a</div><body onload=w()>`, []string{"<div>a"}, []string{"x()", "y()", "w()"}},
		"a beacon image":               {`<img src="https://evil.example/1.gif" srcset="https://evil.example/2.gif 2x" alt="logo">`, []string{`alt="logo"`}, []string{"evil"}},
		"a picture in the document":    {`<img src="` + pixel + `">`, []string{pixel}, nil},
		"a drawing as a picture":       {`<img src="data:image/svg+xml;base64,PHN2Zz4=">`, []string{"<img>"}, []string{"svg"}},
		"a picture that breaks out":    {`<img src='data:image/png;base64,"onerror="x'>`, []string{"<img>"}, []string{"onerror"}},
		"a refresh":                    {`<meta http-equiv="refresh" content="0;url=https://evil.example"><p>a`, []string{"<p>a"}, []string{"refresh", "evil"}},
		"a refresh in the body":        {`<p>a<meta http-equiv=refresh content="0;url=//evil.example">`, []string{"<p>a"}, []string{"evil"}},
		"an import":                    {`<style>@import "https://evil.example/a.css"; @import url(//evil.example); p{color:red}</style><p>a`, []string{"p{color:red}"}, []string{"evil"}},
		"an import spelt otherwise":    {`<style>@\69mport "//evil.example";@IMPORT/**/url("//evil.example");b{top:0}</style>`, []string{"b{top:0}"}, []string{"evil"}},
		"a font":                       {`<style>@font-face{font-family:x;src:url(//evil.example/f)}i{top:0}</style>`, []string{"i{top:0}"}, []string{"evil"}},
		"a picture of a style":         {`<p style="background:url(//evil.example);color:red">a`, []string{"color:red"}, []string{"evil"}},
		"a url spelt otherwise":        {`<p style="background:\75\72l(//evil.example);list-style:UrL('//evil.example')">a`, nil, []string{"evil"}},
		"a url in a variable":          {`<style>:root{--x:url(//evil.example)}p{background:var(--x)}</style>`, []string{"var(--x)"}, []string{"evil"}},
		"other ways to fetch":          {`<style>p{background:image-set("//evil.example" 1x);mask:-webkit-image-set(url(//evil.example) 1x);cursor:src("//evil.example")}</style>`, nil, []string{"evil"}},
		"a style that ends itself":     {`<style>p::before{content:"</style><script>alert(1)</script>"}</style>`, nil, []string{"<script", "alert(1)</"}},
		"a style attribute with a tag": {`<p style="content:'</p><script>x'">a</p>`, nil, []string{"<script"}},
		"an old browser's code":        {`<p style="width:expression(alert(1));behavior:none;-moz-binding:none">a`, nil, []string{"alert", "behavior"}},
		"a javascript link":            {`<a href="javascript:alert(1)">a</a><a href=" java&#10;script:x">b</a>`, []string{"<a>a</a>", "<a>b</a>"}, []string{"javascript"}},
		"a link":                       {`<a href="https://evil.example" ping="https://evil.example" target=_top>a</a>`, []string{"<a>a</a>"}, []string{"evil"}},
		"a frame with a document":      {`<iframe srcdoc="<script>x</script>" src="//evil.example"></iframe>`, []string{"left out: iframe"}, []string{"srcdoc", "evil"}},
		"an object":                    {`<object data="//evil.example"><embed src="//evil.example"></object>`, []string{"left out: object"}, []string{"evil"}},
		"a form":                       {`<form action="//evil.example"><input name=a value=v><button formaction="//evil.example">go</button></form>`, []string{`value="v"`, "<button>go"}, []string{"<form", "evil"}},
		"a base":                       {`<base href="//evil.example"><p>a`, []string{"<p>a"}, []string{"base"}},
		"a link element":               {`<link rel=stylesheet href="//evil.example"><link rel=prefetch href="//evil.example">`, nil, []string{"evil", "<link"}},
		"nested templates":             {`<template><template><script>x</script></template><img src=//evil.example onerror=x></template><p>a`, []string{"<p>a"}, []string{"evil", "<script", "onerror"}},
		"a shadow tree":                {`<x-y><template shadowrootmode=open><b onclick=x>in</b><script>x</script></template></x-y>`, []string{"<div><b>in</b></div>"}, []string{"onclick", "<script"}},
		"no script":                    {`<noscript><img src=//evil.example></noscript><noscript><p title="</noscript><img src=x onerror=x>">`, nil, []string{"evil", `onerror="`}},
		"a drawing with a script":      {`<svg><script>x</script><g onload=x><path d="M0 0"/></g></svg>`, []string{`<path d="M0 0">`}, []string{"onload", "<script"}},
		"a drawing with a page in it":  {`<svg><foreignObject><iframe src=//evil.example></iframe><p>b</p></foreignObject><rect width=5 height=5 /></svg>`, []string{`<rect width="5" height="5">`}, []string{"evil", "<p>", "foreign"}},
		"a drawing that refers":        {`<svg><use xlink:href="//evil.example#a"/><image href="//evil.example"/><rect fill="url(//evil.example#a)" stroke="red"/><a href="javascript:x"><text>t</text></a></svg>`, []string{`<rect stroke="red">`}, []string{"evil", "javascript"}},
		"a drawing that moves":         {`<svg><a><animate attributeName=href values="javascript:x"/></a><set attributeName=onload to=x /></svg>`, nil, []string{"javascript", "animate", "<set"}},
		"a drawing without end":        {`<svg width="99999999" height="1e12"><rect width=100% height=50px /></svg>`, []string{`<svg width="" height="">`, `<rect width="100%" height="50">`}, []string{"99999999", "1e12"}},
		"a title in a drawing":         {`<svg><title><img src=x onerror=x></title><desc><script>x</script></desc></svg>`, nil, []string{"onerror", "<script"}},
		"a formula":                    {`<math><mtext><table><mglyph><style><img src=x onerror=x></style></mglyph></table></mtext></math>`, nil, []string{`onerror="`, "<math"}},
		"a text area that ends itself": {`<textarea>&lt;/textarea>&lt;script>x</textarea>`, []string{"&lt;/textarea&gt;"}, []string{"<script"}},
		"what is not read as markup":   {`<xmp><script>x</script></xmp><noembed><img src=x onerror=x></noembed><plaintext><img src=x onerror=x>`, nil, []string{"onerror", "<script"}},
		"a comment":                    {`<!--[if IE]><script>x</script><![endif]--><p>a`, []string{"<p>a"}, []string{"<script", "<!--"}},
		"an element nobody knows":      {`<mat-icon class="i" foo="//evil.example">home</mat-icon>`, []string{`<span class="i">home</span>`}, []string{"evil", "mat-icon"}},
		"the mark of the target":       {`<p data-acted-on id=other>a`, []string{`<p id="other">a`}, nil},
		"a style for narrow windows":   {`<style>@media (min-width:600px) and (400px <= height){.sm\:flex:not(.\31 0)>p{width:calc(1px + 2%);color:rgb(1 2 3/50%)!important}}</style>`, []string{`@media (min-width:600px) and (400px <= height){.sm\3a flex:not(.\31 0)>p{width:calc(1px + 2%);color:rgb(1 2 3/50%)!important}}`}, nil},
		"the page's own attributes":    {`<html lang=de class=dark onclick=x><body style="margin:0" class=b onload=x background=//evil.example><p>a`, []string{`<html lang="de" class="dark">`, `<body style="margin:0" class="b" inert>`}, []string{"evil", "onload"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.Render(page.Capture{DOM: tt.src, Title: `</title><script>x`}, "14")
			harmless(t, got)
			for _, want := range tt.has {
				if !bytes.Contains(got, []byte(want)) {
					t.Errorf("%q is missing in %s", want, got)
				}
			}
			for _, bad := range append(tt.hasNo, "<script") {
				if bytes.Contains(got, []byte(bad)) {
					t.Errorf("%q is left in %s", bad, got)
				}
			}
		})
	}
}

func TestRender_OutlinesTheTarget(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		capture page.Capture
		target  string
		want    string
	}{
		"an element":           {page.Capture{DOM: `<button id=13>No</button><button id=14>Save</button><p id=14>`}, "14", `<button id="acted-on" data-acted-on="">Save</button><p id="14"></p>`},
		"by the client's id":   {page.Capture{DOM: `<i id=14>No</i><b data-id=14>No</b><button id=a data-llm-id=14>Save</button>`}, "14", `<i id="14">No</i><b>No</b><button id="acted-on" data-acted-on="">Save`},
		"a shape":              {page.Capture{DOM: `<svg id=14></svg>`}, "14", `<svg id="acted-on" data-acted-on="">`},
		"none":                 {page.Capture{DOM: `<button id="">Save</button>`}, "", `<button id="">Save</button>`},
		"the page's skeleton":  {page.Capture{SkeletonDOM: `<a id=14>x</a>`}, "14", `<a id="acted-on" data-acted-on="">`},
		"a row of a tree":      {page.Capture{Tree: []page.NodeV3{{ID: "14", Role: "button", Name: "<b>Save"}}}, "14", `<tr id="acted-on" data-acted-on=""><td>14</td><td>button</td><td>&lt;b&gt;Save</td>`},
		"a row of a full tree": {page.Capture{Nodes: []page.Node{{ID: "14", Role: "button", Value: "v"}}}, "14", `<tr id="acted-on" data-acted-on=""><td>14</td><td>button</td><td></td><td>v</td>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.Render(tt.capture, tt.target)
			if harmless(t, got); !bytes.Contains(got, []byte(tt.want)) {
				t.Errorf("%q is missing in %s", tt.want, got)
			}
		})
	}
}

func TestRender_IsBounded(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"elements":        strings.Repeat("<i>x</i>", 200_000),
		"depth":           strings.Repeat("<div>", 100_000) + "x",
		"depth of others": strings.Repeat("<x-y>", 400) + "x",
		"shapes":          "<svg>" + strings.Repeat("<path d='M0 0'/>", 100_000) + "</svg>",
		"shapes in depth": "<svg>" + strings.Repeat("<g>", 450),
		"styles":          "<style>" + strings.Repeat("p{top:0}", 500_000) + "</style>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := snapshot.Render(page.Capture{DOM: src}, "")
			if len(got) > 16<<20 {
				t.Errorf("%d bytes", len(got))
			}
			if name != "depth" && !bytes.Contains(got, []byte("left out: the rest of a page that is too large")) {
				t.Errorf("it does not say that something is missing: %.300s", got)
			}
		})
	}
}

// The pages the reader of pages is tested with.
func TestRender_Pages(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/*.html")
	if err != nil || len(files) == 0 {
		files, err = filepath.Glob("../testdata/*/*.html")
	}
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := snapshot.Render(page.Capture{DOM: string(src)}, "")
		harmless(t, got)
		if t.Failed() {
			t.Fatal(file)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		`<p onclick=x style="a:url(b)">`, `<style>@import "x";a{b:\75 rl(c)}</style>`, `<svg><foreignObject><p></svg>`,
		`<template shadowrootmode=open><table><tr><td><form><math><mi><style><!--</style><img src=x onerror=y>`, `<select><option><svg><title></select><script>`,
	} {
		f.Add(seed, "14")
	}
	f.Fuzz(func(t *testing.T, src, target string) {
		got := snapshot.Render(page.Capture{DOM: src, Title: target}, target)
		harmless(t, got)
		if !bytes.Equal(got, snapshot.Render(page.Capture{DOM: src, Title: target}, target)) {
			t.Error("the same page is shown in two ways")
		}
	})
}
