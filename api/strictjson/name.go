package strictjson

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// step is the scanner's position in an object or array.
type step struct {
	object bool
	name   []byte // as written; nil before the first
	index  int
}

// maxName bounds a name in a path, in characters.
const maxName = 60

// pathOf writes a position as the contract's errors do: interactiveTree[3].n
func pathOf(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		switch {
		case !s.object:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case s.name != nil:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(shown(unescape(s.name)))
		}
	}
	return b.String()
}

func shown(name []byte) string {
	text := strings.ToValidUTF8(string(name[:min(len(name), utf8.UTFMax*maxName)]), "\ufffd")
	if r := []rune(text); len(r) > maxName {
		return string(r[:maxName]) + "…"
	}
	return text
}

// unescape decodes a name, or returns it unchanged if that fails.
func unescape(name []byte) []byte {
	if !bytes.ContainsRune(name, '\\') {
		return name
	}
	var s string
	if err := json.Unmarshal(slices.Concat([]byte{'"'}, name, []byte{'"'}), &s); err != nil {
		return name
	}
	return []byte(s)
}

// normal returns the form in which names are compared. It does not allocate if the
// name is in that form already.
func normal(name []byte, fold bool) []byte {
	name = unescape(name)
	if !fold || !slices.ContainsFunc(name, func(b byte) bool { return b >= utf8.RuneSelf || b >= 'A' && b <= 'Z' }) {
		return name
	}
	return bytes.Map(folded, name)
}

// folded returns the smallest of the characters that differ only in case, as
// encoding/json does; in lower case for ASCII.
func folded(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	if least >= 'A' && least <= 'Z' {
		return least - 'A' + 'a'
	}
	return least
}

// name is a member's name in comparable form and as written.
type name struct{ key, written []byte }

// fewNames is up to how many names are compared pairwise; more are sorted.
const fewNames = 8

// duplicate returns a name that occurs twice, as written, or nil. It may change the
// order.
func duplicate(names []name) []byte {
	if len(names) > fewNames {
		slices.SortFunc(names, func(a, b name) int { return bytes.Compare(a.key, b.key) })
		for i := range names[1:] {
			if bytes.Equal(names[i].key, names[i+1].key) {
				return names[i].written
			}
		}
		return nil
	}
	for i, n := range names {
		for _, other := range names[:i] {
			if bytes.Equal(n.key, other.key) {
				return other.written
			}
		}
	}
	return nil
}
