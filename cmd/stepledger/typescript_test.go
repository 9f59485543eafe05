package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api/apitest"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/nodetest"
)

const typescript = "../../clients/typescript"

// sources are the files of a client as they are in the repository, without what a
// developer has built beside them.
type sources struct{ fs.FS }

// Open implements fs.FS.
func (s sources) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if name != "." || err != nil {
		return f, err
	}
	return sourceDir{f.(fs.ReadDirFile)}, nil
}

type sourceDir struct{ fs.ReadDirFile }

// ReadDir leaves out what is built.
func (d sourceDir) ReadDir(n int) ([]fs.DirEntry, error) {
	all, err := d.ReadDirFile.ReadDir(n)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return e.Name() == "node_modules" || e.Name() == "dist" }), err
}

// The TypeScript client is generated from the description that the running server
// serves, type-checked with its examples, and these run against the server.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	dir := nodetest.Install(t, sources{os.DirFS(typescript)})
	s := newServer(t, hooks{})
	newUser(t, s.identity, "examples@acme.example")
	newLimitedUser(t, s.identity, "limited@acme.example")
	bin := func(name string) string { return filepath.Join(dir, "node_modules", ".bin", name) }
	schema := filepath.Join(dir, "src", "schema.d.ts")
	if err := os.Remove(schema); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	nodetest.Run(t, dir, nil, bin("openapi-typescript"), s.base+"/openapi.json", "--output", schema)
	nodetest.Run(t, dir, nil, bin("tsc"))
	env := []string{
		"STEPLEDGER_URL=" + s.base, "STEPLEDGER_EMAIL=examples@acme.example", "STEPLEDGER_PASSWORD=" + testPassword.Reveal(),
		"STEPLEDGER_LIMITED_EMAIL=limited@acme.example",
	}
	nodetest.Checks(t, nodetest.Run(t, dir, env, "node", "dist/examples/all.js"))
}

// newLimitedUser makes a tenant of its own, in the lowest tier, for a user.
func newLimitedUser(t testing.TB, ids *identity.Store, email string) {
	t.Helper()
	tenant, err := ids.CreateTenant(t.Context(), account.Actor{}, identity.NewTenant{Name: email, Tier: identity.TierFree})
	if err != nil {
		t.Fatal(err)
	}
	user := identity.NewUser{TenantID: tenant, Email: email, Name: "Li", Role: account.Admin, Password: testPassword}
	if _, err := ids.CreateUser(t.Context(), account.Actor{}, user); err != nil {
		t.Fatal(err)
	}
}

func TestTypeScriptClient_PinsItsPackages(t *testing.T) {
	t.Parallel()
	lock, err := os.ReadFile(filepath.Join(typescript, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var locked struct {
		Packages map[string]struct{ Resolved, Integrity string }
	}
	if err := json.Unmarshal(lock, &locked); err != nil {
		t.Fatal(err)
	}
	for name, p := range locked.Packages {
		if p.Resolved != "" && !strings.HasPrefix(p.Resolved, "https://registry.npmjs.org/") {
			t.Errorf("%s comes from %s", name, p.Resolved)
		}
		if name != "" && p.Integrity == "" {
			t.Errorf("%s has no hash", name)
		}
	}
	manifest, err := os.ReadFile(filepath.Join(typescript, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var wants struct{ Dependencies, DevDependencies map[string]string }
	if err := json.Unmarshal(manifest, &wants); err != nil {
		t.Fatal(err)
	}
	maps.Copy(wants.Dependencies, wants.DevDependencies)
	if len(wants.Dependencies) == 0 {
		t.Error("the client needs no packages")
	}
	for name, version := range wants.Dependencies {
		if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
			t.Errorf("%s %s is not one version", name, version)
		}
	}
}

// The client's list of codes is that of the documentation, which has every code there is.
func TestTypeScriptClient_KnowsTheCodes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(typescript, "src", "codes.ts"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := bytes.Cut(text, []byte("codes = ["))
	list, _, _ = bytes.Cut(list, []byte("]"))
	var got []string
	for _, found := range regexp.MustCompile(`"([A-Z_]+)"`).FindAllSubmatch(list, -1) {
		got = append(got, string(found[1]))
	}
	if diff := cmp.Diff(apitest.DocumentedCodes(t), got); diff != "" {
		t.Errorf("codes (-docs/api.md +codes.ts)\n%s", diff)
	}
}
