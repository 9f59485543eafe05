package knowledge

import (
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
