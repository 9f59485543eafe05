package page

import (
	"encoding/base64"
	"strings"
)

// MaxScreenshot bounds an image in bytes; clients' images of 1024 pixels have a tenth
// of it.
const MaxScreenshot = 4 << 20

// DecodeScreenshot decodes an image sent as base64, in either alphabet, with or
// without padding, bare or as a data URL. ok is false for anything else, and if it is
// empty or larger than MaxScreenshot. It does not check that the bytes are an image.
func DecodeScreenshot(s string) (image []byte, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) >= len("data:") && strings.EqualFold(s[:len("data:")], "data:") {
		head, data, found := strings.Cut(s, ",")
		if !found || !strings.HasSuffix(strings.ToLower(head), ";base64") {
			return nil, false
		}
		s = data
	}
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(s), "=")
	if s == "" || base64.RawStdEncoding.DecodedLen(len(s)) > MaxScreenshot {
		return nil, false
	}
	image, err := base64.RawStdEncoding.DecodeString(s)
	return image, err == nil
}
