package knowledge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// ParseChunkID reads the id of a chunk.
func ParseChunkID(id string) (ChunkRef, bool) {
	version, ord, ok := strings.Cut(id, ".")
	n, err := strconv.Atoi(ord)
	return ChunkRef{version, n}, ok && err == nil && n >= 0
}

// sortRefs puts references in order: by version, then place.
func sortRefs(refs []ChunkRef) {
	slices.SortFunc(refs, func(a, b ChunkRef) int {
		return cmp.Or(strings.Compare(a.Version, b.Version), cmp.Compare(a.Ord, b.Ord))
	})
}
