package page

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"plain text stays":                       {"Save draft", "Save draft"},
		"white space runs are one space":         {"  Save \n\t draft ", "Save draft"},
		"a no-break space is a space":            {"Capital\u00a0Federal", "Capital Federal"},
		"zero-width characters go":               {"Sa\u200bve\u2060\ufeff", "Save"},
		"a soft hyphen goes":                     {"Ver\u00adtrag", "Vertrag"},
		"bidirectional overrides go":             {"\u202eevaS\u202c", "evaS"},
		"tag characters go":                      {"Hi\U000e0069\U000e0067\U000e006e", "Hi"},
		"variation selectors go":                 {"\u2699\ufe0f", "\u2699"},
		"control characters go":                  {"a\x00b\x1bc\u0085d", "abc d"},
		"bytes that are not UTF-8 are replaced":  {"a\xffb", "a\ufffdb"},
		"other scripts stay":                     {"検索 — قائمة", "検索 — قائمة"},
		"nothing but invisible text is no text":  {"\u200b \u2060", ""},
		"an invisible character joins its words": {"pass\u200bword", "password"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(c.in); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestCut_countsCharactersNotBytes(t *testing.T) {
	t.Parallel()
	if got := Cut("größer als", 5); got != "größe" {
		t.Errorf("got %q", got)
	}
	if got := Cut("ab cd", 3); got != "ab" {
		t.Errorf("a cut text ends in a space: %q", got)
	}
	if got := Cut("abc", 3); got != "abc" {
		t.Errorf("got %q", got)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a \u00a0\u200b b\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if Clean(got) != got {
			t.Errorf("Clean is not stable: %q, then %q", got, Clean(got))
		}
		if !utf8.ValidString(got) || strings.Contains(got, "  ") || strings.TrimSpace(got) != got {
			t.Errorf("Clean(%q) = %q", s, got)
		}
		if !utf8.ValidString(dropTicking(got, true)) {
			t.Errorf("steady broke %q", got)
		}
	})
}

// What needs no cleaning is what cleaning would leave as it is.
func TestClean_KnowsWhatIsClean(t *testing.T) {
	t.Parallel()
	alphabet := []rune("ab é語🙂 \t\n\u00a0\u00ad\u200b\u202e\u2003\u3000\ufe0f\ufffd\x7f\x85\U000e0041")
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 6).Draw(t, "s"))
		if rapid.Bool().Draw(t, "broken") && len(s) > 1 {
			s = s[:len(s)-1]
		}
		cleaned := strings.TrimRight(string(AppendClean(nil, s)), " ")
		if isClean(s) != (cleaned == s) || Clean(s) != cleaned {
			t.Errorf("isClean(%q) = %v, cleaned it is %q", s, isClean(s), cleaned)
		}
	})
}
