package check

import (
	"bytes"
	"context"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	parsed, err := parser.Parse(bytes.NewReader(read(t, "deploy/Containerfile")))
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The image has versions for what it is made from, runs as nobody, and holds no setting that
// is a secret.
func TestContainerfile(t *testing.T) {
	t.Parallel()
	all := stages(t)
	last := all[len(all)-1]
	var user string
	for _, s := range all {
		if !strings.Contains(s.BaseName, ":") || strings.HasSuffix(s.BaseName, ":latest") {
			t.Errorf("%s has no version", s.BaseName)
		}
	}
	for _, c := range last.Commands {
		switch c := c.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.RunCommand:
			t.Error("the image has no shell to run anything")
		case *instructions.EnvCommand:
			for _, e := range c.Env {
				if strings.Contains(e.Key, "KEY") || strings.Contains(e.Key, "DATABASE") || strings.Contains(e.Value, "://") {
					t.Errorf("%s is baked in", e.Key)
				}
			}
		case *instructions.EntrypointCommand:
			if c.PrependShell {
				t.Error("the entrypoint needs a shell")
			}
		}
	}
	if user != "65532:65532" {
		t.Errorf("it runs as %q", user)
	}
}

// buildContext is what .containerignore lets through: "*", names that come back, and names
// that leave again wherever they are.
func buildContext(t *testing.T) string {
	t.Helper()
	var in, out []string
	for line := range strings.Lines(string(read(t, ".containerignore"))) {
		line = strings.TrimSpace(line)
		back, isBack := strings.CutPrefix(line, "!")
		away, isAway := strings.CutPrefix(line, "**/")
		switch {
		case line == "" || line == "*" || strings.HasPrefix(line, "#"):
		case isBack:
			in = append(in, back)
		case isAway:
			out = append(out, away)
		default:
			t.Fatalf(".containerignore: %q is not understood", line)
		}
	}
	dir := t.TempDir()
	for _, name := range in {
		err := filepath.WalkDir(filepath.Join(root, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if slices.ContainsFunc(out, func(p string) bool { ok, _ := filepath.Match(p, d.Name()); return ok }) {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			to := filepath.Join(dir, strings.TrimPrefix(path, root))
			if d.IsDir() {
				return os.MkdirAll(to, 0o755)
			}
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(to, body, 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What the build copies is there, and the very command of the build makes of it a static
// binary that runs.
func TestContainerfile_Build(t *testing.T) {
	t.Parallel()
	dir := buildContext(t)
	built := filepath.Join(t.TempDir(), "stepledger")
	ran := false
	for _, c := range stages(t)[0].Commands {
		switch c := c.(type) {
		case *instructions.CopyCommand:
			for _, from := range c.SourcePaths {
				if _, err := os.Stat(filepath.Join(dir, from)); err != nil {
					t.Errorf("COPY %s: %v", from, err)
				}
			}
		case *instructions.RunCommand:
			line := strings.Join(c.CmdLine, " ")
			if !strings.Contains(line, "go build") {
				continue
			}
			ran = true
			cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "/out/stepledger", built)) //nolint:gosec // our own file
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
		}
	}
	if !ran {
		t.Fatal("nothing is built")
	}
	isStatic(t, built)
	for _, args := range [][]string{{"--version"}, {"serve", "--help"}} {
		cmd := exec.CommandContext(context.Background(), built, args...) //nolint:gosec // what was just built
		cmd.Env = []string{}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "stepledger") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

func isStatic(t *testing.T, name string) {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the binary needs a loader")
		}
	}
}
