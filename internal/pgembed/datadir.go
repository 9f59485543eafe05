package pgembed

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxSocketPath is the longest socket path every supported system takes: 107
// bytes on Linux, 103 on macOS and the BSDs.
const maxSocketPath = 103

// dataDir is where one server lives:
//
//	stepledger.lock  held by the owner; the server's pid once it is ready
//	pgdata/          the cluster, made by initdb
//	run/             the socket
//	postgres.log     what the server says of itself
//
// The directory is of mode 0700 and belongs to the account of the server.
type dataDir struct {
	root      string
	socketDir string
	acct      account // known to the owner of the lock
}

// lockName also marks the directory as made by Start.
const lockName = "stepledger.lock"

func (d dataDir) lockFile() string { return filepath.Join(d.root, lockName) }
func (d dataDir) cluster() string  { return filepath.Join(d.root, "pgdata") }
func (d dataDir) logFile() string  { return filepath.Join(d.root, "postgres.log") }

// openDataDir finds the directory, or creates it, and sees that it is not
// somebody else's.
func openDataDir(root string) (dataDir, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return dataDir{}, err
	}
	if err := makeWay(filepath.Dir(root)); err != nil {
		return dataDir{}, fmt.Errorf("create data directory: %w", err)
	}
	if err := os.Mkdir(root, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return dataDir{}, fmt.Errorf("create data directory: %w", err)
	}
	// The kernel reports the server's working directory without symlinks.
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return dataDir{}, fmt.Errorf("open data directory: %w", err)
	}
	d := dataDir{root: root, socketDir: socketPlace(root)}
	return d, d.checkOurs()
}

// claim gives the directory to the account of the server and closes it to
// everyone else. Only the owner of the lock may: another process could work
// there as another account.
func (d dataDir) claim(lock *os.File) (dataDir, error) {
	acct, err := serverAccount(d)
	if err != nil {
		return dataDir{}, err
	}
	if err := acct.checkReaches(filepath.Dir(d.root)); err != nil {
		return dataDir{}, err
	}
	d.acct = acct
	return d, errors.Join(acct.makePrivate(d.root), acct.adopt(lock), d.announce(lock, 0), d.openSocketDir())
}

// makeWay creates the directories that are missing on the way to dir and dir
// itself; for root, whose server runs as another account, so that everyone may
// enter whatever the umask is.
func makeWay(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := makeWay(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chmod(dir, 0o755)
}

// checkOurs refuses a directory with contents that Start did not put there,
// since its owner and mode are about to change. The lock file is the first
// thing Start makes.
func (d dataDir) checkOurs() error {
	entries, err := os.ReadDir(d.root)
	if err != nil {
		return fmt.Errorf("open data directory: %w", err)
	}
	for _, e := range entries {
		if e.Name() == lockName {
			return nil
		}
	}
	if len(entries) > 0 {
		return fmt.Errorf("data directory %s is neither empty nor made by stepledger: choose another", d.root)
	}
	return nil
}

// socketPlace is the directory of the socket: below the root or, when that
// path is too long or has a character that lists of hosts give a meaning, one
// in /tmp named after it.
func socketPlace(root string) string {
	dir := filepath.Join(root, "run")
	if len(dir)+len("/.s.PGSQL.5432") <= maxSocketPath && !strings.ContainsAny(dir, `,"`) {
		return dir
	}
	sum := sha256.Sum256([]byte(root))
	return fmt.Sprintf("/tmp/stepledger-%x", sum[:8])
}

// openSocketDir makes the directory of the socket. Only the owner of the lock
// may.
func (d dataDir) openSocketDir() error {
	if _, err := os.Stat(d.cluster()); errors.Is(err, fs.ErrNotExist) && filepath.Dir(d.socketDir) == d.root {
		// A start that failed may have left one of another account.
		if err := os.RemoveAll(d.socketDir); err != nil {
			return fmt.Errorf("create socket directory: %w", err)
		}
	}
	if err := os.Mkdir(d.socketDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create socket directory: %w", err)
	}
	// In /tmp anybody could have made it first.
	if err := d.acct.checkOwns(d.socketDir); err != nil {
		return fmt.Errorf("socket directory: %w", err)
	}
	return d.acct.makePrivate(d.socketDir)
}

// major is the major version of the cluster, 0 when there is none yet. A
// cluster that does not tell its version is damaged, never absent.
func (d dataDir) major() (int, error) {
	if _, err := os.Stat(d.cluster()); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	b, err := os.ReadFile(filepath.Join(d.cluster(), "PG_VERSION"))
	if err != nil {
		return 0, fmt.Errorf("the cluster is damaged: %w", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0, fmt.Errorf("the cluster is damaged: PG_VERSION: %w", err)
	}
	return n, nil
}

// remove removes the server's files.
func (d dataDir) remove() error {
	return errors.Join(os.RemoveAll(d.root), os.RemoveAll(d.socketDir))
}

// announce writes the pid of a server that is ready into the lock file; 0
// takes it back. A process that cannot get the lock joins announced servers
// only, never one left over by a dead owner.
func (d dataDir) announce(lock *os.File, pid int) error {
	if err := lock.Truncate(0); err != nil {
		return fmt.Errorf("write %s: %w", lock.Name(), err)
	}
	if pid == 0 {
		return nil
	}
	if _, err := lock.WriteAt([]byte(strconv.Itoa(pid)+"\n"), 0); err != nil {
		return fmt.Errorf("write %s: %w", lock.Name(), err)
	}
	return nil
}

// announced reads what announce wrote.
func (d dataDir) announced() (pid int, ok bool) {
	b, err := os.ReadFile(d.lockFile())
	if err != nil {
		return 0, false
	}
	text, whole := strings.CutSuffix(string(b), "\n")
	pid, err = strconv.Atoi(text)
	return pid, whole && err == nil
}

// DefaultDataDir is where a user's private server is kept by default: below /var/lib
// for root (whose home no other account may enter), else below the user's data
// directory. Temporary directories are unsuitable, since many systems delete files
// that were not used for a month.
func DefaultDataDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/stepledger/postgres"
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "stepledger", "postgres")
	}
	home, err := os.UserHomeDir()
	if info, statErr := os.Stat(home); err == nil && statErr == nil && ownedBy(info, os.Geteuid()) {
		return filepath.Join(home, ".local", "share", "stepledger", "postgres")
	}
	return fmt.Sprintf("/var/tmp/stepledger-%d", os.Geteuid())
}
