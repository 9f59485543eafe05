// Package packed compresses the recordings that are committed, with zstd. The same
// content gives the same bytes with the same version of the library. It reads whole
// files: what a file unpacks to is bounded, and held in memory.
package packed

import (
	"bytes"

	"github.com/klauspost/compress/zstd"
)

// Most is how long the content of a file may be.
const Most = 1 << 30

// Pack compresses with one goroutine and a fixed level, so that nothing but the content
// decides on the bytes. A recording is packed once and read often: the level is the best
// there is.
func Pack(content []byte) ([]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return nil, err
	}
	defer func() { _ = enc.Close() }() // it writes nowhere
	return enc.EncodeAll(content, nil), nil
}

// Unpack is the opposite of Pack. Damaged bytes, and those of a content longer than Most,
// are an error.
func Unpack(file []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(Most))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(file, nil)
}

// Is reports whether a file begins as one that is packed.
func Is(file []byte) bool { return bytes.HasPrefix(file, []byte{0x28, 0xb5, 0x2f, 0xfd}) }
