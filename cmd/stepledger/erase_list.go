package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stepledger/stepledger/domain/erasure"
)

// erasureList is the list of erasures outside the database: a file of JSON lines, which
// only grows. It holds ids, and no personal data. Several processes may add to it.
type erasureList struct{ path string }

// Add implements commands.ErasureList.
func (l erasureList) Add(_ context.Context, entries ...erasure.Listed) error {
	known, err := l.read()
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	for _, e := range known {
		listed[e.Erasure] = true
	}
	var lines []byte
	for _, e := range entries {
		if listed[e.Erasure] {
			continue
		}
		listed[e.Erasure] = true
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	if len(lines) == 0 {
		return nil
	}
	return l.append(lines)
}

// append adds lines and flushes them. A line that a crash has torn is ended first.
func (l erasureList) append(lines []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if size, err := f.Seek(0, io.SeekEnd); err != nil {
		return err
	} else if size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	if _, err := f.Write(lines); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(l.path))
}

// syncDir makes a new file's name durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// read returns the entries; there are none without a file.
func (l erasureList) read() ([]erasure.Listed, error) {
	b, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of erasures: %w", err)
	}
	return readListed(b, l.path)
}

// readListed reads lines. One that a crash has torn belongs to an erasure that the log
// knows of: it is listed again when that goes on.
func readListed(b []byte, name string) (out []erasure.Listed, err error) {
	for i, line := range bytes.Split(b, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[len(line)-1] != '}' {
			continue
		}
		var e erasure.Listed
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, i+1, err)
		}
		if e.Erasure != erasure.ID(e.Tenant, e.Kind, e.Subject) {
			return nil, fmt.Errorf("%s, line %d: the id is not that of an erasure of %s %s", name, i+1, e.Kind, e.Subject)
		}
		out = append(out, e)
	}
	return out, nil
}
