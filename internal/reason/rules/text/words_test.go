package text

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

func TestWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"E-mail address *":  {"email"},
		"Date of Birth:":    {"birthdate"},
		"firstName":         {"firstname"},
		"Sign in / Log in":  {"login", "login"},
		"Zip code":          {"postcode"},
		"O’Brien's Preview": {"obriens", "preview"},
		"Capital\u00a0City": {"capital", "city"},
		"Größe (cm) 東京":     {"größe", "cm", "東京"},
		"***":               nil,
	} {
		if diff := cmp.Diff(want, Words(in), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Words(%q) (-want +got):\n%s", in, diff)
		}
	}
}
