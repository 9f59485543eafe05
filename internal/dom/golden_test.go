package dom

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/page"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Every testdata/<case>.in.html (the dom alone) and <case>.in.json (a request
// body) is read and compared with <case>.golden, a page as lines.
func TestRead_golden(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/*.in.*")
	if err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, file := range cases {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Reader{}.Read(capture(t, file))
			if err != nil {
				t.Fatal(err)
			}
			got, golden := dump(p), filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func capture(t *testing.T, file string) page.Capture {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".html") {
		return page.Capture{URL: "https://a.test/", DOM: string(b)}
	}
	var c page.Capture
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// dump writes a page as lines, leaving out what is empty.
func dump(p page.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q active=%q", p.Mode, p.Title, p.ActiveElement)
	if p.Language != "" {
		fmt.Fprintf(&b, " language=%q", p.Language)
	}
	b.WriteString("\n")
	for _, e := range p.Elements {
		b.WriteString(dumpElement(e) + "\n")
	}
	for _, a := range p.Alerts {
		fmt.Fprintf(&b, "alert %s: %s\n", a.Kind, a.Text)
	}
	for _, h := range p.Headings {
		fmt.Fprintf(&b, "heading %s\n", h)
	}
	for _, id := range p.Scrollable {
		fmt.Fprintf(&b, "scrollable %s\n", id)
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "note %s\n", n)
	}
	if p.Text != "" {
		b.WriteString("text\n  " + strings.ReplaceAll(p.Text, "\n", "\n  ") + "\n")
	}
	return b.String()
}

func dumpElement(e page.Element) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-4s %s %q", e.ID, e.Role, e.Name)
	text := func(label, s string) {
		if s != "" {
			fmt.Fprintf(&b, " %s=%q", label, s)
		}
	}
	text("value", e.Value)
	text("group", e.Group)
	text("anchor", e.Anchor)
	text("href", e.Href)
	text("placeholder", e.Placeholder)
	text("tag", e.Tag)
	text("type", e.Type)
	text("frame", e.Frame)
	text("checked", e.State.Checked)
	text("expanded", e.State.Expanded)
	for _, f := range []struct {
		on   bool
		name string
	}{
		{e.State.Disabled, "disabled"},
		{e.State.Selected, "selected"},
		{e.State.Required, "required"},
		{e.State.Readonly, "readonly"},
		{e.State.Invalid, "invalid"},
		{e.State.Focused, "focused"},
		{e.State.Hidden, "hidden"},
		{e.State.Occluded, "occluded"},
		{e.State.HasPopup, "popup"},
		{e.State.Secret, "SECRET"},
	} {
		if f.on {
			b.WriteString(" " + f.name)
		}
	}
	if e.XY != nil {
		fmt.Fprintf(&b, " xy=%v", *e.XY)
	}
	if e.Box != nil {
		fmt.Fprintf(&b, " box=%v", *e.Box)
	}
	for _, o := range e.Options {
		fmt.Fprintf(&b, " option(%q %q %t)", o.Value, o.Label, o.Selected)
	}
	return b.String()
}
