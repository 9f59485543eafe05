package history

// Pair is a place in an alignment of two lists: indices, -1 where one list has nothing.
// Match: the two items match; without it one stands in place of the other.
type Pair struct {
	A, B  int
	Match bool
}

// maxCells bounds the memory of an alignment: lists of two thousand items each.
const maxCells = 4_000_000

// Align puts two lists side by side such that as many items as possible match, in
// order (a longest common subsequence). Between two matches, what is left of one list is
// put beside what is left of the other. Lists that are too long for that, after what
// they have in common at both ends, are put side by side as they are.
func Align[T any](a, b []T, match func(a, b T) bool) []Pair {
	pairs := make([]Pair, 0, max(len(a), len(b)))
	first := 0
	for first < min(len(a), len(b)) && match(a[first], b[first]) {
		pairs = append(pairs, Pair{first, first, true})
		first++
	}
	last := 0
	for last < min(len(a), len(b))-first && match(a[len(a)-1-last], b[len(b)-1-last]) {
		last++
	}
	i, j, endA, endB := first, first, len(a)-last, len(b)-last
	for _, m := range longest(a[first:endA], b[first:endB], match) {
		pairs = beside(pairs, i, first+m.A, j, first+m.B)
		pairs = append(pairs, Pair{first + m.A, first + m.B, true})
		i, j = first+m.A+1, first+m.B+1
	}
	pairs = beside(pairs, i, endA, j, endB)
	for k := range last {
		pairs = append(pairs, Pair{endA + k, endB + k, true})
	}
	return pairs
}

// beside adds what does not match: item by item, and then the rest of the longer part.
func beside(pairs []Pair, a, endA, b, endB int) []Pair {
	for a < endA || b < endB {
		p := Pair{-1, -1, false}
		if a < endA {
			p.A = a
			a++
		}
		if b < endB {
			p.B = b
			b++
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// longest returns the matches of a longest common subsequence, in order.
func longest[T any](a, b []T, match func(a, b T) bool) []Pair {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > maxCells {
		return nil
	}
	// length[i][j] is the longest of a from i on and b from j on.
	width := len(b) + 1
	length := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if match(a[i], b[j]) {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	var pairs []Pair
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case match(a[i], b[j]):
			pairs = append(pairs, Pair{i, j, true})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
