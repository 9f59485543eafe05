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

// step is where in an object or an array the scanner is.
type step struct {
	object bool
	name   []byte // as written; nil before the first
	index  int
}

// maxName is how many characters of a name a path shows.
const maxName = 60

// pathOf names a place as the contract's errors do: interactiveTree[3].n
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

// unescape is a name as it decodes, or as it is written where it does not.
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

// normal is the form in which names are compared. It has no memory of its
// own where the name is in that form already.
func normal(name []byte, fold bool) []byte {
	name = unescape(name)
	if !fold || !slices.ContainsFunc(name, func(b byte) bool { return b >= utf8.RuneSelf || b >= 'A' && b <= 'Z' }) {
		return name
	}
	return bytes.Map(folded, name)
}

// folded is the smallest of the characters that differ in case only, as
// encoding/json has it; in lower case where that is ASCII.
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

// name of a member, as it is compared and as it is written.
type name struct{ key, written []byte }

// fewNames are compared each with each, more are sorted first.
const fewNames = 8

// duplicate is a name that stands twice, as written, nil if there is none. It may
// change the order.
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
