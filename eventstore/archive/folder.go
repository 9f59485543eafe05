package archive

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// folder is a place in a file system.
type folder struct{ root string }

func newFolder(root string) *folder { return &folder{root: filepath.Clean(root)} }

// String implements Place.
func (f *folder) String() string { return f.root }

// unfinished begins the names of files that are being written. No object has such a name.
const unfinished = ".new-"

var objectName = regexp.MustCompile(`^\.?[A-Za-z0-9_-][A-Za-z0-9_.-]*(/\.?[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$`)

func checkName(name string) error {
	if !objectName.MatchString(name) {
		return errors.New("this is no name of an object")
	}
	return nil
}

// path is that of an object in the file system.
func (f *folder) path(name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	return filepath.Join(f.root, filepath.FromSlash(name)), nil
}

// Put implements Place: the file gets its name once it is on the disk, and the name is on the disk before Put
// returns.
func (f *folder) Put(ctx context.Context, name string, content []byte) error {
	_, err := f.do(ctx, "write", name, func(path string) ([]byte, error) { return nil, f.write(path, content) })
	return err
}

func (f *folder) write(path string, content []byte) error {
	if err := f.makeFolders(filepath.Dir(path)); err != nil {
		return err
	}
	w, err := os.CreateTemp(filepath.Dir(path), unfinished+"*")
	if err != nil {
		return err
	}
	defer os.Remove(w.Name()) // there no more, but after an error
	if err := writeThrough(w, content); err != nil {
		return err
	}
	if err := os.Rename(w.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// makeFolders makes the folders between the root and an object, so that they outlive a crash. The root
// itself is not made: where it is missing, so is most likely what should be mounted there.
func (f *folder) makeFolders(path string) error {
	if path == f.root {
		return nil
	}
	if err := f.makeFolders(filepath.Dir(path)); err != nil {
		return err
	}
	switch err := os.Mkdir(path, 0o750); {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func writeThrough(w *os.File, content []byte) error {
	_, err := w.Write(content)
	// As its folder: others of the group, who copy it or look after it, may read it.
	return errors.Join(err, w.Chmod(0o640), w.Sync(), w.Close())
}

// syncFolder puts the names in a folder on the disk.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Get implements Place.
func (f *folder) Get(ctx context.Context, name string) ([]byte, error) {
	return f.do(ctx, "read", name, os.ReadFile)
}

// Remove implements Place.
func (f *folder) Remove(ctx context.Context, name string) error {
	_, err := f.do(ctx, "remove", name, func(path string) ([]byte, error) {
		switch err := os.Remove(path); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return nil, syncFolder(filepath.Dir(path))
	})
	return err
}

// List implements Place. Files that were left by a Put that did not come to its end are listed too, so that they
// are found and removed: by the name they have.
func (f *folder) List(ctx context.Context, prefix string, yield func(Object) bool) error {
	_, err := f.walk(ctx, "", prefix, yield)
	if err != nil && ctx.Err() == nil {
		return &Error{Op: "list", Place: f.root, Name: prefix, Cause: bare(err)}
	}
	return err
}

// walk lists a folder and those below it, in the order of the objects' names: "a-b" is before "a/b", so a folder
// counts by its name with the slash. It reports whether yield wants more.
func (f *folder) walk(ctx context.Context, below, prefix string, yield func(Object) bool) (goOn bool, err error) {
	entries, err := os.ReadDir(filepath.Join(f.root, filepath.FromSlash(below)))
	if errors.Is(err, fs.ErrNotExist) && below != "" {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	name := func(e fs.DirEntry) string {
		if e.IsDir() {
			return below + e.Name() + "/"
		}
		return below + e.Name()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(name(a), name(b)) })
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		switch n := name(e); {
		case e.IsDir() && (strings.HasPrefix(n, prefix) || strings.HasPrefix(prefix, n)):
			if goOn, err := f.walk(ctx, n, prefix, yield); err != nil || !goOn {
				return false, err
			}
		case e.Type().IsRegular() && strings.HasPrefix(n, prefix):
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // removed meanwhile
			}
			if err != nil {
				return false, err
			}
			if !yield(Object{Name: n, Size: info.Size(), WrittenAt: info.ModTime()}) {
				return false, nil
			}
		}
	}
	return true, nil
}

// do makes a call with an object's path, in time: a file system that hangs, as one of the network may, keeps a goroutine
// and not its caller.
func (f *folder) do(ctx context.Context, op, name string, call func(path string) ([]byte, error)) ([]byte, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, &Error{Op: op, Place: f.root, Name: name, Cause: err}
	}
	if err := ctx.Err(); err != nil {
		return nil, &Error{Op: op, Place: f.root, Name: name, Cause: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, callWithin, errSlow)
	defer cancel()
	type answer struct {
		content []byte
		err     error
	}
	done := make(chan answer, 1)
	go func() {
		content, err := call(path)
		done <- answer{content, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		a.err = context.Cause(ctx)
	}
	if a.err != nil {
		return nil, &Error{Op: op, Place: f.root, Name: name, Cause: bare(a.err)}
	}
	return a.content, nil
}

// bare leaves the path out of an error, which names the object already, and says ErrNotFound for what is missing.
func bare(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
