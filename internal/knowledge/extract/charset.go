package extract

import (
	"bytes"
	"encoding/binary"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// sample is how much of a document is looked at to guess its charset.
const sample = 64 << 10

// decode returns a document as text. What it is written in says, in this order, a byte
// order mark, the bytes themselves if they can only be one thing, what the document or
// its server declares, and last the frequencies of its bytes. False means that it is no
// text: it has bytes that no text has.
func decode(body []byte, declared string) (string, bool) {
	text := decodeBytes(body, declared)
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), !binaryLike(text)
}

func decodeBytes(body []byte, declared string) string {
	if e := marked(body); e != nil {
		return convert(e, body)
	}
	if e := wide(body); e != nil {
		return convert(e, body)
	}
	if bytes.Contains(body, []byte("\x1b$B")) || bytes.Contains(body, []byte("\x1b$@")) {
		return convert(named("iso-2022-jp"), body)
	}
	if utf8.Valid(body) {
		return string(body)
	}
	if e := named(declared); e != nil {
		if text := convert(e, body); sound(text) {
			return text
		}
	}
	return convert(guess(body), body)
}

// marked returns the encoding a byte order mark says.
func marked(body []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(body, []byte{0xef, 0xbb, 0xbf}):
		return unicode.UTF8BOM
	case bytes.HasPrefix(body, []byte{0xff, 0xfe, 0, 0}):
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case bytes.HasPrefix(body, []byte{0, 0, 0xfe, 0xff}):
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}), bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	return nil
}

// wide recognises UTF-16 without a mark: spaces and line breaks are there, with a zero
// byte on one side, and more often than on the other.
func wide(body []byte) encoding.Encoding {
	head := body[:min(len(body), sample)&^1]
	little, big := 0, 0
	for i := 0; i+1 < len(head); i += 2 {
		switch c := binary.LittleEndian.Uint16(head[i:]); c {
		case ' ', '\n', '"', '<', ',':
			little++
		case ' ' << 8, '\n' << 8, '"' << 8, '<' << 8, ',' << 8:
			big++
		}
	}
	switch most := max(little, big); {
	case most == 0 || most < len(head)/200 || bytes.IndexByte(head, 0) < 0:
		return nil
	case little > big:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	default:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
}

// named returns an encoding by one of its names on the web, or nil.
func named(name string) encoding.Encoding {
	e, err := htmlindex.Get(strings.TrimSpace(name))
	if err != nil {
		return nil
	}
	return e
}

func convert(e encoding.Encoding, body []byte) string {
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return strings.ToValidUTF8(string(body), "\uFFFD")
	}
	return string(text)
}

// sound reports a text in which next to nothing could not be decoded.
func sound(text string) bool {
	return strings.Count(text, "\uFFFD") <= len(text)/1000
}

// guess returns the likeliest of the charsets in which the bytes make sense.
func guess(body []byte) encoding.Encoding {
	head := body[:min(len(body), sample)]
	if found, err := chardet.NewTextDetector().DetectAll(head); err == nil {
		for _, f := range found {
			if e := named(f.Charset); e != nil && sound(convert(e, head)) && !binaryLike(convert(e, head)) {
				return e
			}
		}
	}
	return named("windows-1252")
}

// binaryLike reports characters that texts do not have.
func binaryLike(text string) bool {
	head := text[:min(len(text), sample)]
	odd := 0
	for i := range len(head) {
		if c := head[i]; c == 0 || c < ' ' && !strings.ContainsRune("\t\n\r\f\v\b\x1b", rune(c)) {
			odd++
		}
	}
	return odd > len(head)/500
}

// declared returns the charset a server or the head of a page says, or "".
func declared(body []byte, mediaType string) string {
	if _, params, err := mime.ParseMediaType(mediaType); err == nil && params["charset"] != "" {
		return params["charset"]
	}
	head := body[:min(len(body), 1024)]
	if i := bytes.Index(head, []byte("encoding=")); bytes.HasPrefix(bytes.TrimSpace(head), []byte("<?xml")) && i > 0 {
		name := strings.TrimLeft(string(head[i+len("encoding="):]), `"'`)
		if end := strings.IndexAny(name, `"'?`); end > 0 {
			return name[:end]
		}
	}
	if bytes.IndexByte(head, '<') < 0 {
		return ""
	}
	// Of a page only what its meta elements say, not the guess beside it.
	if _, name, certain := charset.DetermineEncoding(head, ""); certain || name != "windows-1252" {
		return name
	}
	return ""
}
