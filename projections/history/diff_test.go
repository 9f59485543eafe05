package history_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

func TestReader_Diff(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := written(e)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	tests := []struct {
		name     string
		from, to int64
		want     map[string][2]string
		by       int64 // revision of all
	}{
		{"nothing", 2, 2, nil, 0},
		{"a field", 0, 1, map[string][2]string{"/visible": {"false", "true"}}, 1},
		{"and back", 1, 0, map[string][2]string{"/visible": {"true", "false"}}, 1},
		{"the verdict", 4, 5, map[string][2]string{
			"/consecutiveFailures":        {"0", "1"},
			"/doubtful":                   {"", "true"},
			"/steps/0/attempts/0/before":  {"", ""},
			"/steps/0/attempts/0/verdict": {"", `{"outcome":"failed","succeeded":false,"taskCompleted":false,"confidence":0.2,"reason":"nothing changed","tier":1,"turn":2}`},
		}, 5},
		{"over what changed nothing of it", 3, 4, map[string][2]string{
			"/turn/number": {"1", "2"}, "/turn/open": {"false", "true"},
		}, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := r.Diff(t.Context(), projtest.Tenant, k.ID, tt.from, tt.to)
			if err != nil || len(d.Changes) != len(tt.want) || d.From != tt.from || d.To != tt.to || d.Head != 7 {
				t.Fatalf("got %+v, %v; want %v", d, err, tt.want)
			}
			for i, c := range d.Changes {
				want, ok := tt.want[c.Path]
				if !ok || want != [2]string{} && (string(c.From) != want[0] || string(c.To) != want[1]) {
					t.Errorf("%s: from %s to %s, want %v", c.Path, c.From, c.To, want)
				}
				if i > 0 && d.Changes[i-1].Path >= c.Path {
					t.Errorf("%s comes after %s", c.Path, d.Changes[i-1].Path)
				}
				if c.By == nil || c.By.Revision != tt.by || c.By.ID == "" || c.By.Type == "" {
					t.Errorf("%s was set by %+v, want revision %d", c.Path, c.By, tt.by)
				}
			}
		})
	}
	if _, err := r.Diff(t.Context(), "globex", k.ID, 0, 1); !isNotFound(err) {
		t.Errorf("another tenant: %v; want not found", err)
	}
	for _, revisions := range [][2]int64{{0, 99}, {99, 0}, {-5, 0}} {
		if _, err := r.Diff(t.Context(), projtest.Tenant, k.ID, revisions[0], revisions[1]); !isNotFound(err) {
			t.Errorf("from %d to %d: %v; want not found", revisions[0], revisions[1], err)
		}
	}
}

func TestReader_FieldsAt(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := written(e)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	got, err := r.FieldsAt(t.Context(), projtest.Tenant, k.ID, history.Latest)
	if err != nil || got.Revision != 7 {
		t.Fatal(got, err)
	}
	by := map[string]history.Setter{}
	for _, f := range got.Fields {
		if by[f.Path] = f.By; f.By.ID == "" || f.By.Type == "" {
			t.Errorf("nobody set %s = %s", f.Path, f.Value)
		}
	}
	for path, want := range map[string]int64{
		"/query": 0, "/visible": 1, "/steps/0/attempts/0/action": 2, "/steps/0/attempts/0/verdict/outcome": 5,
		"/steps/0/attempts/1/action": 6, "/turn/open": 7, "/consecutiveSuccesses": 0,
	} {
		if by[path].Revision != want || by[path].Default != (path == "/consecutiveSuccesses") {
			t.Errorf("%s was set by %+v, want revision %d", path, by[path], want)
		}
	}
}

