package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	root := newRoot(func(string) string { return "" }, &out, io.Discard)
	root.SetArgs([]string{"explain", "--task", `Enter "40" as the age, frobnicate and press Save`})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	const want = "enter number\"40\" -> \"age\" ?target \"frobnicate\"\nclick -> \"Save\"\n1 of 9 words not understood (read as english)\n"
	if out.String() != want {
		t.Errorf("printed\n%s", out.String())
	}
	root = newRoot(func(string) string { return "" }, &out, io.Discard)
	root.SetArgs([]string{"explain"})
	if err := root.ExecuteContext(t.Context()); err == nil {
		t.Error("no task is an error")
	}
}

// explained runs the command and returns what it prints behind the program.
func explained(t *testing.T, in io.Reader, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	root := newRoot(func(string) string { return "" }, &out, io.Discard)
	root.SetIn(in)
	root.SetArgs(append([]string{"explain"}, args...))
	err := root.ExecuteContext(t.Context())
	_, rest, _ := strings.Cut(out.String(), "\n\n")
	return rest, err
}

func TestExplain_OnAPage(t *testing.T) {
	t.Parallel()
	const want = `On https://page.test/ with 4 elements that can be acted on (of 5):

Step 1 (done): check -> "Weekly report"
  The page has it already: “Weekly report” filled in.
  target to tick: "Weekly report"
    one fits best
  * 1.00  checkbox "Weekly report" (n5)
           is called “Weekly report”

Step 2 (done): use -> in(row of("Ada"))
  It says where the steps behind it are done.

Step 3 (next): click -> "Archive" in(row of("Ada"))
  target to click: "Archive" in(row of("Ada"))
    one fits best
  * 1.00  button "Archive" (n2) in the row “Ada 36”
           is called “Archive”; is where it says “Ada 36”
    none  button "Archive" (n4) in the row “Kim 40”
           it is disabled

Does: click("n2"), button "Archive"
  confidence 0.95, completes step 3
  I'll click “Archive”.
`
	got, err := explained(t, nil, "--task", "Check Weekly report. In the row of Ada, click Archive", "--page", "testdata/explain.html")
	if err != nil || got != want {
		t.Errorf("%v, printed\n%s", err, got)
	}
	if doc, err := os.ReadFile("../../docs/rules.md"); err != nil || !strings.Contains(string(doc), want) {
		t.Errorf("docs/rules.md shows another output (%v)", err)
	}
}

func TestExplain_WhatIsChosen(t *testing.T) {
	t.Parallel()
	const html = `<table><tr><td>Ada<td><button id=1>Edit</button></tr><tr><td>Kim<td><button id=2>Edit</button></tr></table><a id=3 href="/help">Help</a>`
	for task, want := range map[string]string{
		"click Edit":             `Asks: I found more than one match for “Edit”`,
		"click Help":             `Does: click("3"), link "Help"`,
		"click Save":             `Does not know: `,
		"frobnicate all of them": "The steps above are not gone by: some of its words were not understood.",
		"click the Help button":  "may be called a button (×0.92)",
		"click the 2nd Edit":     "number 2 is meant of the 2 that fit alike",
	} {
		got, err := explained(t, strings.NewReader(html), "--task", task, "--page", "-", "--url", "https://site.test/people")
		if err != nil || !strings.Contains(got, want) || !strings.HasPrefix(got, "On https://site.test/people with 3 elements") {
			t.Errorf("%s: %v, printed\n%s", task, err, got)
		}
	}
	if _, err := explained(t, nil, "--task", "click Help", "--page", "testdata/none.html"); err == nil {
		t.Error("a page that is not there is an error")
	}
}
