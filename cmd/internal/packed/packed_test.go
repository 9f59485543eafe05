package packed_test

import (
	"bytes"
	"testing"

	"github.com/stepledger/stepledger/cmd/internal/packed"
)

func TestPack(t *testing.T) {
	t.Parallel()
	for _, content := range [][]byte{nil, []byte("<html>"), bytes.Repeat([]byte("Jas "), 10_000)} {
		file, err := packed.Pack(content)
		if err != nil {
			t.Fatal(err)
		}
		again, err := packed.Unpack(file)
		if err != nil || !bytes.Equal(again, content) {
			t.Errorf("%d bytes come back as %d: %v", len(content), len(again), err)
		}
		if len(content) == 0 {
			continue
		}
		if !packed.Is(file) || packed.Is(content) {
			t.Error("what is packed cannot be told from what is not")
		}
		if _, err := packed.Unpack(file[:len(file)-1]); err == nil {
			t.Error("a cut file is read")
		}
	}
}
