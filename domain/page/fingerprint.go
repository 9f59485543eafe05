package page

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"math/bits"
)

// DOMHash is the SHA-256, in hex, of the document as received in UTF-8, or of the
// trees if there is no document.
func (c Capture) DOMHash() string {
	f := newFingerprint()
	if c.DOM != "" {
		f.raw(c.DOM)
	} else {
		f.trees(c)
	}
	return f.sum()
}

// Frame identifies everything a page is read from except the document. Captures with
// the same Frame and DOMHash are read into the same page.
func (c Capture) Frame() string {
	f := newFingerprint()
	f.text(c.URL)
	f.text(c.Mode)
	f.text(c.Title)
	f.text(string(c.ActiveElement))
	f.flag(c.DOM != "")
	f.flag(c.Mode == "" && c.Screenshot != "") // a mode is inferred from it
	f.number(uint64(len(c.Containers)))
	for _, s := range c.Containers {
		f.text(string(s.ID))
		f.text(string(s.Depth))
		f.flag(s.HasMore)
	}
	f.trees(c)
	return f.sum()
}

// fingerprint feeds values to a hash through a small buffer, without copying the
// document or its JSON.
type fingerprint struct {
	hash hash.Hash
	buf  []byte
}

const fingerprintBuffer = 1 << 10

func newFingerprint() *fingerprint {
	return &fingerprint{sha256.New(), make([]byte, 0, fingerprintBuffer)}
}

func (f *fingerprint) raw(s string) {
	for {
		n := min(len(s), fingerprintBuffer-len(f.buf))
		f.buf = append(f.buf, s[:n]...)
		if s = s[n:]; s == "" {
			return
		}
		f.flush()
	}
}

func (f *fingerprint) flush() {
	f.hash.Write(f.buf)
	f.buf = f.buf[:0]
}

// text writes a string with its length, so that its end is unambiguous.
func (f *fingerprint) text(s string) {
	f.number(uint64(len(s)))
	f.raw(s)
}

func (f *fingerprint) number(n uint64) {
	if len(f.buf) > fingerprintBuffer-binary.MaxVarintLen64 {
		f.flush()
	}
	f.buf = binary.AppendUvarint(f.buf, n)
}

func (f *fingerprint) flag(b bool) {
	if b {
		f.number(1)
	} else {
		f.number(0)
	}
}

func (f *fingerprint) floats(list ...float64) {
	f.number(uint64(len(list)))
	for _, x := range list {
		f.number(bits.ReverseBytes64(math.Float64bits(x))) // few bytes for whole numbers
	}
}

func (f *fingerprint) sum() string {
	f.flush()
	return hex.EncodeToString(f.hash.Sum(f.buf))
}

// trees writes everything a page is read from except the document.
func (f *fingerprint) trees(c Capture) {
	f.number(uint64(len(c.Tree)))
	for i := range c.Tree {
		f.nodeV3(&c.Tree[i])
	}
	f.number(uint64(len(c.Nodes)))
	for i := range c.Nodes {
		f.node(&c.Nodes[i])
	}
	f.text(c.SkeletonDOM)
}

func (f *fingerprint) nodeV3(n *NodeV3) {
	f.text(string(n.ID))
	f.text(n.Role)
	f.text(string(n.Name))
	f.text(string(n.Value))
	f.text(string(n.State))
	f.text(string(n.Frame))
	f.flag(n.Occluded)
	f.flag(n.Focused)
	if n.XY == nil {
		f.floats()
	} else {
		f.floats(n.XY[:]...)
	}
	if n.Box == nil {
		f.floats()
	} else {
		f.floats(n.Box[:]...)
	}
	f.flag(n.Scroll != nil)
	if n.Scroll != nil {
		f.text(string(n.Scroll.Depth))
		f.flag(n.Scroll.More)
	}
}

func (f *fingerprint) node(n *Node) {
	f.text(string(n.ID))
	f.text(n.Role)
	f.text(string(n.Name))
	f.text(string(n.Value))
	f.text(string(n.State))
	f.text(n.Type)
	f.text(n.Placeholder)
	f.text(n.Href)
	f.text(string(n.Frame))
	f.flag(n.InShadow)
	if b := n.Bounds; b == nil {
		f.floats()
	} else {
		f.floats(b.X, b.Y, b.Width, b.Height)
	}
}
