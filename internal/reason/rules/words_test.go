package rules

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAmount(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		want, got string
		same      bool
	}{
		{"45", "45,00", true}, {"45", "45.00 €", true}, {"1000", "1.000", true}, {"1000", "1,000.00", true}, {"1000", "1 000,00", true}, {"1234567.5", "1'234'567.50", true},
		{"1000", "$1,000", true}, {"1.5", "1,5", true}, {"-3", "-3,0", true}, {"1500", "1 500 Kč", true}, {"20", "CHF 20.–", false}, {"20", "CHF 20.00", true}, {"99", "99 kr", true}, {"300", "300 円", true},
		{"45", "4,5", false}, {"45", "450", false}, {"1000", "1.00", false}, {"45", "", false}, {"", "", false}, {"forty", "forty", false}, {"45", "45 kg", true}, {"18000", "18,000 km", true}, {"45", "450 kg", false}, {"7", "7 %", true}, {"45", "forty kg", false},
	} {
		if got := sameAmount(tc.want, tc.got); got != tc.same {
			t.Errorf("%q and %q: %v", tc.want, tc.got, got)
		}
	}
}

func TestOneScript(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "abc 12": "abc 12", "٠١٢٣٤٥٦٧٨٩": "0123456789", "۴۵": "45", "१२": "12", "１２３": "123", "𝟗": "9", "ひらがな": "ヒラガナ", "カタカナ": "カタカナ", "漢字": "漢字", "½": "½",
	} {
		if got := oneScript(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.String().Draw(rt, "text")
		if once := oneScript(text); oneScript(once) != once {
			rt.Fatalf("%q becomes another text the second time: %q", text, once)
		}
		if !sameValue(text, text) {
			rt.Fatalf("%q is not itself", text)
		}
	})
}

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
