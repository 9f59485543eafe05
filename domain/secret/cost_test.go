package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/internal/costtest"
)

// pieces are what texts with secrets are made of, or seem to be.
var pieces = []string{
	"a", "a ", "@", "a@", "://", "://a@", "/", "//", "a/b/", "=", "a=b&", "password=", "password=x ", "pwd=", "eyJ", "eyJa.", "eyJabcdef.abcdef.",
	"e", "%", "%25", "%41", "&amp;", "&#x61;", `\u0061`, `\\u0061`, "\\", "&", "“", "“a ", "\"", "'", "'a' into password ", "password ", "PIN: ",
	"Bearer ", "4111 1111 1111 1111 ", "4", "4 ", "4-", "á", "a\u0301", "\u0301", "\u200b", "ａ", "ß", "ﬁ", "密码", "密码：", "[secret]", "?token=",
	"&token=a", ";jsessionid=", "sk_live_", "reset/", ". ", ": ", "\n", "{secret 1}", "a:", "a=",
}

// TestCut_Cost: what it costs to cut secrets out of a text grows no faster than the text.
func TestCut_Cost(t *testing.T) {
	t.Parallel()
	values := []string{"a", "ab", "abc", "1234"}
	for _, piece := range []string{"a", "4", "ab", "á", "% ", "%41", `\`, "&amp;"} {
		values = append(values, strings.Repeat(piece, 50)+"b")
	}
	set := secret.New(values...)
	for _, piece := range pieces {
		costtest.Grows(t, 8_000, func(size int) func() {
			text := costtest.Repeated(piece, size)
			return func() { set.Cut(text) }
		})
	}
}

// TestCut_CostOfValue: the same of the value, of which a page may have one as long as
// itself.
func TestCut_CostOfValue(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"a", "a ", "4", "%", "%41", "&amp;", `\u0061`, "\\", "á", "a\u0301", "ﬁ", "密码"} {
		costtest.Grows(t, 10_000, func(size int) func() {
			text := costtest.Repeated(piece, size)
			return func() {
				set := secret.New(text[:len(text)/2] + "b")
				set.Cut(text)
				secret.Within(text, []string{text[len(text)/2:]})
			}
		})
	}
}

// TestTold_Cost: the same of the secrets that a person tells.
func TestTold_Cost(t *testing.T) {
	t.Parallel()
	for _, piece := range pieces {
		costtest.Grows(t, 10_000, func(size int) func() {
			text := costtest.Repeated(piece, size)
			return func() {
				secret.InText(text)
				secret.InReply("What is the password?", text)
				secret.InURLs(text)
			}
		})
	}
}

// TestCut_nearlySecret: of a text made to be compared with a value for long no value is
// left, and nothing of what is before it is lost.
func TestCut_nearlySecret(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("a", 30_000) + "b"
	text := "before " + strings.Repeat("a", 100_000) + value
	if got := secret.New(value).Cut(text); !strings.HasPrefix(got, "before ") || strings.Contains(got, value) {
		t.Errorf("%.60q… of %d bytes", got, len(got))
	}
	var long strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&long, "%x ", i*i)
	}
	if got := secret.New(long.String()).Cut("x " + long.String() + "y"); got != "x "+secret.Mask+" y" {
		t.Errorf("%.60q", got)
	}
}
