package content

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/stepledger/stepledger/domain"
)

const (
	// chainLength is the number of pages in a chain, the most a read has to decode.
	chainLength = 8
	// maxBlob is the largest blob, uncompressed. It is larger than any body the API
	// accepts.
	maxBlob = 64 << 20
	// maxCompressWindow bounds the memory of one compression; it holds a large page
	// twice.
	maxCompressWindow = 4 << 20
)

// A blob is a frame of zstd, or a byte that says in which form it is and what that form has.
// Forms are counted up, and no frame begins with the byte of one: what begins with neither is
// of a newer version of the program.
const (
	// deltaFormat: the frame holds a delta against the blob before.
	deltaFormat = 1
	// newestFormat is the newest form that this version reads.
	newestFormat = deltaFormat
)

// frameStart begins every frame of zstd.
const frameStart = 0x28

// dictionaryID marks a frame compressed with the blob before as a dictionary, as pages were
// before there were deltas. It takes an encoder of its own, some 2 MB, for every page.
const dictionaryID = 1

// errBlobTooLarge is returned for a blob larger than the API accepts.
var errBlobTooLarge = errors.New("blob is larger than the store takes")

// encoder and decoder are shared: EncodeAll and DecodeAll are safe for concurrent use. More
// effort would save a hundredth of a page and take half as long again.
var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(maxCompressWindow))
	})
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(2*maxBlob))
	})
)

// compress packs a body, against the one before it if that is not nil.
func compress(body, previous []byte) ([]byte, error) {
	if len(body) > maxBlob {
		return nil, errBlobTooLarge
	}
	enc, err := encoder()
	if err != nil {
		return nil, err
	}
	if previous == nil {
		return enc.EncodeAll(body, nil), nil
	}
	return enc.EncodeAll(makeDelta(body, previous), []byte{deltaFormat}), nil
}

// decompress unpacks a blob. The error is a domain.Newer where it is in a form of a newer
// version.
func decompress(packed, previous []byte) ([]byte, error) {
	if len(packed) > 0 && packed[0] > newestFormat && packed[0] != frameStart {
		return nil, domain.Newer(fmt.Sprintf("stored content in form %d", packed[0]))
	}
	if len(packed) > 0 && packed[0] == deltaFormat {
		delta, err := unframe(packed[1:])
		if err != nil {
			return nil, err
		}
		return applyDelta(delta, previous)
	}
	if previous == nil {
		return unframe(packed)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlob), zstd.WithDecoderDictRaw(dictionaryID, previous))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(packed, nil)
}

func unframe(frame []byte) ([]byte, error) {
	dec, err := decoder()
	if err != nil {
		return nil, err
	}
	return dec.DecodeAll(frame, nil)
}
