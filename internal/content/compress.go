package content

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	// chainLength is the number of pages in a chain, the most a read has to decode.
	chainLength = 8
	// dictionaryID marks a frame compressed against the blob before it.
	dictionaryID = 1
	// maxBlob is the largest blob, uncompressed. It is larger than any body the API
	// accepts.
	maxBlob = 64 << 20
	// maxCompressWindow bounds the memory of one compression; it holds a large page
	// twice.
	maxCompressWindow = 4 << 20
)

// errBlobTooLarge is returned for a blob larger than the API accepts.
var errBlobTooLarge = errors.New("blob is larger than the store takes")

// plainEncoder is shared: EncodeAll is safe for concurrent use.
var plainEncoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(maxCompressWindow))
})

func compress(body, previous []byte) ([]byte, error) {
	if len(body) > maxBlob {
		return nil, errBlobTooLarge
	}
	if previous == nil {
		enc, err := plainEncoder()
		if err != nil {
			return nil, err
		}
		return enc.EncodeAll(body, nil), nil
	}
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(window(len(body)+len(previous))),
		zstd.WithEncoderDictRaw(dictionaryID, previous))
	if err != nil {
		return nil, fmt.Errorf("compress against the page before: %w", err)
	}
	defer enc.Close()
	return enc.EncodeAll(body, nil), nil
}

// window is the power of two that lets a body refer to all of its dictionary.
func window(need int) int {
	w := zstd.MinWindowSize
	for w < need && w < maxCompressWindow {
		w *= 2
	}
	return w
}

func decompress(packed, previous []byte) ([]byte, error) {
	opts := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlob)}
	if previous != nil {
		opts = append(opts, zstd.WithDecoderDictRaw(dictionaryID, previous))
	}
	dec, err := zstd.NewReader(nil, opts...)
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(packed, nil)
}
