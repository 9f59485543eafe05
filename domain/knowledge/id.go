package knowledge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// sortRefs puts references in order: by version, then place.
func sortRefs(refs []ChunkRef) {
	slices.SortFunc(refs, func(a, b ChunkRef) int {
		return cmp.Or(strings.Compare(a.Version, b.Version), cmp.Compare(a.Ord, b.Ord))
	})
}
