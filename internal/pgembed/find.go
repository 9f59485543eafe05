package pgembed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// minMajor is the oldest Postgres that has what the code here uses: DROP
// DATABASE WITH (FORCE) came with 13.
const minMajor = 13

// ErrNoPostgres means that this machine has no server binaries and that none
// could be fetched. An error that wraps it says in one line what to do.
var ErrNoPostgres = errors.New("no postgres server on this machine")

// binaries is a directory with initdb and postgres of one version.
type binaries struct {
	dir   string
	major int
	env   []string // what they need beyond the usual
}

// findBinaries returns the binaries to run a cluster of the given major
// version with, 0 for any. When the machine has none they are fetched, unless
// that is forbidden.
func findBinaries(ctx context.Context, m machine, major int, cfg Config) (binaries, error) {
	b, err := m.find(ctx, major)
	if !errors.Is(err, ErrNoPostgres) {
		return b, err
	}
	var tried []string
	if !cfg.Offline {
		cfg.Log.Warn("this machine has no postgres server: fetching one (once)")
		tried = m.fetch(ctx, cfg.Log)
		if b, err = m.find(ctx, major); !errors.Is(err, ErrNoPostgres) {
			return b, err
		}
	}
	return binaries{}, m.advise(tried)
}

// find looks through the candidates for one that runs the version.
func (m machine) find(ctx context.Context, major int) (binaries, error) {
	if dir := m.getenv("PG_BIN"); dir != "" {
		b, err := m.probe(ctx, binaries{dir: dir})
		if err == nil {
			err = versionError(major, []int{b.major})
		}
		if err != nil {
			//nolint:errorlint // whoever named one wants no other, so never ErrNoPostgres
			return binaries{}, fmt.Errorf("PG_BIN=%s: %v", dir, err)
		}
		return b, nil
	}
	var majors []int
	for _, c := range m.candidates(ctx) {
		b, err := m.probe(ctx, c)
		if err != nil {
			continue
		}
		if versionError(major, []int{b.major}) == nil {
			return b, nil
		}
		majors = append(majors, b.major)
	}
	return binaries{}, versionError(major, majors)
}

// versionError is nil when one of the versions found serves a cluster of the
// wanted one (0: any that is not too old).
func versionError(want int, found []int) error {
	var names []string
	for _, major := range found {
		if major == want || want == 0 && major >= minMajor {
			return nil
		}
		if name := strconv.Itoa(major); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(found) == 0:
		return ErrNoPostgres
	case want == 0:
		return fmt.Errorf("%w that is new enough: it has %s", ErrNoPostgres, strings.Join(names, ", "))
	default:
		return fmt.Errorf("the data was written by postgres %d and this machine has %s only: install postgresql-%d, or move the data with pg_dump",
			want, strings.Join(names, ", "), want)
	}
}

// candidates are the directories where server binaries may be, best first: the
// place the machine's own configuration names, packages by version, then
// whatever PATH leads to, and last what was fetched before.
func (m machine) candidates(ctx context.Context) []binaries {
	var dirs []string
	if out, err := m.run(ctx, step{name: "pg_config", args: []string{"--bindir"}}); err == nil {
		dirs = append(dirs, strings.TrimSpace(out))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", // Debian
		"/usr/pgsql-*/bin",          // Red Hat
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		dirs = append(dirs, newestFirst(m.glob(pattern))...)
	}
	// A link in PATH is followed: postgres finds its own files from where it
	// really is, and so do we.
	if path, err := m.lookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		dirs = append(dirs, filepath.Dir(path))
	}
	var all []binaries
	for _, dir := range dirs {
		all = append(all, binaries{dir: dir})
	}
	return append(all, m.fetched()...)
}

// newestFirst sorts paths that differ in a version by that version.
func newestFirst(paths []string) []string {
	return slices.SortedStableFunc(slices.Values(paths), func(a, b string) int { return versionIn(b) - versionIn(a) })
}

// versionIn is the major version in a path such as /usr/lib/postgresql/15/bin
// or postgresql@17: its last number.
func versionIn(path string) int {
	numbers := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(numbers[len(numbers)-1])
	return n
}

// probe asks a directory's postgres for its version, which also shows that it
// runs here; initdb has to be there and the server's account has to reach both.
func (m machine) probe(ctx context.Context, b binaries) (binaries, error) {
	if info, err := os.Stat(filepath.Join(b.dir, "initdb")); err != nil {
		return binaries{}, err
	} else if info.IsDir() {
		return binaries{}, &fs.PathError{Op: "run", Path: filepath.Join(b.dir, "initdb"), Err: errors.New("is a directory")}
	}
	if err := m.acct.checkReaches(b.dir); err != nil {
		return binaries{}, err
	}
	out, err := m.run(ctx, step{env: b.env, name: filepath.Join(b.dir, "postgres"), args: []string{"--version"}})
	if err != nil {
		return binaries{}, err
	}
	b.major, err = parseMajor(out)
	return b, err
}

// parseMajor reads "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)" and
// "postgres (PostgreSQL) 19beta1".
func parseMajor(out string) (int, error) {
	_, version, _ := strings.Cut(out, "(PostgreSQL) ")
	end := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if end <= 0 {
		return 0, fmt.Errorf("%q is no version of postgres", strings.TrimSpace(out))
	}
	return strconv.Atoi(version[:end])
}

// advise is the one line that helps: the choices and the command to type.
func (m machine) advise(tried []string) error {
	how := "install PostgreSQL"
	for _, manager := range []struct{ name, command string }{
		{"apt-get", "apt-get install postgresql"},
		{"dnf", "dnf install postgresql-server"},
		{"apk", "apk add postgresql"},
		{"pacman", "pacman -S postgresql"},
		{"brew", "brew install postgresql@17"},
	} {
		if _, err := m.lookPath(manager.name); err == nil {
			how = "type: " + manager.command
			if !m.root && manager.name != "brew" {
				how = "type: sudo " + manager.command
			}
			break
		}
	}
	err := fmt.Errorf("%w: %s; or set PG_BIN to a directory with initdb and postgres %d or newer, or DATABASE_URL to a server's postgres:// address",
		ErrNoPostgres, how, minMajor)
	if len(tried) > 0 {
		err = fmt.Errorf("%w (fetching did not work: %s)", err, strings.Join(tried, "; "))
	}
	return err
}
