package pgembed

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// minAge is how old a directory without an owner has to be: one that is
// younger may have been made but not yet locked.
const minAge = time.Minute

// RemoveAbandoned removes the data directories matching a glob pattern whose
// owner and server are gone, and returns how many. Directories younger than a
// minute are left alone, and all of them while another process of this user is
// removing some: both would take locks inside what the other removes.
func RemoveAbandoned(pattern string) (int, error) {
	if err := makeWay(cacheDir()); err != nil {
		return 0, err
	}
	lock, err := tryLock(filepath.Join(cacheDir(), "abandoned"))
	if err != nil || lock == nil {
		return 0, err
	}
	defer lock.Close()
	roots, err := filepath.Glob(pattern)
	if err != nil {
		return 0, err
	}
	var removed int
	var errs []error
	for _, root := range roots {
		ok, err := removeAbandoned(root)
		errs = append(errs, err)
		if ok {
			removed++
		}
	}
	return removed, errors.Join(errs...)
}

func removeAbandoned(root string) (bool, error) {
	info, err := os.Lstat(root)
	if err != nil || !info.IsDir() || time.Since(info.ModTime()) < minAge {
		return false, nil
	}
	dir := dataDir{root: root, socketDir: socketPlace(root)}
	lock, err := tryLock(dir.lockFile())
	if err != nil || lock == nil {
		return false, err
	}
	defer lock.Close()
	if serverIn(dir.cluster()) != 0 {
		return false, nil
	}
	return true, dir.remove()
}
