package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/internal/nodetest"
)

// repository is the root of this one.
const repository = "../.."

// sources are the files an extension is built from, without what a developer has built
// beside them.
type sources struct{ fs.FS }

// needed are the folders and files of the build, with all that is in them.
var needed = []string{"extension", "clients/typescript", "api/openapi.yaml"}

// Open implements fs.FS.
func (s sources) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if dir, ok := f.(fs.ReadDirFile); ok {
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return sourceDir{dir, name}, nil
		}
	}
	return f, nil
}

type sourceDir struct {
	fs.ReadDirFile
	name string
}

// ReadDir leaves out what is not needed.
func (d sourceDir) ReadDir(n int) ([]fs.DirEntry, error) {
	all, err := d.ReadDirFile.ReadDir(n)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		name := path.Join(d.name, e.Name())
		switch e.Name() {
		case "node_modules", "dist", ".wxt", ".output", "e2e":
			return true
		}
		return !slices.ContainsFunc(needed, func(part string) bool {
			return part == name || strings.HasPrefix(part, name+"/") || strings.HasPrefix(name, part+"/")
		})
	}), err
}

// built is what is built once for all tests.
var built struct {
	sync.Mutex
	dir string
}

func removeBuilt() {
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
}

// builtDir is the folder of what is built; built is locked.
func builtDir(t *testing.T) string {
	t.Helper()
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "stepledger-e2e-")
		if err != nil {
			t.Fatal(err)
		}
		built.dir = dir
	}
	return built.dir
}

// extensionDir builds the extension and gives the folder to load, in which this machine's
// sites are allowed from the beginning: nobody is there to allow them.
func extensionDir(t *testing.T) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	dir := filepath.Join(builtDir(t), "dist")
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	root := nodetest.InstallIn(t, sources{os.DirFS(repository)}, "extension")
	at := filepath.Join(root, "extension")
	nodetest.Run(t, at, nil, "npm", "run", "-s", "build")
	allowSites(t, filepath.Join(at, "dist", "manifest.json"))
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(at, "dist"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func allowSites(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	manifest := map[string]any{}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	manifest["host_permissions"] = []string{"<all_urls>"}
	if err := os.WriteFile(file, []byte(js(t, manifest)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// js is a value as JSON, which is a JavaScript expression too.
func js(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
