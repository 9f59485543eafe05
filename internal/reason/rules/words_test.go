package rules

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Scripts without spaces have words all the same.
func TestRuns(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"remove": {"remove"}, "b3": {"b3"}, "火曜11時": {"火曜", "11", "時"}, "ホテル港南を予約": {"ホテル", "港南", "を", "予約"},
		"lukasとのトーク": {"lukas", "との", "トーク"}, "上移太极拳": {"上移太极拳"}, "データー": {"データー"}, "2월": {"2", "월"},
	} {
		if got := runs(in); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.String().Draw(rt, "word")
		if got := strings.Join(runs(word), ""); got != word {
			rt.Fatalf("%q became %q", word, got)
		}
	})
}
