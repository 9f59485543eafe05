package knowledge

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
)

// MaxVectors is how many vectors a question is compared with at most: so many are read from
// the database, one after the other, and none is kept.
const MaxVectors = 50_000

const vectorsSQL = `
	select c.version_id, c.ord, v.vector
	from read.chunk_vector v join read.chunk c using (version_id, part, nth) join read.chunk_words w using (version_id, ord)
	where v.tenant = @tenant and c.tenant = @tenant and w.tenant = @tenant and v.model = @model and v.dimensions = @dimensions and superseded = 0
		and (cardinality(@sources::uuid[]) = 0 or v.source_id = any (@sources))
	limit @limit`

// byVector orders the chunks whose vectors are nearest to the question's, by their cosine.
// A question or a chunk without direction is near to nothing.
func (q Queries) byVector(ctx context.Context, query Query) ([]found, error) {
	length := norm2(query.Vector)
	if query.Model == "" || length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, nil
	}
	sources := []string{}
	for _, id := range query.Sources {
		if domain.ValidUUID(id) {
			sources = append(sources, id)
		}
	}
	if len(query.Sources) > 0 && len(sources) == 0 {
		return nil, nil
	}
	rows, err := q.DB.Query(ctx, vectorsSQL, pgx.NamedArgs{
		"tenant": query.Tenant, "model": query.Model, "dimensions": len(query.Vector), "sources": sources, "limit": MaxVectors,
	})
	if err != nil {
		return nil, err
	}
	var (
		best   nearest
		ref    knowledge.ChunkRef
		stored []byte
	)
	_, err = pgx.ForEachRow(rows, []any{&ref.Version, &ref.Ord, (*pgtype.DriverBytes)(&stored)}, func() error {
		if c := cosine(query.Vector, length, stored); c > 0 {
			best.offer(found{ref: ref, score: c})
		}
		return nil
	})
	slices.SortFunc(best, func(a, b found) int { return -compareFound(a, b) })
	return best, err
}

// cosine of a vector of this length with a stored one, -1 if that is none.
func cosine(v []float32, length float64, stored []byte) float64 {
	const float = 4 // bytes
	if len(stored) != float*len(v) {
		return -1
	}
	var dot, square float64
	for i, x := range v {
		y := float64(math.Float32frombits(binary.LittleEndian.Uint32(stored[float*i:])))
		dot += float64(x) * y
		square += y * y
	}
	if c := dot / (length * math.Sqrt(square)); !math.IsNaN(c) {
		return c
	}
	return -1
}

func norm2(v []float32) float64 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return math.Sqrt(square)
}

// nearest is a heap of the perLeg best, the worst of them first.
type nearest []found

func (n *nearest) offer(f found) {
	if len(*n) < perLeg {
		heap.Push(n, f)
	} else if compareFound((*n)[0], f) < 0 {
		(*n)[0] = f
		heap.Fix(n, 0)
	}
}

// compareFound is less for what is further down.
func compareFound(a, b found) int {
	return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(b.ref.Version, a.ref.Version), cmp.Compare(b.ref.Ord, a.ref.Ord))
}

// Len implements heap.Interface.
func (n nearest) Len() int { return len(n) }

// Less implements heap.Interface.
func (n nearest) Less(i, j int) bool { return compareFound(n[i], n[j]) < 0 }

// Swap implements heap.Interface.
func (n nearest) Swap(i, j int) { n[i], n[j] = n[j], n[i] }

// Push implements heap.Interface.
func (n *nearest) Push(x any) { *n = append(*n, x.(found)) }

// Pop implements heap.Interface.
func (n *nearest) Pop() any {
	last := len(*n) - 1
	x := (*n)[last]
	*n = (*n)[:last]
	return x
}
