package check

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
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

// imageFaults says what is wrong with the name of an image: it has a version, and leaves to
// whoever pulls it from which registry.
func imageFaults(image string) (faults []string) {
	if !pinned.MatchString(image) {
		faults = append(faults, "has an image without a version: "+image)
	}
	if host, _, isPath := strings.Cut(image, "/"); isPath && strings.ContainsAny(host, ".:") {
		faults = append(faults, "has an image of one registry: "+image)
	}
	return faults
}

func TestImageFaults(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]int{
		"postgres:17.6": 0, "prom/prometheus:v3.5.0": 0, "golang:1.26.0-bookworm": 0,
		"postgres": 1, "postgres:latest": 1, "registry.example/postgres:17.6": 1, "127.0.0.1:5000/postgres:17.6": 1, "registry.example/postgres": 2,
	} {
		if got := imageFaults(image); len(got) != want {
			t.Errorf("%s: %q", image, got)
		}
	}
}

// The image has versions for what it is made from, and of that only what is named; it runs
// as nobody, and holds no setting that is a secret.
func TestContainerfile(t *testing.T) {
	t.Parallel()
	all := stages(t)
	last := all[len(all)-1]
	for _, s := range all[:len(all)-1] {
		for _, fault := range imageFaults(s.BaseName) {
			t.Errorf("stage %s %s", s.Name, fault)
		}
	}
	if last.BaseName != "scratch" {
		t.Errorf("the image is made from %s", last.BaseName)
	}
	copied, user := map[string]string{}, ""
	for _, c := range last.Commands {
		switch c := c.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.CopyCommand:
			copied[c.DestPath] = strings.TrimSpace(strings.Join(c.SourcePaths, " ") + " " + c.Chown)
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
	if user != nobody {
		t.Errorf("it runs as %q", user)
	}
	for to, want := range map[string]string{
		authorities: authorities, "/usr/local/bin/stepledger": "/out/stepledger", // nobody may change these
		"/tmp": "/out/tmp " + nobody, "/var/lib/stepledger": "/out/state " + nobody,
	} {
		if copied[to] != want {
			t.Errorf("%s is %q, not %q", to, copied[to], want)
		}
	}
}

const (
	nobody      = "65532:65532"
	authorities = "/etc/ssl/certs/ca-certificates.crt" // where crypto/x509 looks first
)

// buildContext is what .dockerignore lets through: "*", names that come back, and names
// that leave again wherever they are. Other files of that purpose would go before it with
// one engine and not with another.
func buildContext(t *testing.T) string {
	t.Helper()
	for _, other := range []string{".containerignore", "deploy/Containerfile.dockerignore", "deploy/Containerfile.containerignore"} {
		if _, err := os.Stat(filepath.Join(root, other)); err == nil {
			t.Errorf("%s is read instead of .dockerignore by some engines", other)
		}
	}
	var in, out []string
	for line := range strings.Lines(string(read(t, ".dockerignore"))) {
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
			t.Fatalf(".dockerignore: %q is not understood", line)
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
// binary that runs, knows which version it was told to be, and has the time zones with it.
func TestContainerfile_Build(t *testing.T) {
	t.Parallel()
	dir := buildContext(t)
	built := filepath.Join(t.TempDir(), "stepledger")
	ran, args := false, map[string]bool{}
	for _, c := range stages(t)[0].Commands {
		switch c := c.(type) {
		case *instructions.ArgCommand:
			for _, a := range c.Args {
				args[a.Key] = true
			}
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
			if args["VERSION"] {
				cmd.Env = append(os.Environ(), "VERSION=v0.0.1-check")
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
		}
	}
	if !ran {
		t.Fatal("nothing is built")
	}
	isStatic(t, built)
	hasZones(t, built)
	for arg, want := range map[string]string{"--version": "stepledger version v0.0.1-check\n", "serve --help": "stepledger"} {
		cmd := exec.CommandContext(t.Context(), built, strings.Fields(arg)...) //nolint:gosec // what was just built
		cmd.Env = []string{}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", arg, err, out)
		}
	}
}

func hasZones(t *testing.T, name string) {
	t.Helper()
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(info.Settings, debug.BuildSetting{Key: "-tags", Value: "timetzdata"}) {
		t.Error("the binary looks for time zones in files that the image does not have")
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
