package page

import (
	"fmt"
	"strconv"
	"strings"
)

// Summary returns observations as a person is told them: lines that say the same are
// said once with their number, and that elements were covered, uncovered or seen under
// the mouse is one line each. The order is that of the first of them.
func Summary(list []Observation) []Observation {
	out := make([]Observation, 0, len(list))
	at, times := map[string]int{}, map[string]int{}
	for _, o := range list {
		key := o.Text
		if isCover(o) {
			key = o.Attr + "\x00" + o.To
		}
		if _, said := at[key]; !said {
			at[key] = len(out)
			out = append(out, o)
		}
		times[key] += elementsIn(o)
	}
	for key, i := range at {
		switch n := times[key]; {
		case n == 1:
		case isCover(out[i]):
			out[i].Text = coverLine(out[i], n)
		default:
			out[i].Text += fmt.Sprintf(" (%d times)", n)
		}
	}
	return out
}

// isCover reports observations that say of many elements what happened to the page as a
// whole.
func isCover(o Observation) bool {
	return o.Kind == ElementChanged && (o.Attr == AttrOccluded || o.Attr == AttrOnHover)
}

// elementsIn is how many elements an observation is about: the last of its kind may
// count those that have no line.
func elementsIn(o Observation) int {
	if isCover(o) && o.Key == "" {
		first, _, _ := strings.Cut(o.Text, " ")
		if n, err := strconv.Atoi(first); err == nil {
			return n
		}
	}
	return 1
}

func coverLine(o Observation, n int) string {
	what := map[string]string{
		AttrOccluded + "true": "are covered by something now", AttrOccluded + "false": "are no longer covered",
		AttrOnHover + "true": "are seen only under the mouse now", AttrOnHover + "false": "are seen now without or under the mouse",
	}[o.Attr+o.To]
	return fmt.Sprintf("%d elements %s", n, what)
}
