package page

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestDecodeScreenshot(t *testing.T) {
	t.Parallel()
	raw := "\xff\xd8\xff\xe0 picture?>"
	std := base64.StdEncoding.EncodeToString([]byte(raw))
	url := base64.RawURLEncoding.EncodeToString([]byte(raw))
	for name, s := range map[string]string{
		"base64":                     std,
		"without padding":            strings.TrimRight(std, "="),
		"of the other alphabet":      url,
		"in lines":                   std[:8] + "\r\n" + std[8:] + "\n",
		"a data URL":                 "data:image/jpeg;base64," + std,
		"a data URL with parameters": "DATA:image/jpeg;charset=x;BASE64," + std,
	} {
		if got, ok := DecodeScreenshot(s); !ok || string(got) != raw {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
	}
	for name, s := range map[string]string{
		"nothing":            "",
		"blanks":             " \n",
		"an empty data URL":  "data:image/png;base64,",
		"a data URL of text": "data:text/plain,hello",
		"a cut data URL":     "data:image/png;base64",
		"no base64":          "<svg/>",
		"too large":          strings.Repeat("AAAA", MaxScreenshot/3+1),
	} {
		if got, ok := DecodeScreenshot(s); ok {
			t.Errorf("%s was taken: %d bytes", name, len(got))
		}
	}
}
