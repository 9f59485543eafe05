package page

import (
	"strconv"
	"strings"
)

// Lengths of the parts of a key: keys are stored with every action, and names
// that agree in their first forty characters are told apart by ordinal.
const (
	maxKeyName  = 40
	maxKeyGroup = 30
)

// twinMark is before the ordinal of a twin. A single "#" is how people number
// their own things: "Order #2".
const twinMark = "##"

// AssignKeys gives every element its Key: its role and the author's name for
// it, where that occurs once on the page, else role, visible name and group.
// Elements that share all three are numbered among themselves in document
// order, so that an element inserted or removed renames at most its own twins,
// never its neighbours. What ticks by itself is not part of a key.
func AssignKeys(es []Element) {
	anchors := make(map[string]int)
	for i := range es {
		if a := es[i].Anchor; a != "" {
			anchors[a]++
		}
	}
	seen := make(map[string]struct{}, len(es))
	twins := map[string]int{}
	b := make([]byte, 0, 2*(maxKeyName+maxKeyGroup))
	for i := range es {
		e := &es[i]
		b = append(append(b[:0], e.Role...), '|')
		if e.Anchor != "" && anchors[e.Anchor] == 1 {
			b = append(append(b, '@'), Cut(e.Anchor, maxKeyName)...)
		} else {
			b = append(append(b, Cut(steady(e.Name, false), maxKeyName)...), '|')
			b = append(b, Cut(steady(e.Group, false), maxKeyGroup)...)
		}
		e.Key = string(b)
		if _, taken := seen[e.Key]; taken {
			e.Key = twin(e.Key, seen, twins)
		}
		seen[e.Key] = struct{}{}
	}
}

// twin numbers a key that is taken. It goes on past a name or group that itself
// ends like a numbered twin.
func twin(base string, seen map[string]struct{}, twins map[string]int) string {
	for n := twins[base] + 2; ; n++ {
		key := base + twinMark + strconv.Itoa(n)
		if _, taken := seen[key]; !taken {
			twins[base] = n - 1
			return key
		}
	}
}

// family is a key without the ordinal of twins.
func family(key string) string {
	i := strings.LastIndex(key, twinMark)
	if i < 0 || !number(key[i+len(twinMark):]) {
		return key
	}
	return key[:i]
}
