package pgembed

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// aptInstall installs the distribution's package, without the cluster and the
// running server that it would otherwise set up.
func (m machine) aptInstall(ctx context.Context, log *slog.Logger) error {
	conf := filepath.Join(m.etc, "postgresql-common", "createcluster.conf")
	if err := writeNew(conf, "create_main_cluster = false\n"); err != nil {
		return err
	}
	return m.install(ctx, log, "postgresql")
}

// writeNew writes a file unless there is one.
func writeNew(path, text string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// aptUnpack downloads the distribution's package and unpacks it into the
// cache, which needs no rights and, done by root, cannot leave the machine's
// package database half-way. Shared libraries come from the system, or in
// the same way when it lacks them.
func (m machine) aptUnpack(ctx context.Context) error {
	return m.unpack("apt", func(dir string) error {
		a := apt{run: m.run, dir: dir}
		err := m.unpackServer(ctx, a)
		if err == nil || ctx.Err() != nil {
			return err
		}
		// Most images come without package lists, others with old ones.
		state := filepath.Join(m.cache, "apt-state")
		defer os.RemoveAll(state)
		if err := a.update(ctx, state); err != nil {
			return err
		}
		return m.unpackServer(ctx, a)
	})
}

// unpackServer succeeds once the server runs.
func (m machine) unpackServer(ctx context.Context, a apt) error {
	server, err := a.serverPackage(ctx)
	if err != nil {
		return err
	}
	if err := a.unpack(ctx, server); err != nil {
		return err
	}
	if m.works(ctx, a.dir) == nil {
		return nil
	}
	libraries, err := a.missingLibraries(ctx, server)
	if err != nil {
		return err
	}
	if err := a.unpack(ctx, libraries...); err != nil {
		return err
	}
	return m.works(ctx, a.dir)
}

// works runs both programs unpacked below root.
func (m machine) works(ctx context.Context, root string) error {
	dirs := glob(filepath.Join(root, "usr/lib/postgresql/*/bin"))
	if len(dirs) == 0 {
		return errors.New("the package holds no postgres")
	}
	for _, name := range []string{"postgres", "initdb"} {
		if _, err := m.run(ctx, step{env: libraryPath(root), name: filepath.Join(dirs[0], name), args: []string{"--version"}}); err != nil {
			return err
		}
	}
	return nil
}

// apt downloads and unpacks packages without installing them.
type apt struct {
	run     func(context.Context, step) (string, error)
	dir     string // where packages are unpacked
	options []string
}

func (a apt) apt(ctx context.Context, name string, args ...string) (string, error) {
	return a.run(ctx, step{dir: a.dir, name: name, args: append(slices.Clone(a.options), args...)})
}

// update fetches package lists of our own into state, for a machine that has
// none.
func (a *apt) update(ctx context.Context, state string) error {
	lists, archives := filepath.Join(state, "lists"), filepath.Join(state, "archives")
	for _, dir := range []string{lists, archives} {
		if err := os.MkdirAll(filepath.Join(dir, "partial"), 0o755); err != nil {
			return err
		}
	}
	a.options = []string{"-o", "Dir::State::lists=" + lists, "-o", "Dir::Cache=" + state, "-o", "Dir::Cache::archives=" + archives}
	_, err := a.apt(ctx, "apt-get", "update")
	return err
}

var dependsOnServer = regexp.MustCompile(`(?m)^\s*Depends: (postgresql-\d+)$`)

// serverPackage is the package behind the distribution's name for its default
// version: postgresql-15 behind postgresql.
func (a apt) serverPackage(ctx context.Context) (string, error) {
	out, err := a.apt(ctx, "apt-cache", "depends", "postgresql")
	if err != nil {
		return "", err
	}
	found := dependsOnServer.FindStringSubmatch(out)
	if found == nil {
		return "", errors.New("apt-cache: knows no postgresql package")
	}
	return found[1], nil
}

func (a apt) unpack(ctx context.Context, packages ...string) error {
	if _, err := a.apt(ctx, "apt-get", append([]string{"download"}, packages...)...); err != nil {
		return err
	}
	for _, deb := range glob(filepath.Join(a.dir, "*.deb")) {
		if _, err := a.run(ctx, step{dir: a.dir, name: "dpkg", args: []string{"-x", deb, a.dir}}); err != nil {
			return err
		}
		if err := os.Remove(deb); err != nil {
			return err
		}
	}
	return nil
}

// unneeded libraries serve what is switched off (compiling queries) or never
// used (PL/Perl), or replace one that is there, and weigh more than the server.
var unneeded = regexp.MustCompile(`^lib(llvm|z3|perl|elogind)`)

// missingLibraries are the library packages the server depends on, directly or
// not, that this machine does not have.
func (a apt) missingLibraries(ctx context.Context, server string) ([]string, error) {
	wanted, err := a.apt(ctx, "apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts",
		"--no-breaks", "--no-replaces", "--no-enhances", server)
	if err != nil {
		return nil, err
	}
	installed, err := a.run(ctx, step{name: "dpkg-query", args: []string{"-W", "-f", "${Package} ${db:Status-Status}\n"}})
	if err != nil {
		return nil, err
	}
	have := strings.Split(installed, "\n")
	var missing []string
	// Names of packages start a line; what they depend on is indented.
	for name := range strings.Lines(wanted) {
		name = strings.TrimRight(name, "\n")
		if strings.HasPrefix(name, "lib") && !unneeded.MatchString(name) && !slices.Contains(have, name+" installed") {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil, errors.New("apt-get: the downloaded postgres does not run, and no library is missing")
	}
	return missing, nil
}
