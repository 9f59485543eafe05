package dom

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// treeBody is what a client sends of a page of n nodes in mode semantic_v3.
func treeBody(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"url":"https://shop.test/checkout","domMode":"semantic_v3","pageTitle":"Checkout","viewport":{"width":1280,"height":800},"scrollPosition":"25%","interactiveTree":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		y := 40 + 20*i
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, `{"i":"%d","r":"inp","n":"Street and number %d","v":"Main Street %d","xy":[200,%d],"box":[100,%d,200,30]}`, i, i, i, y, y-15)
		case 1:
			fmt.Fprintf(&b, `{"i":"%d","r":"btn","n":"Place order %d","s":"disabled","xy":[600,%d],"box":[550,%d,100,40]}`, i, i, y, y-20)
		case 2:
			fmt.Fprintf(&b, `{"i":"%d","r":"link","n":"Details of item %d","xy":[400,%d],"box":[350,%d,100,18]}`, i, i, y, y-9)
		default:
			fmt.Fprintf(&b, `{"i":"%d","r":"chk","n":"Gift wrap item %d","s":"checked","xy":[80,%d],"box":[70,%d,20,20]}`, i, i, y, y-10)
		}
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// plainCapture is page.Capture as far as a minified tree goes, in plain types.
type plainCapture struct {
	URL            string         `json:"url"`
	Mode           string         `json:"domMode"`
	Title          string         `json:"pageTitle"`
	Viewport       *page.Viewport `json:"viewport"`
	ScrollPosition string         `json:"scrollPosition"`
	Tree           []plainNode    `json:"interactiveTree"`
}

type plainNode struct {
	ID       string      `json:"i"`
	Role     string      `json:"r"`
	Name     string      `json:"n"`
	Value    string      `json:"v"`
	State    string      `json:"s"`
	XY       *[2]float64 `json:"xy"`
	Frame    string      `json:"f"`
	Box      *[4]float64 `json:"box"`
	Occluded bool        `json:"occ"`
	Focused  bool        `json:"focused"`
}

// skeletons are a page of n elements before and after one click: a few values,
// states and a name are others, a row came in the middle, one went, and a
// message shows.
func skeletons(b *testing.B, n int) (before, after page.Skeleton) {
	var c page.Capture
	if err := json.Unmarshal(treeBody(n), &c); err != nil {
		b.Fatal(err)
	}
	before = readWhole(b, c).skeleton
	c.Tree = slices.Clone(c.Tree)
	c.Tree[0].Value, c.Tree[40].Value = "Another street", "A third street"
	c.Tree[1].State, c.Tree[7].State = "", "unchecked"
	c.Tree[21].Name = "Order placed"
	c.Tree = slices.Delete(c.Tree, 300, 302)
	c.Tree = slices.Insert(c.Tree, n/2,
		page.NodeV3{ID: "9001", Role: "btn", Name: "Undo"},
		page.NodeV3{ID: "9002", Role: "link", Name: "See the order"},
		page.NodeV3{Role: "alert", Name: "Your order was placed"})
	after = readWhole(b, c).skeleton
	if len(before.Elements) != n || len(after.Elements) != n {
		b.Fatalf("skeletons of %d and %d elements, want %d", len(before.Elements), len(after.Elements), n)
	}
	return before, after
}
