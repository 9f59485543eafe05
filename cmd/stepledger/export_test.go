package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An exported task is one file without secrets, folds to the same state wherever it is
// read, and replays there to the same events; a file that was changed is refused.
func TestTask_Export(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{})
	p := newModelPursuit()
	p.finish(t, s.client)
	file := filepath.Join(t.TempDir(), "task.html")
	s.tool(t, "task", "export", p.task, "--out", file)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, outside := range []string{"src=", "http-equiv=\"refresh", "<link", "<img", "@import", "url("} {
		if head, _, _ := strings.Cut(text, exportBegins); strings.Contains(head, outside) {
			t.Errorf("the page asks for something: %s", outside)
		}
	}
	asked := len(model.given())
	elsewhere := map[string]string{"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"} // nothing but the file is needed
	run := func(args ...string) (string, error) { return s.toolWith(t, elsewhere, args...) }
	if out, err := run("task", "import", file); err != nil || !strings.Contains(out, "completed; state ") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := run("task", "replay", file); err != nil || strings.Contains(out, "differs") || len(model.given()) != asked {
		t.Errorf("%v: %s", err, out)
	}
	sent := filepath.Join(t.TempDir(), "task.json")
	if err := os.WriteFile(sent, s.get(t, "/api/debug/session/"+p.task+"/export").body, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run("task", "import", sent); err != nil || !strings.Contains(out, "completed; state ") {
		t.Errorf("what the API sent: %v: %s", err, out)
	}
	if out, err := run("task", "replay", sent); err != nil || strings.Contains(out, "differs") || len(model.given()) != asked {
		t.Errorf("what the API sent: %v: %s", err, out)
	}
	small := file + packedSuffix
	s.tool(t, "task", "export", p.task, "--out", small)
	if out, err := run("task", "import", small); err != nil || !strings.Contains(out, "completed; state ") {
		t.Errorf("compressed: %v: %s", err, out)
	}
	changed := strings.Replace(text, `"succeeded\":true`, `"succeeded\":false`, 1)
	changed = strings.Replace(changed, `"succeeded":true`, `"succeeded":false`, 1)
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run("task", "import", file); err == nil || !strings.Contains(err.Error(), "another state") {
		t.Errorf("a changed file: %v %s", err, out)
	}
	if out, err := run("task", "replay", file); (err != nil && !errors.Is(err, errDiffers)) || !strings.Contains(out, "warning: ") {
		t.Errorf("a changed file: %v %s", err, out)
	}
	if err := os.WriteFile(file, []byte("<html>nothing</html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run("task", "replay", file); err == nil || !strings.Contains(err.Error(), "is no export") {
		t.Errorf("%v", err)
	}
}

// A secret the user gave, and what is erased, is in no export.
func TestTask_ExportHoldsNoSecret(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	const secret = "hunter2zz9"
	page := `<form><label>User <input id=1></label><label>Password <input id=2 type=password value="` + secret + `"></label><button id=3>Log in</button></form>`
	a := s.look(t, `Log in as Jas with the password "`+secret+`"`, "", sight{page: page})
	out := s.tool(t, "task", "export", a.TaskID)
	if strings.Contains(out, secret) || !strings.Contains(out, a.TaskID) {
		t.Errorf("the secret is in the export: %v", strings.Contains(out, secret))
	}
	tenant, err := s.tenantOf(t.Context(), a.TaskID)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.content.Drop(t.Context(), tenant, a.TaskID); err != nil {
		t.Fatal(err)
	}
	erased := s.tool(t, "task", "export", a.TaskID)
	if strings.Contains(erased, "Jas") || !strings.Contains(erased, "the page of turn 1") {
		t.Error(erased)
	}
}
