package secret_test

import (
	"encoding/json"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/secret"
)

func TestSet_Cut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ value, text, want string }{
		{"hunter2", "I type hunter2.", "I type [secret]."},
		{"hunter2", "HUNTER2 and Hunter2", "[secret] and [secret]"},
		{"hunter2", "xhunter2y", "x[secret]y"},
		{"hunter2", "hun\u200bter\u00ad2", "[secret]"},
		{"hunter2", "ｈｕｎｔｅｒ２", "[secret]"},
		{"hunter2", "the hunter", "the [secret]"}, // it may have been cut
		{"hunter2", "hunters", "hunters"},
		{"hunter2", "", ""},
		{"Zürich#9", "zu\u0308rich#9", "[secret]"},
		{"Zu\u0308rich#9", "Zürich#9", "[secret]"},
		{"Straße77", "STRASSE77", "[secret]"},
		{"STRASSE77", "straße77", "[secret]"},
		{"비밀번호1", "비밀번호1", "[secret]"},
		{"パスガ99", "パスカ\u309999", "[secret]"},
		{`a"b\c&d'<é>`, `<p>a&quot;b\c&amp;d&#39;&lt;&eacute;&gt;</p>`, `<p>[secret]</p>`},
		{`a"b\c&d'<é>`, `{"v":"a\"b\\c\u0026d'\u003cé\u003e"}`, `{"v":"[secret]"}`},
		{`a"b\c&d'<é>`, `?v=a%22b%5Cc%26d%27%3C%C3%A9%3E&x`, `?v=[secret]&x`},
		{`a"b\c&d'<é>`, `{"u":"?v=a%22b%5cc%26d%27%3c%c3%a9%3e"}`, `{"u":"?v=[secret]"}`},
		{"p&w/1?", `href="/x?q=p%2526w%252F1%253F"`, `href="/x?q=[secret]"`},
		{"p&w=1", `{"h":"p\u0026amp;w=1"}`, `{"h":"[secret]"}`},
		{"it's me", "it’s me", "[secret]"},
		{"it's me", `it\'s me`, "[secret]"},
		{"correct horse", "correct  \n horse", "[secret]"},
		{"correct horse", "correct+horse", "[secret]"},
		{"correct horse", "correct%20horse correct&nbsp;horse", "[secret] [secret]"},
		{"\U0001f600key", `\ud83d\ude00key`, "[secret]"},
		// digits in groups
		{"4111111111111111", "card 4111 1111 1111 1111 or 4111-1111-1111-1111", "card [secret] or [secret]"},
		{"4111 1111 1111 1111", "4111111111111111", "[secret]"},
		{"482913", "Code: 482-913.", "Code: [secret]."},
		// short ones, and words
		{"123", "cvv 123, 1234 and 0.123", "cvv [secret], 1234 and 0.[secret]"},
		{"1234", "PIN 1234", "PIN [secret]"},
		{"tiger", "The tiger sees two tigers", "The [secret] sees two tigers"},
		{"tiger", "q=tiger%20x&tiger", "q=[secret]%20x&[secret]"},
		{"tiger", `say \ntiger`, `say \n[secret]`},
		{"a", "a password is a word", "a password is [secret] word"},
		{"a", `set "a" or 'a' or password: a`, `set "[secret]" or '[secret]' or password: [secret]`},
		{"12", "wait 12 s, PIN is 12", "wait 12 s, PIN is [secret]"},
		{"12", "12", "[secret]"},
		{"password", "Log in with password password", "Log in with password [secret]"},
		{"password", `setValue("5", "password") into Password`, `setValue("5", "[secret]") into Password`},
		{"secret", "[secret] and secret", "[secret] and secret"},
		{"••••••", "•••••• ok", "•••••• ok"},
	} {
		got := secret.New(tt.value).Cut(tt.text)
		if got != tt.want {
			t.Errorf("%q cut out of %q: got %q, want %q", tt.value, tt.text, got, tt.want)
		}
		if again := secret.New(tt.value).Cut(got); again != got {
			t.Errorf("%q cut again: %q", got, again)
		}
	}
}

