package markup

import (
	"sync"

	"golang.org/x/net/html"
)

// Sizes of the blocks nodes and attributes are taken from, in number of them, and how
// many blocks of a tree are kept for the next: those of a page of two megabytes.
const (
	nodeBlock = 256
	attrBlock = 512
	maxKept   = 200
)

// Tree is a parsed page.
type Tree struct {
	// Root is the document node.
	Root *html.Node

	nodes     [][]html.Node
	attrs     [][]html.Attribute
	nodesUsed int // of the last block in use
	nodesIn   int // which block that is
	attrsUsed int
	attrsIn   int
}

var trees = sync.Pool{New: func() any { return new(Tree) }}

// Release makes the memory of the tree reusable, with nothing of the page left in it.
// No node may be used afterwards; strings may. A tree that is not released is left to
// the garbage collector.
func (t *Tree) Release() {
	for i := 0; i <= t.nodesIn && i < len(t.nodes); i++ {
		clear(t.nodes[i])
	}
	for i := 0; i <= t.attrsIn && i < len(t.attrs); i++ {
		clear(t.attrs[i])
	}
	if len(t.nodes)+len(t.attrs) > maxKept {
		t.nodes, t.attrs = nil, nil
	}
	*t = Tree{nodes: t.nodes, attrs: t.attrs}
	trees.Put(t)
}

// node returns an empty node.
func (t *Tree) node() *html.Node {
	if t.nodesIn < len(t.nodes) && t.nodesUsed == nodeBlock {
		t.nodesIn++
		t.nodesUsed = 0
	}
	if t.nodesIn == len(t.nodes) {
		t.nodes = append(t.nodes, make([]html.Node, nodeBlock))
	}
	n := &t.nodes[t.nodesIn][t.nodesUsed]
	t.nodesUsed++
	return n
}

// room returns space for at least so many attributes, of which use is told by take.
func (t *Tree) room(n int) []html.Attribute {
	if t.attrsIn < len(t.attrs) && len(t.attrs[t.attrsIn])-t.attrsUsed < n {
		t.attrsIn++
		t.attrsUsed = 0
	}
	if t.attrsIn == len(t.attrs) {
		t.attrs = append(t.attrs, make([]html.Attribute, max(attrBlock, n)))
	}
	if len(t.attrs[t.attrsIn]) < n {
		t.attrs[t.attrsIn] = make([]html.Attribute, n)
	}
	return t.attrs[t.attrsIn][t.attrsUsed:]
}

func (t *Tree) take(n int) { t.attrsUsed += n }

// appendChild is html.Node's, for a node that is nowhere yet.
func appendChild(parent, n *html.Node) {
	n.Parent = parent
	n.PrevSibling = parent.LastChild
	if last := parent.LastChild; last != nil {
		last.NextSibling = n
	} else {
		parent.FirstChild = n
	}
	parent.LastChild = n
}
