package verdicts

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Recorded is one case as it was driven: a line of RecordedFile.
type Recorded struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Page     string `json:"page"`
	Split    string `json:"split"`
	Language string `json:"language"`
	Goal     string `json:"goal"`
	Thought  string `json:"thought,omitempty"`
	Action   string `json:"action"` // in the action language
	Worked   bool   `json:"worked"` // as the page itself told
	// Before and Request are the bodies of the two interact requests around the
	// action, as a client sends them.
	Before  json.RawMessage `json:"before"`
	Request json.RawMessage `json:"request"`
}

// ID names the case within its set: "train/shop/save".
func (r Recorded) ID() string { return r.Split + "/" + r.Page + "/" + r.Name }

// Recorded returns the page's recorded cases, none if it was never recorded.
func (p Page) Recorded() ([]Recorded, error) {
	packed, err := os.ReadFile(filepath.Join(p.Dir, RecordedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", p.ID(), RecordedFile, err)
	}
	var out []Recorded
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var r Recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s/%s, line %d: %w", p.ID(), RecordedFile, len(out)+1, err)
		}
		out = append(out, r)
	}
	return out, lines.Err()
}

// Keep writes what was recorded of the page. The same cases give the same bytes,
// as long as the compression library stays the same.
func (p Page) Keep(all []Recorded) error {
	var text bytes.Buffer
	if err := WriteLines(&text, all); err != nil {
		return err
	}
	packed, err := pack(text.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.Dir, RecordedFile), packed, 0o644) //nolint:gosec // a file of the repository
}

// WriteLines writes cases as JSON, a case a line: the uncompressed content of
// RecordedFile.
func WriteLines(w io.Writer, all []Recorded) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // a document is all angle brackets
	for _, r := range all {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// pack compresses with one goroutine and a fixed level, so that nothing but the
// text decides on the bytes. A page is packed once and read often: the level is
// the best there is.
func pack(text []byte) ([]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return nil, err
	}
	defer func() { _ = enc.Close() }() // it writes nowhere
	return enc.EncodeAll(text, nil), nil
}

// unpack is the opposite of pack; damaged bytes are an error.
func unpack(packed []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(packed, nil)
}