func TestSet_Cut_severalValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values     []string
		text, want string
	}{
		{[]string{"hunter2", "hunter22"}, "hunter22 hunter2", "[secret] [secret]"},
		{[]string{"abc12", "c12xyz9"}, "abc12xyz9!", "[secret]!"},
		{[]string{"4", "8", "2", "9", "1", "3"}, "The code is 482913, step 4", "The code is [secret], step 4"},
		{[]string{"jo", "4", "8", "2"}, "code 482 and 48", "code [secret] and 48"},
		{nil, "https://x/?token=abc", "https://x/?token=[secret]"},
	} {
		if got := secret.New(tt.values...).Cut(tt.text); got != tt.want {
			t.Errorf("%q cut out of %q: got %q, want %q", tt.values, tt.text, got, tt.want)
		}
	}
	var none *secret.Set
	if got := none.Cut("text"); got != "text" {
		t.Error(got)
	}
}

func TestSet_CutJSON(t *testing.T) {
	t.Parallel()
	s := secret.New(`hu"nter2`)
	for in, want := range map[string]string{
		`{"b":1,"a":"x"}`: `{"b":1,"a":"x"}`,
		`{"b":12345678901234567890,"a":["hu\"nter2!"]}`: `{"a":["[secret]!"],"b":12345678901234567890}`,
		`no JSON hu"nter2`: `no JSON [secret]`,
	} {
		if got := string(s.CutJSON(json.RawMessage(in))); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	if got := secret.Within("log in with HUNTER2", []string{"hunter2", "other99"}); len(got) != 1 || got[0] != "hunter2" {
		t.Error(got)
	}
}

// written are the ways in which a value gets into a text.
func written(v string) []string {
	quoted, _ := json.Marshal(v)
	inner := string(quoted[1 : len(quoted)-1])
	return []string{
		v, strings.ToUpper(v), strings.ToLower(v), html.EscapeString(v), inner, strconv.Quote(v), url.QueryEscape(v), url.PathEscape(v),
		html.EscapeString(inner), url.QueryEscape(url.QueryEscape(v)), url.QueryEscape(html.EscapeString(v)), html.EscapeString(html.EscapeString(v)),
	}
}

// FuzzSet_Cut: no writing of a value is left, whatever stands around it.
func FuzzSet_Cut(f *testing.F) {
	f.Add("hunter2zz", "before ", " after")
	f.Add(`a"b\c&d'<é>`, `\`, "%")
	f.Add("%41&amp;1", "%4", "1;")
	f.Add("Zürich9", "=", "\u0308")
	f.Add("+1 %20x", "&", ";")
	f.Add(`\u0041x9`, `\\`, `\`)
	f.Fuzz(func(t *testing.T, value, before, after string) {
		if !fit(value) || len(before)+len(after) > 1000 {
			return
		}
		s := secret.New(value)
		for i, w := range written(value) {
			if got := s.Cut(" " + w + " "); strings.Contains(got, w) && !strings.Contains(secret.Mask, w) {
				t.Errorf("writing %d of %q is left: %q", i, value, got)
			}
			text := before + w + after
			got := s.Cut(text)
			for _, part := range strings.Split(got, secret.Mask) {
				if strings.Contains(part, value) {
					t.Errorf("%q is left in %q, made of %q", value, got, text)
				}
			}
			if again := s.Cut(got); again != got {
				t.Errorf("%q became %q", got, again)
			}
		}
	})
}

// fit is a value that is looked for anywhere.
func fit(v string) bool {
	letters := 0
	for _, r := range v {
		if r == utf8.RuneError || r < ' ' || r > 0x24f {
			return false
		}
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			letters++
		}
	}
	return letters >= 4 && strings.ContainsAny(v, "0123456789") && strings.TrimSpace(v) == v && !strings.Contains(v, "  ") && len(v) < 100 && !strings.ContainsAny(v, "[]\u00a0\u00ad\u0085\u00b5\u0130\u0131\u017f\u00df")
}

// A page of five million characters must not take long, whatever it is made of.
func BenchmarkSet_Cut(b *testing.B) {
	s := secret.New("hunter2zz", "P@ssw0rd!", "482913")
	for name, unit := range map[string]string{
		"prose": "The quick brown fox jumps over the lazy dog, hunting for help. ", "percent": "%25", "entities": "&amp;", "backslashes": `\`,
		"equals": "a=", "at": "@", "eyJ": "eyJ", "digits": "4", "slashes": "/a1b2c3d4e5f6g7h8", "addresses": "https://x@",
	} {
		text := strings.Repeat(unit, 1_000_000/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Cut(text)
			}
		})
	}
}
