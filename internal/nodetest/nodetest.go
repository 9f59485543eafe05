// Package nodetest gives tests node, npm and the packages of a lock file. Without them
// a test is skipped, on CI it fails. Packages come from the registry npm is set up
// with; scripts of theirs are not run. Test code only.
package nodetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/debian"
)

// Install gives a folder with the files and with the packages that their lock file
// names.
func Install(t *testing.T, files fs.FS) string {
	t.Helper()
	return InstallIn(t, files, ".")
}

// InstallIn gives a folder with the files, in a part of which are the packages that the
// lock file there names.
func InstallIn(t *testing.T, files fs.FS, part string) string {
	t.Helper()
	require(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = filepath.Join(dir, part)
	if out, err := cmd.CombinedOutput(); err != nil {
		unavailable(t, "npm ci: "+err.Error()+": "+strings.TrimSpace(string(out)))
	}
	return dir
}

// Run runs a command in a folder. A test whose command fails, fails with what it said.
func Run(t *testing.T, dir string, env []string, name string, args ...string) (stdout []byte) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out
}

// Checks makes a subtest of each line of what a script printed: a JSON object with the
// name of what was checked and the error, "" for none. No line at all is a failure.
func Checks(t *testing.T, printed []byte) {
	t.Helper()
	checks := 0
	for lines := bufio.NewScanner(bytes.NewReader(printed)); lines.Scan(); checks++ {
		var check struct{ Name, Error string }
		if err := json.Unmarshal(lines.Bytes(), &check); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		t.Run(check.Name, func(t *testing.T) {
			if check.Error != "" {
				t.Error(check.Error)
			}
		})
	}
	if checks == 0 {
		t.Error("the script checked nothing")
	}
}

// require finds node and npm; root on a Debian-like system gets them.
func require(t *testing.T) {
	t.Helper()
	missing := func() bool {
		_, nodeErr := exec.LookPath("node")
		_, npmErr := exec.LookPath("npm")
		return nodeErr != nil || npmErr != nil
	}
	if !missing() {
		return
	}
	if _, err := exec.LookPath("apt-get"); err == nil && runtime.GOOS == "linux" && os.Geteuid() == 0 {
		if err := debian.Install(t.Context(), slog.New(slog.DiscardHandler), "nodejs", "npm"); err != nil {
			unavailable(t, "install nodejs and npm: "+err.Error())
		}
	}
	if missing() {
		unavailable(t, "this test needs node and npm, type: sudo apt-get install -y nodejs npm")
	}
}

// unavailable skips what needs something this machine does not have; on CI it
// fails.
func unavailable(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
