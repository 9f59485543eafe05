package uitest

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/nodetest"
)

const maxZip = 1 << 20

// The texts of the store are what the manifest gives, and the package is small.
func TestStore(t *testing.T) {
	t.Parallel()
	root := extension(t)
	nodetest.Run(t, root, nil, "node", "store/listing.js", "--check")
	zips, err := filepath.Glob(filepath.Join(root, "dist", "*.zip"))
	if err != nil || len(zips) != 1 {
		t.Fatalf("packages: %v, %v", zips, err)
	}
	info, err := os.Stat(zips[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the package has %d bytes", info.Size())
	if info.Size() >= maxZip {
		t.Errorf("the package has %d bytes, more than %d", info.Size(), maxZip)
	}
}

// Each rule of the store is broken on purpose.
func TestStore_WhatIsRefused(t *testing.T) {
	t.Parallel()
	root := extension(t)
	add := func(key string, value any) func(object) {
		return func(m object) {
			list, _ := m[key].([]any)
			m[key] = append(list, value)
		}
	}
	for name, test := range map[string]struct {
		change func(object)
		want   string
	}{
		"a permission without a reason":          {add("permissions", "bookmarks"), "the permission bookmarks has no reason"},
		"an optional permission without one":     {add("optional_permissions", "history"), "the permission history has no reason"},
		"sites without a reason":                 {add("optional_host_permissions", "file:///*"), "the sites file:///* have no reason"},
		"a site at the install":                  {add("host_permissions", "https://clinic.example/*"), "is held at the install"},
		"a content script at the install":        {add("content_scripts", object{"matches": []string{"<all_urls>"}}), "get a script at the install"},
		"the debugger at the install":            {add("permissions", "debugger"), "debugger is held at the install"},
		"a description that is too long":         {func(m object) { m["description"] = strings.Repeat("x", 133) }, "has 133 characters, more than 132"},
		"a version that is published":            {func(m object) { m["version"] = "0.0.0" }, "raise it in package.json"},
		"a policy that lets other scripts in":    {func(m object) { m["content_security_policy"] = object{"extension_pages": "script-src 'self' https:"} }, "allows more than its own scripts"},
		"a missing icon":                         {func(m object) { delete(m["icons"].(object), "48") }, "there is no icon of 48 pixels"},
		"texts that are not what it would write": {func(m object) { m["permissions"] = []any{"storage"} }, "store/listing.md is not what the manifest gives"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var manifest object
			readJSON(t, filepath.Join(root, "dist", "manifest.json"), &manifest)
			test.change(manifest)
			data, err := json.Marshal(manifest)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "manifest.json")
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "node", "store/listing.js", "--check", "--manifest", file)
			cmd.Dir = root
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Run(); err == nil || !strings.Contains(said.String(), test.want) {
				t.Errorf("%v, said is %q, want %q in it", err, said.String(), test.want)
			}
		})
	}
}

// The pictures of the store have the sizes it wants.
func TestStore_Pictures(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{
		"../public/icon/16.png": {16, 16}, "../public/icon/32.png": {32, 32}, "../public/icon/48.png": {48, 48}, "../public/icon/128.png": {128, 128},
		"../store/tile-440x280.png": {440, 280}, "../store/screenshot-working.png": {1280, 800}, "../store/screenshot-question.png": {1280, 800},
	} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || got.Width != size[0] || got.Height != size[1] {
			t.Errorf("%s is %d by %d, %v", name, got.Width, got.Height, err)
		}
		if len(data) > 200_000 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
	}
}

// The panel beside a page, as in the store: written only where a folder is given.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]contents{
		"working":  running("act", object{"about": object{"text": "Click “Save patient”", "target": "14"}}),
		"question": running("question", object{"message": "When was Jas born?", "missing": []string{"date of birth"}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := newTab(t)
			if err := tab.Open(t.Context(), serve(t, c)+"/store.html"); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the panel", func() bool {
				return evaluate[bool](t, tab, `!!document.querySelector("iframe.panel").contentDocument.querySelector("main .state")`)
			})
			settle(t, tab)
			data, err := tab.Screenshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.DecodeConfig(bytes.NewReader(data))
			if err != nil || got.Width != 1280 || got.Height != 800 {
				t.Fatalf("the picture is %d by %d, %v", got.Width, got.Height, err)
			}
			if *screenshots == "" {
				return
			}
			if err := os.WriteFile(filepath.Join(*screenshots, "screenshot-"+name+".png"), data, 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}
