package snapshot

import (
	"strconv"
	"strings"
)

// images are the pictures that may be in a document: those that hold nothing but
// pixels.
var images = []string{"data:image/png;base64,", "data:image/jpeg;base64,", "data:image/gif;base64,", "data:image/webp;base64,"}

// isImage reports an address that is a picture itself, of a size to be shown.
func isImage(src string) bool {
	if len(src) > maxImage {
		return false
	}
	for _, kind := range images {
		if data, ok := strings.CutPrefix(src, kind); ok {
			return isBase64(data)
		}
	}
	return false
}

func isBase64(s string) bool {
	for i := range len(s) {
		b := s[i]
		isDigit, isLetter := b >= '0' && b <= '9', b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
		if !isDigit && !isLetter && b != '+' && b != '/' && b != '=' {
			return false
		}
	}
	return true
}

// size is a width or height that fits a screen, "" for any other.
func size(v string) string {
	number, percent := strings.CutSuffix(strings.TrimSpace(v), "%")
	number = strings.TrimSuffix(number, "px")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n <= maxSize) {
		return ""
	}
	if percent {
		return number + "%"
	}
	return number
}

// isWord: letters and hyphens, as names of attributes are.
func isWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') }) < 0
}
