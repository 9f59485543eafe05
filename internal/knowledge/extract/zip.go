package extract

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
)

// Bounds of archives.
const (
	maxMembers  = 10_000
	maxUnpacked = 200 << 20
	// maxRatio is how much more an archive may be unpacked; text is seldom over 20,
	// sheets of one value repeated reach 100.
	maxRatio = 200
	smallest = 4 << 20 // an archive that unpacks to less is no bomb
	maxDepth = 256
)

// archive is an archive that is no bomb: its members unpack to no more than they say, and
// they say a bounded size.
type archive struct {
	members map[string]*zip.File
}

func openArchive(body []byte) (*archive, error) {
	r, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, refuse(Damaged, "the archive cannot be opened: %v", err)
	}
	if len(r.File) > maxMembers {
		return nil, refuse(ArchiveBomb, "the archive has %d members", len(r.File))
	}
	a := &archive{members: make(map[string]*zip.File, len(r.File))}
	var total uint64
	for _, f := range r.File {
		total += min(f.UncompressedSize64, maxUnpacked+1)
		a.members[strings.ToLower(path.Clean(strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")))] = f
	}
	if total > maxUnpacked || total > smallest && total > uint64(len(body))*maxRatio {
		return nil, refuse(ArchiveBomb, "the archive of %d bytes unpacks to %d or more", len(body), total)
	}
	return a, nil
}

func (a *archive) has(name string) bool { return a.members[strings.ToLower(name)] != nil }

// read returns a member, nil if there is none. archive/zip ends with an error when one
// has more bytes than it says.
func (a *archive) read(name string) ([]byte, error) {
	f := a.members[strings.ToLower(name)]
	if f == nil {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, refuse(Encrypted, "the archive needs a password")
	}
	r, err := f.Open()
	if err != nil {
		return nil, refuse(Damaged, "%s cannot be opened: %v", name, err)
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, maxUnpacked))
	if err != nil {
		return nil, refuse(Damaged, "%s cannot be unpacked: %v", name, err)
	}
	return body, nil
}

// node is an element of XML, or text if it has no name.
type node struct {
	name  string // without its namespace
	space string
	attrs []xml.Attr
	kids  []*node
	text  string
}

// parseXML reads a part of an archive, or a document. A document type is refused where
// it defines anything.
func parseXML(body []byte, decl bool) (*node, error) {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // decoded before
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return nil, refuse(Damaged, "the XML is not well formed: %v", err)
		}
		top := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > maxDepth {
				return nil, refuse(TooComplex, "the XML is nested more than %d deep", maxDepth)
			}
			n := &node{name: t.Name.Local, space: t.Name.Space, attrs: append([]xml.Attr(nil), t.Attr...)}
			top.kids = append(top.kids, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.kids = append(top.kids, &node{text: string(t)})
		case xml.Directive:
			if s := strings.ToUpper(string(t)); !decl || strings.Contains(s, "<!ENTITY") || strings.Contains(s, "[") {
				return nil, refuse(Entities, "the XML has a document type that defines something")
			}
		}
	}
}

// attr returns an attribute by its name without namespace.
func (n *node) attr(name string) string {
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// child returns the first child with a name; of nil, nil.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// all returns the text of an element and those in it.
func (n *node) all() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	b.WriteString(n.text)
	for _, k := range n.kids {
		k.write(b)
	}
}
