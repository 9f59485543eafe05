package crawl

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/net/html/charset"
)

// Errors of a sitemap's text.
var (
	errManyEntries = fmt.Errorf("more than %d entries", maxSitemapEntries)
	// errCutShort is of a file whose beginning could be read.
	errCutShort = errors.New("it breaks off")
)

// sitemapEntry is a page or, of an index, another sitemap.
type sitemapEntry struct {
	loc, lastMod string
	index        bool
}

// parseSitemap reads a sitemap, an index of them, a feed (RSS, Atom), or a text with an
// address a line, each also compressed by gzip. Document types and entities are refused.
// What was passed on before an error stands.
func parseSitemap(body []byte, each func(sitemapEntry) error) error {
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		var err error
		if body, err = gunzip(body, maxSitemapBytes); err != nil {
			return err
		}
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if bytes.HasPrefix(body, []byte("<")) {
		return parseSitemapXML(body, each)
	}
	return parseSitemapText(body, each)
}

// gunzip refuses what has more than limit bytes.
func gunzip(body []byte, limit int) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("not gzip: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("not gzip: %w", err)
	}
	if len(text) > limit {
		return nil, fmt.Errorf("more than %d bytes after decompression", limit)
	}
	return text, nil
}

func parseSitemapText(body []byte, each func(sitemapEntry) error) error {
	n := 0
	for line := range bytes.Lines(body) {
		loc := strings.TrimSpace(string(line))
		if loc == "" {
			continue
		}
		if !strings.HasPrefix(loc, "http://") && !strings.HasPrefix(loc, "https://") {
			return errors.New("neither XML nor a list of addresses")
		}
		if n++; n > maxSitemapEntries {
			return errManyEntries
		}
		if err := each(sitemapEntry{loc: loc}); err != nil {
			return err
		}
	}
	return nil
}

// maxXMLDepth bounds elements within elements; sitemaps have 4.
const maxXMLDepth = 32

// sitemapReader follows the elements of a file.
type sitemapReader struct {
	each  func(sitemapEntry) error
	path  []string
	entry sitemapEntry
	text  strings.Builder
	n     int
}

// roots are the elements a file may begin with, and what its entries are called.
var roots = map[string]string{"urlset": "url", "sitemapindex": "sitemap", "rss": "item", "RDF": "item", "feed": "entry"}

func parseSitemapXML(body []byte, each func(sitemapEntry) error) error {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.CharsetReader = charset.NewReaderLabel
	r := sitemapReader{each: each}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if r.n > 0 {
				return fmt.Errorf("%w after %d entries: %w", errCutShort, r.n, err)
			}
			return fmt.Errorf("not XML: %w", err)
		}
		if err := r.take(token); err != nil {
			return err
		}
	}
	if r.path == nil {
		return errors.New("an empty file")
	}
	return nil
}

func (r *sitemapReader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("it has a document type")
	case xml.StartElement:
		return r.start(t)
	case xml.CharData:
		r.text.Write(t)
	case xml.EndElement:
		return r.end()
	}
	return nil
}

func (r *sitemapReader) start(t xml.StartElement) error {
	name := t.Name.Local
	switch {
	case len(r.path) == 0 && roots[name] == "":
		return fmt.Errorf("its root is %q", name)
	case len(r.path) >= maxXMLDepth:
		return errors.New("elements within elements without end")
	}
	r.path = append(r.path, name)
	r.text.Reset()
	if name == roots[r.path[0]] {
		r.entry = sitemapEntry{index: name == "sitemap"}
	}
	if name == "link" && r.within("entry") {
		r.atomLink(t.Attr)
	}
	return nil
}

// within says whether the present element is directly in an entry of a name.
func (r *sitemapReader) within(entry string) bool {
	return len(r.path) >= 2 && r.path[len(r.path)-2] == entry && roots[r.path[0]] == entry
}

func (r *sitemapReader) atomLink(attributes []xml.Attr) {
	href, rel := "", "alternate"
	for _, a := range attributes {
		switch a.Name.Local {
		case "href":
			href = a.Value
		case "rel":
			rel = a.Value
		}
	}
	if rel == "alternate" && r.entry.loc == "" {
		r.entry.loc = href
	}
}

func (r *sitemapReader) end() error {
	name := r.path[len(r.path)-1]
	entry := roots[r.path[0]]
	text := strings.TrimSpace(r.text.String())
	r.text.Reset()
	if r.within(entry) {
		switch {
		case name == "loc", name == "link" && entry == "item":
			r.entry.loc = text
		case name == "lastmod", name == "pubDate", name == "updated":
			r.entry.lastMod = text
		}
	}
	r.path = r.path[:len(r.path)-1]
	if name != entry || r.entry.loc == "" {
		return nil
	}
	if r.n++; r.n > maxSitemapEntries {
		return errManyEntries
	}
	done := r.entry
	r.entry = sitemapEntry{}
	return r.each(done)
}

// parseLastMod reads a W3C date, or that of a feed.
func parseLastMod(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006", time.RFC1123Z, time.RFC1123} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
