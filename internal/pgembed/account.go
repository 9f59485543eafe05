package pgembed

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
)

// account is who the server runs as: this process's own user or, for root
// (which Postgres refuses to serve), another.
type account struct {
	name     string
	uid, gid int
	// other is set when it is not the account of this process.
	other bool
}

// serverAccount chooses the account for a data directory, for good: an account
// postgres may come with a package after the first start. For root that is the
// owner of the cluster or, before there is one, of the directory; for a new one
// postgres where the package made it, else nobody, which exists everywhere.
func serverAccount(d dataDir) (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	if uid := ownerNotRoot(d.cluster()); uid != 0 {
		u, err := user.LookupId(strconv.Itoa(uid))
		if err != nil {
			return account{}, fmt.Errorf("find the owner of %s: %w", d.cluster(), err)
		}
		return otherAccount(u)
	}
	if uid := ownerNotRoot(d.root); uid != 0 {
		// One without a name (a volume mounted from elsewhere) keeps nothing yet.
		if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			return otherAccount(u)
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return otherAccount(u)
		}
	}
	return account{}, errors.New("postgres refuses to run as root and there is neither an account postgres nor nobody: set DATABASE_URL or run as another user")
}

// ownerNotRoot is the owner of a directory, 0 when that is root or there is no
// such directory.
func ownerNotRoot(dir string) (uid int) {
	if info, err := os.Stat(dir); err == nil {
		uid, _ = ownerOf(info)
	}
	return uid
}

func otherAccount(u *user.User) (account, error) {
	uid, uidErr := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return account{}, fmt.Errorf("account %s: %w", u.Username, err)
	}
	return account{name: u.Username, uid: uid, gid: gid, other: true}, nil
}

// adopt gives a file to the account, so that its own later Start may use it.
func (a account) adopt(f *os.File) error {
	if !a.other {
		return nil
	}
	return f.Chown(a.uid, a.gid)
}

// makePrivate gives the directory to the account, closed to everyone else.
func (a account) makePrivate(dir string) error {
	if a.other {
		if err := os.Chown(dir, a.uid, a.gid); err != nil {
			return fmt.Errorf("give %s to account %s: %w", dir, a.name, err)
		}
	}
	// Fails, as it should, when the directory is somebody else's.
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("make %s private: %w", dir, err)
	}
	return nil
}

// checkOwns wants a directory, no link to one, that belongs to the account or
// to this process's user.
func (a account) checkOwns(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ownedBy(info, a.uid) && !ownedBy(info, os.Geteuid()) {
		return fmt.Errorf("%s is not a directory of uid %d: remove it", dir, a.uid)
	}
	return nil
}

// checkReaches says which directory on the way to dir the account may not
// enter: a file below root's 0700 home, for one, is beyond account postgres.
func (a account) checkReaches(dir string) error {
	if !a.other {
		return nil
	}
	for d := dir; ; d = filepath.Dir(d) {
		info, err := os.Stat(d)
		if err != nil {
			return err
		}
		if !a.enters(info) {
			return fmt.Errorf("account %s, which runs postgres, may not enter %s (mode %04o)", a.name, d, info.Mode().Perm())
		}
		if d == filepath.Dir(d) {
			return nil
		}
	}
}

// enters goes by the mode bits for others and for the owner; groups would be
// an exception nobody should have to know of.
func (a account) enters(dir os.FileInfo) bool {
	if ownedBy(dir, a.uid) {
		return dir.Mode().Perm()&0o100 != 0
	}
	return dir.Mode().Perm()&0o001 != 0
}

func ownedBy(info os.FileInfo, uid int) bool {
	owner, ok := ownerOf(info)
	return ok && owner == uid
}
