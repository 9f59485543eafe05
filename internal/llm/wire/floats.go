package wire

import (
	"bytes"
	"encoding/json"
)

// Floats reads a list of numbers, nil if it is none or has something else in it, which
// includes what was NaN on the wire.
func Floats(raw json.RawMessage) []float32 {
	var out []float32
	if bytes.Contains(raw, []byte("null")) || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}
