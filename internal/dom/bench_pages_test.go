package dom

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// shapes are the kinds of page the benchmarks read. A form-rich page has the
// most to name; an article is mostly text and links; a table is rows of cells
// whose controls all have the same name.
var shapes = []struct {
	suffix string
	page   func(size int) string
}{{"", formPage}, {"_article", articlePage}, {"_table", tablePage}}

// formPage is a form-rich page of about size bytes: labelled fields, selects,
// rows with buttons, prose between them.
func formPage(size int) string {
	return repeated(size, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, `<section class="card shadow p-4" aria-label="Order %[1]d"><h2>Order %[1]d</h2><p>Placed by a customer on day %[1]d; it has <b>three</b> lines and ships soon.</p>
<form action="/orders/%[1]d"><div class="row"><label for="name-%[1]d">Name</label><input class="input" id="name-%[1]d" name="name" data-llm-id="%[1]d1" value="Customer %[1]d"></div>
<div class="row"><label>Email <input type="email" class="input" data-llm-id="%[1]d2" required placeholder="you@example.test"></label></div>
<div class="row"><span>Quantity</span><input type="number" data-llm-id="%[1]d3" value="%[1]d"></div>
<select data-llm-id="%[1]d4" aria-label="Status"><option value="o">Open</option><option value="p" selected>Paid</option><option value="s">Sent</option></select>
<label><input type="checkbox" data-llm-id="%[1]d5" checked> Gift</label>
<table><tr><td>Lamp</td><td><button type="button" data-llm-id="%[1]d6" class="btn btn-danger">Delete</button></td></tr><tr><td>Chair</td><td><button type="button" data-llm-id="%[1]d7" class="btn">Delete</button></td></tr></table>
<div role="alert" class="error">Order %[1]d needs attention</div><button data-llm-id="%[1]d8" class="btn btn-primary">Save</button> <a href="/orders/%[1]d" data-llm-id="%[1]d9">Details</a></form></section>`, i)
	})
}

// articlePage is an encyclopedia's: sections of prose with links and footnotes,
// a list, a figure.
func articlePage(size int) string {
	return repeated(size, func(b *strings.Builder, i int) {
		fmt.Fprintf(b, `<section><h2 id="Section_%[1]d"><span class="headline">Section %[1]d</span> <span class="edit">[<a href="/edit?section=%[1]d" title="Edit section %[1]d">edit</a>]</span></h2>
<figure class="thumb right"><a href="/file/%[1]d.jpg" class="image"><img src="/thumb/%[1]d.jpg" alt="A lighthouse on the coast" width="220" height="165" class="thumbimage"></a><figcaption>The lighthouse in the year %[1]d</figcaption></figure>
<p>The <b>lighthouse</b> was built by <a href="/wiki/Engineer_%[1]d" title="Engineer %[1]d">engineer %[1]d</a> on the northern cliff, where the <a href="/wiki/Currents" title="Currents">currents</a> had taken <i>many ships</i> in the winter storms.<sup id="cite-%[1]d" class="reference"><a href="#note-%[1]d">[%[1]d]</a></sup> Its light was seen for twenty miles, and the keeper lived beside it with his family until the lamp was made to turn by itself.</p>
<p>Visitors reach it by a path along the shore, past the <a href="/wiki/Harbour" title="Harbour">old harbour</a> and the ropewalk; in spring the meadow behind it is full of birds&nbsp;– terns, plovers and a few puffins&nbsp;– that the village counts every year.</p>
<ul><li>Height: 41&nbsp;m</li><li>Range: 20 miles</li><li><a href="/wiki/List_of_lighthouses_%[1]d">List of lighthouses</a></li></ul></section>`, i)
	})
}

// tablePage is a back office's list: rows of cells, each with the same controls.
func tablePage(size int) string {
	return repeated(size, func(b *strings.Builder, i int) {
		if i%50 == 0 {
			if i > 0 {
				b.WriteString("</tbody></table>")
			}
			fmt.Fprintf(b, `<table class="table table-striped" aria-label="Invoices %d"><thead><tr><th scope="col"><input type="checkbox" aria-label="Select all"></th><th scope="col"><button class="sort">Number</button></th><th scope="col">Customer</th><th scope="col">Due</th><th scope="col">Amount</th><th></th></tr></thead><tbody>`, i)
		}
		fmt.Fprintf(b, `<tr class="row-%[1]d" data-id="%[1]d"><td><input type="checkbox" name="selected" value="%[1]d"></td><td><a href="/invoices/%[1]d">INV-%[1]d</a></td><td class="customer">Customer %[1]d</td><td class="date">2026-03-%02[2]d</td><td class="num">%[1]d.00</td><td class="actions"><a class="btn" href="/invoices/%[1]d/edit" data-llm-id="e%[1]d">Edit</a> <button type="button" class="btn" data-llm-id="d%[1]d">Delete</button></td></tr>`, i, i%28+1)
	})
}

// repeated repeats a part until the page has the size.
func repeated(size int, part func(b *strings.Builder, i int)) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>Orders</title></head><body><main>")
	for i := 0; b.Len() < size; i++ {
		part(&b, i)
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

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
