package page

import (
	"strconv"
	"testing"
)

func TestMarkDays(t *testing.T) {
	t.Parallel()
	days := func(runs ...[2]int) (es []Element) {
		for _, r := range runs {
			for d := r[0]; d <= r[1]; d++ {
				es = append(es, Element{Role: "gridcell", Name: strconv.Itoa(d)})
			}
		}
		return es
	}
	for name, tc := range map[string]struct {
		es    []Element
		other int // how many are of another month
	}{
		"both ends":            {days([2]int{29, 30}, [2]int{1, 31}, [2]int{1, 9}), 11},
		"a month alone":        {days([2]int{1, 30}), 0},
		"two months":           {days([2]int{1, 31}, [2]int{1, 28}), 0},
		"numbers of pages":     {days([2]int{1, 9}), 0},
		"two lists of numbers": {days([2]int{1, 9}, [2]int{1, 9}), 0},
		"none":                 {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			MarkDays(tc.es)
			n := 0
			for _, e := range tc.es {
				if e.OtherMonth {
					n++
				}
			}
			if n != tc.other {
				t.Errorf("%d days are of another month, want %d", n, tc.other)
			}
		})
	}
}
