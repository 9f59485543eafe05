package prompt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// first are the ids of the elements chosen when there is room for n lines.
func first(t *testing.T, elements []page.Element, task string, n int) string {
	t.Helper()
	list, _ := rank(elements, newQuery(task))
	slices.SortStableFunc(list, func(a, b ranked) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
	var ids []string
	for _, e := range list[:n] {
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, "")
}

func TestRank(t *testing.T) {
	t.Parallel()
	elements := []page.Element{
		{ID: "a", Role: "link", Name: "News"},
		{ID: "b", Role: "link", Name: "患者 添加"},
		{ID: "c", Role: "button", Name: "Save"},
		{ID: "d", Role: "link", Name: "Patients of this week"},
		{ID: "e", Role: "link", Name: "Help", State: page.State{Focused: true}},
		{ID: "f", Role: "link", Name: "Patient"},
		{ID: "g", Role: "combobox", Name: "Ward", Options: []page.Option{{Label: "North"}, {Label: "South"}}},
	}
	for _, tt := range []struct{ name, task, want string }{
		{"what the task quotes comes first, then what shares its words", `open the "Patient"`, "fd"},
		{"scripts without spaces have words too", "添加", "b"},
		{"options are looked at", "choose South", "g"},
		{"then what has the focus, then fields, then what can be pressed", "zebra", "egc"},
	} {
		if got := first(t, elements, tt.task, len(tt.want)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestRank_containers: of many elements of one name, the one in the container
// the task speaks of comes first.
func TestRank_containers(t *testing.T) {
	t.Parallel()
	var elements []page.Element
	for i := range 100 {
		group := fmt.Sprintf("Monitor %d", i)
		if i == 70 {
			group = "Samsung Odyssey G7"
		}
		elements = append(elements, page.Element{ID: strconv.Itoa(i), Role: "button", Name: "Add to cart", Group: group})
	}
	if got := first(t, elements, "Click Add to cart for Samsung", 1); got != "70" {
		t.Errorf("element %s comes first", got)
	}
}

func TestRank_chunksAreBounded(t *testing.T) {
	t.Parallel()
	elements := make([]page.Element, 100)
	list, _ := rank(elements, newQuery("x"))
	if last := list[99].chunk; last != 99/maxChunk {
		t.Errorf("100 elements of one container are %d chunks", last+1)
	}
}
