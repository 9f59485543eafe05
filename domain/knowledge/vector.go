package knowledge

import (
	"encoding/binary"
	"math"
)

// AppendVector appends a vector to bytes: 32-bit floats, little-endian.
func AppendVector(to []byte, vector []float32) []byte {
	for _, x := range vector {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
	}
	return to
}

// Vector reads a vector from bytes that AppendVector made.
func Vector(from []byte) []float32 {
	out := make([]float32, len(from)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:]))
	}
	return out
}
