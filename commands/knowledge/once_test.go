package knowledge_test

import (
	"context"
	"strings"
	"testing"
	"time"

	use "github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/eventstore/memory"
)

// oneKey gives every subject the same key.
type oneKey struct{}

func (oneKey) NewKey(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Sealer{}, nil
}

func (oneKey) Key(context.Context, string, string) (domain.Sealer, error) {
	return domaintest.Sealer{}, nil
}

// lower normalizes addresses, and does nothing else of a site.
type lower struct{ use.Sites }

func (lower) Normalize(address string) (string, error) {
	if !strings.Contains(address, "://") {
		return "", domain.Errorf(domain.Invalid, domain.CodeValidation, "this is no address").At("url")
	}
	return strings.ToLower(address), nil
}

func TestAddOnce(t *testing.T) {
	t.Parallel()
	m := use.Manage{Deps: use.Deps{Log: memory.New(memory.Options{}), Keys: oneKey{}, Sites: lower{}, Clock: time.Now, IDs: domain.NewUUID}}
	add := func(e knowledge.SourceAdded, there ...knowledge.SourceAdded) string {
		t.Helper()
		e.Tenant = "acme"
		added, err := m.AddOnce(t.Context(), e, there)
		if err != nil {
			t.Fatal(err)
		}
		return added.Source
	}
	site := knowledge.SourceAdded{Kind: knowledge.Spider, URL: "https://Docs.acme.example/"}
	files, minutes := knowledge.SourceAdded{Kind: knowledge.Upload}, knowledge.SourceAdded{Kind: knowledge.Upload, Name: "Minutes"}
	ids := map[string]bool{}
	for _, e := range []knowledge.SourceAdded{site, files, minutes, {Kind: knowledge.Single, URL: site.URL}, {Kind: knowledge.Seen, URL: site.URL}} {
		first := add(e)
		if again := add(e); again != first {
			t.Errorf("%+v is added twice: %s and %s", e, first, again)
		}
		ids[first] = true
	}
	if len(ids) != 5 {
		t.Errorf("%d sources of 5", len(ids))
	}
	old := knowledge.SourceAdded{Source: "of another id", Kind: knowledge.Spider, URL: "https://docs.acme.example/"}
	if got := add(site, old); got != old.Source {
		t.Errorf("the source that is there is not found: %s", got)
	}
	source := knowledge.SourceStream(add(knowledge.SourceAdded{Kind: knowledge.Seen, URL: "https://App.acme.example/x"}))
	v, err := use.Sources.Load(t.Context(), m.Log, source, domaintest.Sealer{}, use.Sources.Start())
	if err != nil || len(v.State.Domains) != 1 || v.State.Domains[0] != "app.acme.example" {
		t.Errorf("pages the agent sees are about %v, %v", v.State.Domains, err)
	}
	if named := (knowledge.SourceAdded{Source: "x", Kind: knowledge.Upload, Name: "Files"}); add(files, named) != named.Source || add(minutes, named) == named.Source {
		t.Error("files go to the source of their name")
	}
}

func TestAddOnce_AfterARemoval(t *testing.T) {
	t.Parallel()
	m := use.Manage{Deps: use.Deps{Log: memory.New(memory.Options{}), Keys: oneKey{}, Sites: lower{}, Clock: time.Now, IDs: domain.NewUUID}}
	site := knowledge.SourceAdded{Tenant: "acme", Kind: knowledge.Single, URL: "https://docs.acme.example/"}
	first, err := m.AddOnce(t.Context(), site, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Remove(t.Context(), "acme", "ann", first.Source); err != nil {
		t.Fatal(err)
	}
	second, err := m.AddOnce(t.Context(), site, nil)
	if err != nil || second.Source == first.Source {
		t.Errorf("%+v, %v: want another source than %s", second, err, first.Source)
	}
	if _, err := m.AddOnce(t.Context(), knowledge.SourceAdded{Tenant: "acme", Kind: knowledge.Single, URL: "docs"}, nil); domain.KindOf(err) != domain.Invalid {
		t.Errorf("no address: %v", err)
	}
}
