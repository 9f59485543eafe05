package content

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"sync"
)

// A delta says how a body is made of the one before it: as often as there is something
// left, how many bytes come from the literals, and how many from the body before and
// where; before that comes a checksum, so that a delta of another body is found out. All literals together come last, so that they compress as one text.
const (
	// deltaBlock is how many bytes a repetition is found by.
	deltaBlock = 16
	// deltaTable bounds the places of the body before that are remembered, a power of two.
	deltaTable = 1 << 15
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errDelta = errors.New("a stored page does not fit the one before it")

// copies is what a delta says of one stretch: so many literals, then so many bytes of the
// body before from a place on.
type copies struct{ literals, from, length int }

// stretchesOf finds the stretches of a body that are in the one before.
func stretchesOf(body, previous []byte) (out []copies) {
	table := sync.OnceValue(func() *[deltaTable]int32 { return blocksOf(previous) })
	done := 0
	take := func(at, from int) int {
		for at > done && from > 0 && body[at-1] == previous[from-1] {
			at, from = at-1, from-1
		}
		length := common(body[at:], previous[from:])
		out, done = append(out, copies{at - done, from, length}), at+length
		return from + length
	}
	before := 0
	for at := 0; at+deltaBlock <= len(body); {
		if at == done {
			if skip, from := goOn(body[at:], previous, before); from >= 0 {
				before = take(at+skip, from)
				at = done
				continue
			}
		}
		from := int(table()[blockHash(body[at:])]) - 1
		if from < 0 || !bytes.Equal(body[at:at+deltaBlock], previous[from:from+deltaBlock]) {
			at++
			continue
		}
		before = take(at, from)
		at = done
	}
	if done < len(body) {
		out = append(out, copies{literals: len(body) - done})
	}
	return out
}

// A change is most often a short one, after which the body goes on as the one before did.
const (
	shortChange = 48
	goesOnFor   = 8
)

// goOn returns how many bytes of a body have changed until it goes on as the one before
// does from about the same place, and that place, -1 if it does not.
func goOn(body, previous []byte, at int) (skip, from int) {
	for skip = range min(shortChange, len(body)-goesOnFor+1) {
		want := binary.LittleEndian.Uint64(body[skip:])
		for _, other := range [...]int{0, 1, -1, 2, -2} { // more or fewer than there were
			from = at + skip + other
			if from >= at && from+goesOnFor <= len(previous) && binary.LittleEndian.Uint64(previous[from:]) == want {
				return skip, from
			}
		}
	}
	return 0, -1
}

// blocksOf remembers where, plus one, the blocks of a body begin, of equal ones the last.
func blocksOf(body []byte) *[deltaTable]int32 {
	var table [deltaTable]int32
	for at := 0; at+deltaBlock <= len(body); at += deltaBlock / 2 {
		table[blockHash(body[at:])] = int32(at + 1) //nolint:gosec // maxBlob bounds it
	}
	return &table
}

func blockHash(b []byte) uint32 {
	h := (binary.LittleEndian.Uint64(b) ^ binary.LittleEndian.Uint64(b[8:])*0xC2B2AE3D27D4EB4F) * 0x9E3779B185EBCA87
	return uint32(h>>40) & (deltaTable - 1)
}

// common is how many bytes two bodies begin with in common.
func common(a, b []byte) (n int) {
	most := min(len(a), len(b))
	for n+8 <= most && binary.LittleEndian.Uint64(a[n:]) == binary.LittleEndian.Uint64(b[n:]) {
		n += 8
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// makeDelta returns the delta of a body.
func makeDelta(body, previous []byte) []byte {
	stretches := stretchesOf(body, previous)
	out := binary.AppendUvarint(make([]byte, 0, 1024), uint64(len(body)))
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(body, castagnoli))
	at, shift := 0, 0
	for _, c := range stretches {
		out = binary.AppendUvarint(out, uint64(c.literals)) //nolint:gosec // lengths
		at += c.literals
		if out = binary.AppendUvarint(out, uint64(c.length)); c.length > 0 {
			out = binary.AppendVarint(out, int64(c.from-at-shift))
			at, shift = at+c.length, c.from-at
		}
	}
	at = 0
	for _, c := range stretches {
		out = append(out, body[at:at+c.literals]...)
		at += c.literals + c.length
	}
	return out
}

// applyDelta makes the body again.
func applyDelta(delta, previous []byte) ([]byte, error) {
	r := deltaReader{rest: delta}
	size, sum := r.length(maxBlob), r.sum()
	var stretches []copies
	for at, shift := 0, 0; at < size && r.err == nil; {
		c := copies{literals: r.length(size - at)}
		at += c.literals
		if c.length = r.length(size - at); c.length > 0 {
			c.from = r.place(at+shift, len(previous)-c.length)
			at, shift = at+c.length, c.from-at
		}
		if c.literals+c.length == 0 {
			return nil, errDelta
		}
		stretches = append(stretches, c)
	}
	if r.err != nil {
		return nil, r.err
	}
	body, literals := make([]byte, 0, size), r.rest
	for _, c := range stretches {
		if c.literals > len(literals) {
			return nil, errDelta
		}
		body = append(append(body, literals[:c.literals]...), previous[c.from:c.from+c.length]...)
		literals = literals[c.literals:]
	}
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, errDelta
	}
	return body, nil
}

type deltaReader struct {
	rest []byte
	err  error
}

// sum reads the checksum of the body.
func (r *deltaReader) sum() uint32 {
	if r.err != nil || len(r.rest) < 4 {
		r.err = errDelta
		return 0
	}
	sum := binary.LittleEndian.Uint32(r.rest)
	r.rest = r.rest[4:]
	return sum
}

// length reads a number that is at most a bound.
func (r *deltaReader) length(most int) int {
	n, size := binary.Uvarint(r.rest)
	return r.checked(int64(min(n, 2*maxBlob)), size, most) //nolint:gosec // bounded
}

// place reads a number that is told by its distance from where it is expected.
func (r *deltaReader) place(expected, most int) int {
	n, size := binary.Varint(r.rest)
	return r.checked(int64(expected)+max(min(n, 2*maxBlob), -2*maxBlob), size, most)
}

func (r *deltaReader) checked(n int64, size, most int) int {
	if r.err != nil || size <= 0 || n < 0 || n > int64(most) {
		r.err = errDelta
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}
