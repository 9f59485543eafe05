package action

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// namedKeys are the keys press knows by name (KeyboardEvent.key).
var namedKeys = []string{
	"Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space",
	"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight",
	"Home", "End", "PageUp", "PageDown",
	"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
}

var modifiers = []string{"Control", "Alt", "Shift", "Meta"}

// keyAliases are other words people and models use, in lower case.
var keyAliases = map[string]string{
	"return": "Enter", "esc": "Escape", "del": "Delete", " ": "Space", "spacebar": "Space",
	"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
	"pgup": "PageUp", "pgdn": "PageDown",
	"ctrl": "Control", "cmd": "Meta", "command": "Meta", "option": "Alt",
}

// canonicalKey returns a key as validKey expects it, or s if it does not know the
// key. In "Control++" the last plus is the key.
func canonicalKey(s string) string {
	mods, key := splitKey(s)
	for i, m := range mods {
		mods[i] = spell(m, modifiers)
	}
	return strings.Join(append(mods, spell(key, namedKeys)), "+")
}

func splitKey(s string) (mods []string, key string) {
	if i := strings.LastIndexByte(strings.TrimSuffix(s, "+"), '+'); i >= 0 {
		return strings.Split(s[:i], "+"), s[i+1:]
	}
	return nil, s
}

func spell(word string, known []string) string {
	if alias, ok := keyAliases[strings.ToLower(word)]; ok {
		word = alias
	}
	for _, k := range known {
		if strings.EqualFold(k, word) {
			return k
		}
	}
	return word
}

// movingKeys move the focus, the cursor or the view, or close what is open.
var movingKeys = []string{"Tab", "Escape", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"}

// MovesOnly reports a key press that neither writes nor chooses anything by itself.
func (a Action) MovesOnly() bool {
	mods, key := splitKey(a.Text)
	return a.Name == Press && slices.Contains(movingKeys, key) && !slices.Contains(mods, "Alt") && !slices.Contains(mods, "Meta")
}

func validKey(s string) bool {
	mods, key := splitKey(s)
	for i, m := range mods {
		if !slices.Contains(modifiers, m) || slices.Contains(mods[:i], m) {
			return false
		}
	}
	if slices.Contains(namedKeys, key) {
		return true
	}
	r, n := utf8.DecodeRuneInString(key)
	return n > 0 && n == len(key) && unicode.IsPrint(r) && r != ' '
}
