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

	"github.com/stepledger/stepledger/cmd/internal/packed"
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
	file, err := os.ReadFile(filepath.Join(p.Dir, RecordedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := packed.Unpack(file)
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
	file, err := packed.Pack(text.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.Dir, RecordedFile), file, 0o644) //nolint:gosec // a file of the repository
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
