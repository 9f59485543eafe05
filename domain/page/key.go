package page

import (
	"hash/maphash"
	"math/bits"
	"strconv"
	"strings"
)

// Lengths of the parts of a key. Keys are stored with every action; names that agree
// in their first forty characters get ordinals.
const (
	maxKeyName  = 40
	maxKeyGroup = 30
)

// twinMark precedes the ordinal of a twin. A single "#" is used by people: "Order
// #2".
const twinMark = "##"

// AssignKeys gives every element its Key: its role and anchor, if they are unique on
// the page, else role, visible name and group. Elements that share all three are
// numbered in document order, so inserting or removing an element renames at most its
// own twins. Ticking texts are not part of a key.
func AssignKeys(es []Element) {
	anchors := make(map[string]int)
	for i := range es {
		if a := es[i].Anchor; a != "" {
			anchors[a]++
		}
	}
	keys := newKeySet(es)
	twins := map[string]int{}
	b := make([]byte, 0, 2*(maxKeyName+maxKeyGroup))
	for i := range es {
		e := &es[i]
		b = append(append(b[:0], e.Role...), '|')
		if e.Anchor != "" && anchors[e.Anchor] == 1 {
			b = append(append(b, '@'), Cut(e.Anchor, maxKeyName)...)
		} else {
			b = append(append(b, Cut(dropTicking(e.Name, false), maxKeyName)...), '|')
			b = append(b, Cut(dropTicking(e.Group, false), maxKeyGroup)...)
		}
		base := string(b)
		e.Key = base
		for n := twins[base] + 2; !keys.add(i); n++ { // a name or group may itself end like a numbered twin
			e.Key = base + twinMark + strconv.Itoa(n)
			twins[base] = n - 1
		}
	}
}

// keySet is the set of the keys of the elements added, stored as indexes by hash. A
// map of strings would take a fifth of the elements' own memory.
type keySet struct {
	es    []Element
	seed  maphash.Seed
	slots []int32 // index + 1; at most half of them are taken
}

func newKeySet(es []Element) keySet {
	return keySet{es, maphash.MakeSeed(), make([]int32, 1<<bits.Len(uint(2*len(es))))}
}

// add adds the key of es[i] unless it is in the set.
func (s keySet) add(i int) bool {
	mask := len(s.slots) - 1
	for at := int(maphash.String(s.seed, s.es[i].Key)) & mask; ; at = (at + 1) & mask {
		switch j := s.slots[at]; {
		case j == 0:
			s.slots[at] = int32(i + 1)
			return true
		case s.es[j-1].Key == s.es[i].Key:
			return false
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
