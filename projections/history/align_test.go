package history_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/projections/history"
)

func same(a, b string) bool { return a == b }

func TestAlign(t *testing.T) {
	t.Parallel()
	const none = -1
	for name, tt := range map[string]struct {
		a, b string
		want []history.Pair
	}{
		"equal":                      {"a b", "a b", []history.Pair{{0, 0, true}, {1, 1, true}}},
		"nothing":                    {"", "", []history.Pair{}},
		"one is empty":               {"", "a", []history.Pair{{none, 0, false}}},
		"inserted at the beginning":  {"a b", "x a b", []history.Pair{{none, 0, false}, {0, 1, true}, {1, 2, true}}},
		"inserted in the middle":     {"a b", "a x b", []history.Pair{{0, 0, true}, {none, 1, false}, {1, 2, true}}},
		"inserted at the end":        {"a b", "a b x", []history.Pair{{0, 0, true}, {1, 1, true}, {none, 2, false}}},
		"deleted":                    {"a x b", "a b", []history.Pair{{0, 0, true}, {1, none, false}, {2, 1, true}}},
		"replaced":                   {"a x b", "a y b", []history.Pair{{0, 0, true}, {1, 1, false}, {2, 2, true}}},
		"one replaced by two":        {"a x b", "a y z b", []history.Pair{{0, 0, true}, {1, 1, false}, {none, 2, false}, {2, 3, true}}},
		"two replaced by one":        {"a x z b", "a y b", []history.Pair{{0, 0, true}, {1, 1, false}, {2, none, false}, {3, 2, true}}},
		"nothing in common":          {"a b", "x y z", []history.Pair{{0, 0, false}, {1, 1, false}, {none, 2, false}}},
		"repeated":                   {"a a b", "a b", []history.Pair{{0, 0, true}, {1, none, false}, {2, 1, true}}},
		"inserted twice and deleted": {"a b c d e", "a x b d y e", []history.Pair{{0, 0, true}, {none, 1, false}, {1, 2, true}, {2, none, false}, {3, 3, true}, {none, 4, false}, {4, 5, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, history.Align(strings.Fields(tt.a), strings.Fields(tt.b), same)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Every item is in one pair, in order, and as many match as can.
func TestAlign_IsTheLongest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		item := rapid.SampledFrom([]string{"a", "b", "c"})
		a, b := rapid.SliceOfN(item, 0, 8).Draw(t, "a"), rapid.SliceOfN(item, 0, 8).Draw(t, "b")
		nextA, nextB, matches := 0, 0, 0
		for _, p := range history.Align(a, b, same) {
			if p.A >= 0 {
				if p.A != nextA {
					t.Fatalf("a: %d comes where %d should", p.A, nextA)
				}
				nextA++
			}
			if p.B >= 0 {
				if p.B != nextB {
					t.Fatalf("b: %d comes where %d should", p.B, nextB)
				}
				nextB++
			}
			if p.Match {
				matches++
				if a[p.A] != b[p.B] {
					t.Fatalf("%v is no match", p)
				}
			}
		}
		if nextA != len(a) || nextB != len(b) || matches != common(a, b) {
			t.Fatalf("%d of %d, %d of %d, %d matches of %d", nextA, len(a), nextB, len(b), matches, common(a, b))
		}
	})
}

// common is the length of the longest common subsequence, by trying all.
func common(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if a[0] == b[0] {
		return 1 + common(a[1:], b[1:])
	}
	return max(common(a[1:], b), common(a, b[1:]))
}

func TestAlign_LongLists(t *testing.T) {
	t.Parallel()
	long := make([]string, 5000)
	for i := range long {
		long[i] = strings.Repeat("x", i%7)
	}
	other := append([]string{"first"}, long...)
	got := history.Align(long, append(other, "last"), same)
	if len(got) < 5000 || len(got) > 5002 {
		t.Errorf("%d pairs", len(got))
	}
}
