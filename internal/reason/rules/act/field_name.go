package act

import (
	"strings"
	"sync"

	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// fieldNames is the set of names under which forms ask for something, by labelKey.
type fieldNames map[string]bool

// usual are the names forms use on any site.
var usual = sync.OnceValue(func() fieldNames {
	return fieldNamesOf(lexicon.List("en", lexicon.FieldName))
})

func fieldNamesOf(labels []string) fieldNames {
	l := fieldNames{}
	for _, s := range labels {
		l.add(s)
	}
	return l
}

func (l fieldNames) add(label string) { l.addKey(text.LabelKey(label)) }

func (l fieldNames) addKey(k []string) {
	if len(k) > 0 && len(k) <= 6 {
		l[strings.Join(k, " ")] = true
	}
}

// knows reports whether the whole text is the name of a field.
func (l fieldNames) knows(name string) bool {
	k := strings.Join(text.LabelKey(name), " ")
	return k != "" && (l[k] || usual()[k])
}