// at is a value in a document, nil if it is not there.
func at(doc any, path string) any {
	for _, name := range strings.Split(path, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch d := doc.(type) {
		case map[string]any:
			doc = d[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(d) {
				return nil
			}
			doc = d[i]
		default:
			return nil
		}
	}
	return doc
}

// apply makes the changes to a document, as a program that follows a task would.
func apply(t *testing.T, doc any, changes []history.Change) any {
	t.Helper()
	for _, c := range changes {
		doc = put(t, doc, strings.Split(c.Path, "/")[1:], c.To)
	}
	// Lists lose items at their end only; what is gone was set to nil.
	return withoutTails(doc)
}

type gone struct{}

func put(t *testing.T, doc any, path []string, to json.RawMessage) any {
	t.Helper()
	if len(path) == 0 {
		if to == nil {
			return gone{}
		}
		return decoded(t, to)
	}
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	switch d := doc.(type) {
	case map[string]any:
		if d[name] = put(t, d[name], path[1:], to); d[name] == (gone{}) {
			delete(d, name)
		}
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil {
			t.Fatalf("%s is no place in a list", name)
		}
		for len(d) <= i {
			d = append(d, gone{})
		}
		d[i] = put(t, d[i], path[1:], to)
		return d
	default:
		t.Fatalf("there is nothing at %s", name)
	}
	return doc
}

func withoutTails(doc any) any {
	switch d := doc.(type) {
	case map[string]any:
		for name := range d {
			d[name] = withoutTails(d[name])
		}
	case []any:
		for len(d) > 0 && d[len(d)-1] == (gone{}) {
			d = d[:len(d)-1]
		}
		for i := range d {
			d[i] = withoutTails(d[i])
		}
		return d
	}
	return doc
}

func decoded(t *testing.T, b json.RawMessage) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// tasksIn are the ids of all tasks in the log, and their heads.
func tasksIn(t *testing.T, e *projtest.Env) map[string]int64 {
	t.Helper()
	heads := map[string]int64{}
	page, err := e.Store.ReadAll(t.Context(), 0, eventstore.MaxPage, eventstore.Filter{Categories: []string{"task"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range page.Events {
		heads[strings.TrimPrefix(r.Stream, "task-")] = r.Revision
	}
	return heads
}

// Applying a diff to the state before gives the state after, and each change names
// the last event between the two that changed its field: found here the slow way, by
// comparing all states.
func TestReader_Diff_IsWhatChanged(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	e.Story(5, 400)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	rng := rand.New(rand.NewPCG(1, 1))
	heads := tasksIn(t, e)
	for _, id := range slices.Sorted(maps.Keys(heads)) {
		states := []any{nil}
		for revision := range heads[id] + 1 {
			s, err := r.StateAt(t.Context(), projtest.Tenant, id, revision)
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, decoded(t, s.State))
		}
		initial, err := json.Marshal(task.Initial())
		if err != nil {
			t.Fatal(err)
		}
		states[0] = decoded(t, initial)
		for range 20 {
			from, to := rng.Int64N(heads[id]+2)-1, rng.Int64N(heads[id]+1)
			d, err := r.Diff(t.Context(), projtest.Tenant, id, from, to)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range d.Changes {
				last := int64(-1)
				for revision := min(from, to) + 1; revision <= max(from, to); revision++ {
					if !cmp.Equal(at(states[revision], c.Path), at(states[revision+1], c.Path)) {
						last = revision
					}
				}
				if c.By == nil || c.By.Revision != last {
					t.Errorf("%s from %d to %d: %s was set by %+v, want revision %d", id, from, to, c.Path, c.By, last)
				}
			}
			before, err := json.Marshal(states[from+1])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(states[to+1], apply(t, decoded(t, before), d.Changes)); diff != "" {
				t.Fatalf("%s: the diff from %d to %d does not lead there (-want +got):\n%s", id, from, to, diff)
			}
		}
	}
	if len(heads) < 5 {
		t.Errorf("only %d tasks", len(heads))
	}
}

func TestChanges_PathsArePointers(t *testing.T) {
	t.Parallel()
	got, err := history.Changes(json.RawMessage(`{"a/b":{"~":1}}`), json.RawMessage(`{"a/b":{"~":2},"c":[]}`))
	if err != nil || len(got) != 2 || got[0].Path != "/a~1b/~0" || got[1].Path != "/c" {
		t.Errorf("got %+v, %v", got, err)
	}
}
