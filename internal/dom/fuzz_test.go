package dom

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
)

func seeds(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob("testdata/" + pattern)
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
}

// check reads a capture twice and holds the result to every promise.
func checkPromises(t *testing.T, c page.Capture) {
	t.Helper()
	first, err := Reader{}.Read(c)
	second, again := Reader{}.Read(c)
	if (err == nil) != (again == nil) {
		t.Fatalf("once %v, once %v", err, again)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error("read twice it differs:", diff)
	}
	checkCaps(t, first)
	if _, err := json.Marshal(first.Before()); err != nil {
		t.Error(err)
	}
	if err == nil && len(page.Diff(first.Skeleton(), second.Skeleton())) > 0 {
		t.Error("a page differs from itself")
	}
	redacted := Reader{}.Redact(c)
	if diff := cmp.Diff(redacted, Reader{}.Redact(redacted)); diff != "" {
		t.Error("redacting twice changes more:", diff)
	}
	checkRedacted(t, redacted.DOM)
	if err != nil {
		return
	}
	if _, err := (Reader{}).Read(redacted); err != nil {
		t.Error("redacted it cannot be read:", err)
	}
}

func FuzzRead_html(f *testing.F) {
	seeds(f, "*.in.html")
	f.Add(`<input type=password value='a"b' <b value=x>`)
	f.Add("<textarea name=password>x</textarea></textarea" + strings.Repeat("<div>", 600))
	f.Fuzz(func(t *testing.T, src string) {
		checkPromises(t, page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: src})
	})
}

func FuzzRead_skeleton(f *testing.F) {
	seeds(f, "*.in.html")
	f.Fuzz(func(t *testing.T, src string) {
		checkPromises(t, page.Capture{URL: "https://a.test/", SkeletonDOM: src, DOM: "<button id=1>Save</button>"})
	})
}

// FuzzRead_hybrid has a document and a skeleton of it, which may disagree.
func FuzzRead_hybrid(f *testing.F) {
	f.Add(`<label for=q>Q</label><input id=q data-llm-id=1 value=v>`, `<input id=1 value=w placeholder=P>`, "")
	f.Add(`<input data-llm-id=1 type=password value=s>`, `<input id=1 value=s>`, "/9j/")
	f.Fuzz(func(t *testing.T, dom, skeleton, shot string) {
		checkPromises(t, page.Capture{Mode: page.ModeHybrid, DOM: dom, SkeletonDOM: skeleton, Screenshot: shot})
	})
}

// FuzzRead_tree reads the JSON of a minified tree, FuzzRead_nodes that of a
// list with full keys, both beside a document with some of the same ids.
func FuzzRead_tree(f *testing.F) {
	f.Add(`[{"i":1,"r":"inp","n":"PIN","v":"1234","s":"checked","xy":[1,2],"box":[1,2,3,4],"f":2,"scr":{"depth":"1%","h":true},"occ":true,"focused":true}]`)
	f.Add(`[{"r":"btn","n":"no id"},{"i":"","r":"alert","n":"Saved"},{"i":"1","r":"","n":null}]`)
	f.Fuzz(func(t *testing.T, tree string) {
		c := page.Capture{Mode: page.ModeSemanticV3, DOM: `<p>PIN <input data-llm-id=1 value=1></p><button data-llm-id=2>B</button>`}
		if json.Unmarshal([]byte(tree), &c.Tree) == nil {
			checkPromises(t, c)
		}
	})
}

func FuzzRead_nodes(f *testing.F) {
	f.Add(`[{"id":"1","role":"textbox","name":"N","value":"v","state":"disabled","type":"password","placeholder":"P","href":"/","frameId":1,"isInShadow":true,"bounds":{"x":1,"y":2,"width":3,"height":4}}]`)
	f.Fuzz(func(t *testing.T, nodes string) {
		c := page.Capture{Mode: page.ModeSemantic, DOM: `<p>PIN <input data-llm-id=1 value=1></p><button data-llm-id=2>B</button>`}
		if json.Unmarshal([]byte(nodes), &c.Nodes) == nil {
			checkPromises(t, c)
		}
	})
}

// FuzzFlatten holds flattened markup to being no longer, the same twice, and
// readable.
func FuzzFlatten(f *testing.F) {
	seeds(f, "*.in.html")
	f.Add(strings.Repeat("<div>", 600) + "<b hidden><i>x</b>" + strings.Repeat("</div>", 300))
	f.Fuzz(func(t *testing.T, src string) {
		flat := flatten(src)
		if len(flat) > len(src) {
			t.Errorf("%d bytes became %d", len(src), len(flat))
		}
		if again := flatten(src); string(again) != string(flat) {
			t.Error("flattened twice it differs")
		}
		if _, err := html.Parse(bytes.NewReader(flat)); err != nil && len(src) < 100_000 {
			t.Error(err)
		}
	})
}

// FuzzRedact holds the tags of fields to their places in the text, and
// redaction to cutting nothing else.
func FuzzRedact(f *testing.F) {
	seeds(f, "*.in.html")
	f.Add(`<input type=password value='a"b' <b value=x><textarea name=pin>1</textarea`)
	f.Fuzz(func(t *testing.T, src string) {
		at := 0
		for tag := range fields(src) {
			for _, s := range tag.values {
				if s.from < at || s.to < s.from || s.to > len(src) {
					t.Fatalf("a value from %d to %d behind %d of %d", s.from, s.to, at, len(src))
				}
				at = s.to
			}
		}
		redacted := redactHTML(src, nil, nil)
		if redactHTML(redacted, nil, nil) != redacted {
			t.Error("redacting twice changes more")
		}
		checkRedacted(t, redacted)
	})
}

func FuzzRead_body(f *testing.F) {
	seeds(f, "*.in.json")
	f.Fuzz(func(t *testing.T, body string) {
		var c page.Capture
		if json.Unmarshal([]byte(body), &c) == nil {
			checkPromises(t, c)
		}
	})
}
