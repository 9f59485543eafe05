package main

import (
	"io"
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
