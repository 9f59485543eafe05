package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/session"
)

var (
	started  = session.SessionStarted{Tenant: "acme", User: "jo"}
	archived = session.SessionArchived{By: "jo"}
)

func TestDecide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		given []session.Event
		when  session.Command
		then  []session.Event
		err   domain.Kind
	}{
		{name: "a session starts", when: session.Start{Tenant: "acme", User: "jo"}, then: []session.Event{started}},
		{
			name: "starting it again changes nothing", given: []session.Event{started},
			when: session.Start{Tenant: "acme", User: "jo"},
		},
		{
			name: "another user's session does not exist for the caller", given: []session.Event{started},
			when: session.Start{Tenant: "acme", User: "eve"}, err: domain.NotFound,
		},
		{
			name: "another tenant's session does not exist for the caller", given: []session.Event{started},
			when: session.Start{Tenant: "globex", User: "jo"}, err: domain.NotFound,
		},
		{
			name: "an archived session takes no further task", given: []session.Event{started, archived},
			when: session.Start{Tenant: "acme", User: "jo"}, err: domain.Conflict,
		},
		{
			name: "a session is archived", given: []session.Event{started},
			when: session.Archive{Tenant: "acme", User: "jo"}, then: []session.Event{archived},
		},
		{
			name: "archiving twice changes nothing", given: []session.Event{started, archived},
			when: session.Archive{Tenant: "acme", User: "jo"},
		},
		{name: "what never was cannot be archived", when: session.Archive{Tenant: "acme", User: "jo"}, err: domain.NotFound},
		{
			name: "another user's session cannot be archived", given: []session.Event{started},
			when: session.Archive{Tenant: "acme", User: "eve"}, err: domain.NotFound,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			state := session.Decider.Fold(session.State{}, c.given...)
			got, err := session.Decide(c.when, state)
			if domain.KindOf(err) != c.err {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.then, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Files are added, never edited.
func TestEvents_frozenSamplesAreReadForEver(t *testing.T) {
	t.Parallel()
	want := map[string]session.Event{session.NameSessionStarted: started, session.NameSessionArchived: archived}
	for _, name := range session.Codec.Names() {
		data, err := os.ReadFile(filepath.Join("testdata", "events", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := session.Codec.Decode(name, data, "id", nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[name], got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
