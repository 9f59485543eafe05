package page

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	var before, after Page
	for i := range 30 {
		e := Element{ID: strconv.Itoa(i), Role: "button", Name: fmt.Sprintf("Mail %d", i), State: State{OnHover: i < 2}}
		before.Elements = append(before.Elements, e)
		e.State = State{Occluded: true}
		after.Elements = append(after.Elements, e)
	}
	for i := range 9 {
		after.Elements = append(after.Elements, Element{ID: strconv.Itoa(100 + i), Role: "button", Name: "☆"})
	}
	after.Elements = append(after.Elements, Element{ID: "x", Role: "button", Name: "Close"})
	AssignKeys(before.Elements)
	AssignKeys(after.Elements)
	diff := Diff(before.Skeleton(), after.Skeleton())
	var got []string
	for _, o := range Summary(diff) {
		got = append(got, o.Text)
	}
	want := []string{
		"30 elements are covered by something now", "2 elements are seen now without or under the mouse",
		`New element appeared: button "☆" (9 times)`, `New element appeared: button "Close"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(diff) < 12 || !strings.HasPrefix(diff[0].Text, "Element 'button \"Mail 0\"'") {
		t.Errorf("the observations themselves are changed: %v", diff)
	}
	one := []Observation{flagLine(Descriptor{Key: "k", Role: "button", Name: "Save"}, Descriptor{Key: "k"}, AttrOccluded, true), {Text: "URL did not change"}}
	if d := cmp.Diff(one, Summary(one)); d != "" {
		t.Errorf("one of a kind: %s", d)
	}
}
