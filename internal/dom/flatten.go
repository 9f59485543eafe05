package dom

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// flatten rewrites markup that nests deeper than the parser allows (512 open
// elements). Below maxDepth the tags of plain containers are dropped and their text
// and controls kept, unless the container hides them. Formatting tags are dropped
// everywhere: an open one is opened again in every following paragraph.
func flatten(src string) []byte {
	z := html.NewTokenizer(strings.NewReader(src))
	out := bytes.NewBuffer(make([]byte, 0, len(src)))
	s := stack{open: map[string]int{}}
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out.Bytes()
		}
		raw := z.Raw()
		keep := s.hiddenAt == 0
		if kind == html.StartTagToken || kind == html.EndTagToken {
			raw = bytes.Clone(raw) // Token decodes in place
			t := z.Token()
			switch {
			case voidTags[t.DataAtom]:
			case kind == html.StartTagToken:
				keep = s.push(t)
			default:
				keep = s.pop(t)
			}
		}
		if keep {
			out.Write(raw)
		}
	}
}

// flatTags keep their meaning when flattened and cannot nest: the parser closes the
// open one first.
var flatTags = map[atom.Atom]bool{
	atom.A: true, atom.Button: true, atom.Select: true, atom.Option: true, atom.Textarea: true, atom.Script: true,
	atom.Style: true, atom.Title: true,
}

var formattingTags = map[atom.Atom]bool{
	atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Nobr: true,
	atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

var voidTags = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true,
	atom.Input: true, atom.Link: true, atom.Meta: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// stack is the open tags. hiddenAt is the depth of the outermost dropped container
// that hides its content, or 0.
type stack struct {
	tags     []openTag
	open     map[string]int
	hiddenAt int
}

type openTag struct {
	name string
	kept bool
}

// push opens a tag and reports whether to keep it.
func (s *stack) push(t html.Token) bool {
	keep := s.hiddenAt == 0 && (flatTags[t.DataAtom] || len(s.tags) < maxDepth && !formattingTags[t.DataAtom])
	s.tags = append(s.tags, openTag{t.Data, keep})
	s.open[t.Data]++
	if !keep && s.hiddenAt == 0 {
		n := html.Node{Type: html.ElementNode, DataAtom: t.DataAtom, Data: t.Data, Attr: t.Attr}
		if a := readAttrs(&n); visibilityOf(&n, &a) != visible {
			s.hiddenAt = len(s.tags)
		}
	}
	return keep
}

// pop closes the innermost tag of the name with everything left open inside it, and
// reports whether to keep the end tag. An end tag without a start tag is dropped.
func (s *stack) pop(t html.Token) bool {
	if s.open[t.Data] == 0 {
		return false
	}
	for {
		top := s.tags[len(s.tags)-1]
		s.tags = s.tags[:len(s.tags)-1]
		s.open[top.name]--
		if s.hiddenAt > len(s.tags) {
			s.hiddenAt = 0
		}
		if top.name == t.Data {
			return top.kept
		}
	}
}
