package extract

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mainContent returns the part of a page that it is about, or its whole body if it is no
// article: if next to nothing stands in paragraphs, or most of what does is elsewhere.
func mainContent(root, body *html.Node, address string) *html.Node {
	prune(body)
	whole := prose(body)
	fallback := landmark(body)
	u, err := url.Parse(address)
	if err != nil || !u.IsAbs() {
		u = &url.URL{Scheme: "https", Host: nowhere}
	}
	found, err := readability.FromDocument(clone(root), u) // it changes what it is given
	if err != nil || found.Node == nil || len(inline(textOf(found.Node))) < least || prose(found.Node)*5 < whole {
		return fallback
	}
	return found.Node
}

func clone(n *html.Node) *html.Node {
	c := &html.Node{Type: n.Type, DataAtom: n.DataAtom, Data: n.Data, Namespace: n.Namespace, Attr: append([]html.Attribute(nil), n.Attr...)}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.AppendChild(clone(k))
	}
	return c
}

// landmark returns the one main element or article of a page, or the body.
func landmark(body *html.Node) *html.Node {
	for _, kind := range []atom.Atom{atom.Main, atom.Article} {
		var all []*html.Node
		each(body, func(n *html.Node) bool {
			if n.DataAtom == kind || kind == atom.Main && attr(n, "role") == "main" {
				all = append(all, n)
				return false
			}
			return true
		})
		if len(all) == 1 && prose(all[0])*2 >= prose(body) {
			return all[0]
		}
	}
	return body
}

// articleType is in the data that pages carry for search engines.
var articleType = regexp.MustCompile(`"@type"\s*:\s*\[?\s*"\w*(Article|Posting)"|schema\.org/\w*(Article|Posting)$`)

// saysArticle reports a page that declares itself an article of a paper or a journal. What
// surrounds the text of those is alike enough to know.
func saysArticle(root *html.Node) bool {
	says := false
	each(root, func(n *html.Node) bool {
		switch {
		case n.DataAtom == atom.Meta:
			property := attr(n, "property")
			says = says || property == "og:type" && strings.EqualFold(attr(n, "content"), "article") || property == "article:published_time"
		case n.DataAtom == atom.Script:
			says = says || attr(n, "type") == "application/ld+json" && articleType.MatchString(textOf(n))
		case attr(n, "itemtype") != "":
			says = says || articleType.MatchString(attr(n, "itemtype"))
		}
		return !says
	})
	return says
}

// prose counts the words that stand in paragraphs of some length outside of links.
func prose(root *html.Node) int {
	sum := 0
	for _, l := range leaves(root) {
		if n := l.words - l.linked; n >= 10 {
			sum += n
		}
	}
	return sum
}

var (
	// besideRole is what pages declare not to be their content.
	besideRole = map[string]bool{"navigation": true, "complementary": true, "contentinfo": true, "banner": true, "search": true, "menu": true, "menubar": true, "toolbar": true, "alertdialog": true, "dialog": true, "tooltip": true}
	// besideName are words in classes and ids of what stands beside the content on the
	// pages of most systems.
	besideName = regexp.MustCompile(`(?i)(^|[-_ ])(nav|navbar|navigation|breadcrumbs?|cookies?|consent|newsletters?|subscribe|subscription|signup|sidebar|share|sharing|sharedaddy|social|related|recommended|recirc|promo|promoted|sponsored|advert|advertisement|ads?|comments?|disqus|respond|byline|author-?(bio|box|info)|about-?author|post-?meta|entry-?meta|tags|pagination|skip-?link|footer|masthead|menu|captions?|wp-caption-text|credits?|copyright|toolbar|popup|modal|screen-reader-text|visually-?hidden|sr-only)([-_ ]|$)`)
	besideWith = regexp.MustCompile(`(?i)(^|[-_])(w|with|has|and|no|without|is|main|content)[-_]`)
)

// noteName are words in classes of what manuals set apart in their text.
var noteName = regexp.MustCompile(`(?i)(^|[-_ ])(note|tip|hint|info|warn|warning|caution|danger|important|admonition|callout)([-_ ]|$)`)

// prune takes out what stands beside the content: first what elements and roles say, then
// what names say, unless it has much of the prose that is left. Names are not always meant.
func prune(body *html.Node) {
	each(body, func(n *html.Node) bool {
		if n.DataAtom == atom.Aside && noteName.MatchString(attr(n, "class")) {
			n.Data, n.DataAtom, n.Attr = "div", atom.Div, nil
		}
		if attr(n, "role") == "alert" { // which manuals use for their warnings
			n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "role" })
		}
		return true
	})
	stripBelow(body, func(n *html.Node) bool { return n.Type == html.ElementNode && declaredBeside(n) && !holdsMain(n) })
	all := prose(body)
	stripBelow(body, func(n *html.Node) bool {
		return n.Type == html.ElementNode && namedBeside(n) && !holdsMain(n) && prose(n)*3 <= all
	})
}

// holdsMain reports an element with the first heading or the main element of a page.
func holdsMain(n *html.Node) bool { return find(n, atom.H1) != nil || find(n, atom.Main) != nil }

func declaredBeside(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer, atom.Menu:
		return true
	case atom.Figcaption:
		return pictureOnly(n.Parent)
	}
	return besideRole[attr(n, "role")]
}

func namedBeside(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.Pre, atom.Code, atom.Table, atom.Td, atom.Tr, atom.Tbody, atom.H1:
		return false
	}
	return besideClass(attr(n, "class")) || besideClass(attr(n, "id"))
}

// besideClass leaves out names that say what an element has beside it.
func besideClass(names string) bool {
	for _, name := range strings.Fields(names) {
		if besideName.MatchString(name) && !besideWith.MatchString(name) {
			return true
		}
	}
	return false
}

// pictureOnly reports a figure whose content is not read: its caption alone says nothing.
func pictureOnly(figure *html.Node) bool {
	if figure == nil || figure.DataAtom != atom.Figure {
		return false
	}
	only := true
	each(figure, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Table, atom.Pre, atom.Code, atom.Blockquote, atom.P:
			only = only && n.DataAtom == atom.P
		}
		return only
	})
	return only
}

// leaf is an element with text and no element that breaks it.
type leaf struct{ words, linked int } // words in all, and in links out of the page

func leaves(root *html.Node) []leaf {
	var found []leaf
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		if n.Type != html.ElementNode || n.DataAtom == atom.Table || n.DataAtom == atom.Pre {
			return
		}
		if breaking[n.DataAtom] && !holdsBlocks(n) {
			if words := len(strings.Fields(inlineText(n))); words > 0 {
				found = append(found, leaf{words, linkedWords(n)})
			}
			return
		}
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			visit(k)
		}
	}
	visit(root)
	return found
}

func linkedWords(root *html.Node) int {
	sum := 0
	each(root, func(n *html.Node) bool {
		if href := attr(n, "href"); n.DataAtom == atom.A && href != "" && href[0] != '#' {
			sum += len(strings.Fields(inlineText(n)))
			return false
		}
		return true
	})
	return sum
}
