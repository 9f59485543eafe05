package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keep reads a generated secret, generating it on first use. Of two concurrent
// processes one generates it and both get the same.
func keep(dir, name string, draw func() string) (string, error) {
	path := filepath.Join(dir, name)
	if b, err := os.ReadFile(path); err == nil {
		return strings.TrimSpace(string(b)), nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := create(path, draw()); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	b, err := os.ReadFile(path)
	return strings.TrimSpace(string(b)), err
}

// create writes a file whole or not at all, and never over another.
func create(path, text string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.WriteString(text + "\n"); err != nil {
		return err
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Link(tmp.Name(), path) // fails with ErrExist when another was first
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails since Go 1.24
	return b
}
