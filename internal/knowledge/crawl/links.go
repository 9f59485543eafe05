package crawl

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// maxLinks bounds the links taken from a page.
const maxLinks = 10_000

// Page is what an HTML page says about pages, itself and others.
type Page struct {
	// Links are normalized and distinct, in the order of the page, at most 10 000. Those
	// marked nofollow are not among them, and none are if NoFollow.
	Links []string
	// Canonical is the address the page gives as its own, normalized, "" if it gives
	// none. It may be of another host.
	Canonical string
	// NoIndex and NoFollow are what a meta element asks of everybody or of us.
	NoIndex, NoFollow bool
	// Truncated says that there were more links.
	Truncated bool
}

// Links reads an HTML page as it was fetched. charset is what the answer named, or "";
// base is the page's address, which a base element in it may change. The page need not be
// well formed, or HTML at all: then there are no links.
//
// Links are those of a and area, of frames, of a link to the next or previous page, and
// where a refresh leads; addresses that are not http or https are left out. Scripts are
// not run.
func Links(body []byte, charsetName, base string) Page {
	r := linkReader{base: base}
	text, err := charset.NewReader(bytes.NewReader(body), "text/html; charset="+charsetName)
	if err != nil {
		return Page{}
	}
	// A tree is not built: pages may nest without end, and links do not depend on it.
	z := html.NewTokenizer(text)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return r.page()
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			r.tag(t)
			if t.Data == "noscript" {
				z.NextIsNotRawText()
			}
		}
	}
}

// linkReader collects what tags say; addresses are resolved at the end, when base is
// known.
type linkReader struct {
	base      string
	baseFound bool
	raw       []string
	canonical string
	result    Page
}

func (r *linkReader) tag(t html.Token) {
	switch t.Data {
	case "a", "area":
		if !hasWord(attribute(t, "rel"), "nofollow") {
			r.link(attribute(t, "href"))
		}
	case "iframe", "frame":
		r.link(attribute(t, "src"))
	case "base":
		if href := attribute(t, "href"); href != "" && !r.baseFound {
			r.baseFound = true
			if to, err := resolve(href, r.base); err == nil && webOnly(to) == nil {
				r.base = to.String()
			}
		}
	case "link":
		rel := attribute(t, "rel")
		if r.canonical == "" && hasWord(rel, "canonical") {
			r.canonical = attribute(t, "href")
		}
		if hasWord(rel, "next") || hasWord(rel, "prev") {
			r.link(attribute(t, "href"))
		}
	case "meta":
		r.meta(t)
	}
}

func (r *linkReader) meta(t html.Token) {
	content := attribute(t, "content")
	if strings.EqualFold(attribute(t, "http-equiv"), "refresh") {
		if _, to, ok := strings.Cut(content, "="); ok {
			r.link(strings.Trim(strings.TrimSpace(to), `'"`))
		}
		return
	}
	if name := attribute(t, "name"); !strings.EqualFold(name, "robots") && !strings.EqualFold(name, Token) {
		return
	}
	for rule := range strings.FieldsFuncSeq(content, func(r rune) bool { return r == ',' || r == ' ' }) {
		noIndex, noFollow := robotsDirective(rule)
		r.result.NoIndex = r.result.NoIndex || noIndex
		r.result.NoFollow = r.result.NoFollow || noFollow
	}
}

func (r *linkReader) link(href string) {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' {
		return
	}
	// Equal ones are still among them.
	if len(r.raw) >= 2*maxLinks {
		r.result.Truncated = true
		return
	}
	r.raw = append(r.raw, href)
}

func (r *linkReader) page() Page {
	p := r.result
	if to, err := Normalize(r.canonical, r.base); err == nil && r.canonical != "" {
		p.Canonical = to
	}
	if p.NoFollow {
		return p
	}
	seen := map[string]bool{}
	for _, href := range r.raw {
		to, err := Normalize(href, r.base)
		if err != nil || seen[to] {
			continue
		}
		if len(p.Links) == maxLinks {
			p.Truncated = true
			break
		}
		seen[to] = true
		p.Links = append(p.Links, to)
	}
	return p
}

// attribute is the first of its name.
func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasWord(list, word string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(s string) bool { return strings.EqualFold(s, word) })
}
