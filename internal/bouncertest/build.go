package bouncertest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stepledger/stepledger/internal/debian"
)

// buildWithin bounds the build, which takes a quarter of a minute of a core, and fetching
// what it takes.
const buildWithin = 6 * time.Minute

// Suite is the one of Debian whose source is built, for all releases before it.
const suite = "trixie"

// program finds or builds PgBouncer, once for this process.
var program = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), buildWithin)
	defer cancel()
	path, err := find(ctx)
	if err != nil {
		return "", fmt.Errorf("install pgbouncer 1.21 or newer: this machine has none, and none can be built here: %w", err)
	}
	return path, nil
})

// find prefers what is installed to what was built, and builds where there is neither.
func find(ctx context.Context) (path string, err error) {
	for _, path := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if keepsStatements(ctx, path) {
			return path, nil
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	built := filepath.Join(cache, "stepledger", "pgbouncer-"+suite)
	if keepsStatements(ctx, built) {
		return built, nil
	}
	if os.Geteuid() != 0 {
		return "", errors.New("only root can install what it takes")
	}
	return built, buildOnce(ctx, built)
}

// buildOnce builds in one process at a time: the others find it done.
func buildOnce(ctx context.Context, target string) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(target+".lock", os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	if keepsStatements(ctx, target) {
		return nil
	}
	return build(ctx, target)
}

var versionOf = regexp.MustCompile(`PgBouncer (\d+)\.(\d+)`)

// keepsStatements reports whether a program is a PgBouncer that keeps prepared statements
// for its clients.
func keepsStatements(ctx context.Context, path string) bool {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	found := versionOf.FindSubmatch(out)
	if err != nil || found == nil {
		return false
	}
	major, _ := strconv.Atoi(string(found[1])) // it is digits
	minor, _ := strconv.Atoi(string(found[2]))
	return major > 1 || major == 1 && minor >= 21
}

// build fetches the source package and makes the program, which comes into its place whole.
func build(ctx context.Context, target string) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	log.Warn("this machine has no PgBouncer that keeps prepared statements: building one (once)", "for", target)
	if err := debian.Install(ctx, log, "gcc", "libc6-dev", "make", "pkg-config", "libevent-dev"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pgbouncer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := fetch(ctx, dir); err != nil {
		return err
	}
	for _, step := range [][]string{
		{"./configure", "--without-cares", "--without-openssl", "--without-systemd", "CFLAGS=-O1"},
		{"make", "-j2", "pgbouncer"},
		{"install", "-D", "-m", "755", "pgbouncer", target + ".new"},
		{"mv", target + ".new", target},
	} {
		if err := runIn(ctx, filepath.Join(dir, "source"), step...); err != nil {
			return err
		}
	}
	return nil
}

// fetch downloads and unpacks the source with package lists of its own: those of the
// machine stay those of its release.
func fetch(ctx context.Context, dir string) error {
	archive, err := archive(ctx)
	if err != nil {
		return err
	}
	list := "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] " + archive + " " + suite + " main\n"
	for _, path := range []string{"lists/partial", "archives/partial", "source"} {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "sources.list"), []byte(list), 0o644); err != nil {
		return err
	}
	apt := []string{
		"apt-get", "-q", "-o", "Dir::Etc::sourcelist=" + filepath.Join(dir, "sources.list"), "-o", "Dir::Etc::sourceparts=/dev/null",
		"-o", "Dir::State::lists=" + filepath.Join(dir, "lists"), "-o", "Dir::Cache=" + dir, "-o", "APT::Sandbox::User=root",
	}
	for _, step := range [][]string{
		append(apt[:len(apt):len(apt)], "update"),
		append(apt[:len(apt):len(apt)], "source", "--download-only", "pgbouncer"),
		{"sh", "-c", "tar -xf pgbouncer_*.orig.tar.gz --strip-components=1 -C source"},
	} {
		if err := runIn(ctx, dir, step...); err != nil {
			return err
		}
	}
	return nil
}

// archive is where the machine has Debian's packages from, whichever release.
func archive(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").Output()
	if err != nil {
		return "", fmt.Errorf("the source comes from Debian by apt-get, which does not say where packages come from: %w", err)
	}
	for uri := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(strings.TrimSuffix(uri, "/"), "/debian") {
			return uri, nil
		}
	}
	return "", errors.New("the source comes from Debian, whose archive is not among this machine's package sources (apt-get indextargets)")
}

func runIn(ctx context.Context, dir string, command ...string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, strings.Join(lines[max(0, len(lines)-5):], "; "))
	}
	return nil
}
