package dom

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	f.Fuzz(func(t *testing.T, html string) {
		checkPromises(t, page.Capture{URL: "https://a.test/", Mode: page.ModeFull, DOM: html})
	})
}

func FuzzRead_skeleton(f *testing.F) {
	seeds(f, "*.in.html")
	f.Fuzz(func(t *testing.T, html string) {
		checkPromises(t, page.Capture{URL: "https://a.test/", SkeletonDOM: html, DOM: "<button id=1>Save</button>"})
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
