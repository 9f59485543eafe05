package uitest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stepledger/stepledger/internal/nodetest"
)

// scripts is where Go embeds the page's side.
const scripts = "../../internal/browser/script"

// What Go embeds is what the source gives.
func TestSource_TheScriptsOfGo(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	nodetest.Run(t, extension(t), []string{"PAGE_OUT=" + out}, "npm", "run", "-s", "page")
	made, err := filepath.Glob(filepath.Join(out, "*.js"))
	if err != nil || len(made) == 0 {
		t.Fatalf("made %v: %v", made, err)
	}
	for _, name := range made {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(scripts, filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the source gives: make extension-page", filepath.Base(name))
		}
	}
	embedded, err := filepath.Glob(filepath.Join(scripts, "*"))
	if err != nil || len(embedded) != len(made) {
		t.Errorf("embedded are %v, made %v: %v", embedded, made, err)
	}
}

// The sources have the types they say, and their own tests pass.
func TestSource(t *testing.T) {
	t.Parallel()
	root := extension(t)
	nodetest.Run(t, root, nil, "npm", "run", "-s", "check")
	nodetest.Run(t, root, nil, "npm", "test")
}
