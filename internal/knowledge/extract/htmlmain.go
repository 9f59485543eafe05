package extract

import (
	"net/url"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

// mainContent returns the part of a page that it is about.
func mainContent(root, body *html.Node) *html.Node {
	u := &url.URL{Scheme: "http", Host: "localhost"}
	art, err := readability.FromDocument(root, u)
	if err != nil || art.Node == nil || len(inline(textOf(art.Node))) < least {
		return body
	}
	return art.Node
}
