package history_test

import (
	"testing"

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
	}{
		{"nothing", 2, 2, nil},
		{"a field", 0, 1, map[string][2]string{"/visible": {"false", "true"}}},
		{"and back", 1, 0, map[string][2]string{"/visible": {"true", "false"}}},
		{"the verdict", 4, 5, map[string][2]string{
			"/consecutiveFailures":        {"0", "1"},
			"/doubtful":                   {"", "true"},
			"/steps/0/attempts/0/before":  {"", ""},
			"/steps/0/attempts/0/verdict": {"", `{"outcome":"failed","succeeded":false,"taskCompleted":false,"confidence":0.2,"reason":"nothing changed","tier":1,"turn":2}`},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes, err := r.Diff(t.Context(), projtest.Tenant, k.ID, tt.from, tt.to)
			if err != nil || len(changes) != len(tt.want) {
				t.Fatalf("got %+v, %v; want %v", changes, err, tt.want)
			}
			for i, c := range changes {
				want, ok := tt.want[c.Path]
				if !ok || want != [2]string{} && (string(c.From) != want[0] || string(c.To) != want[1]) {
					t.Errorf("%s: from %s to %s, want %v", c.Path, c.From, c.To, want)
				}
				if i > 0 && changes[i-1].Path >= c.Path {
					t.Errorf("%s comes after %s", c.Path, changes[i-1].Path)
				}
			}
		})
	}
	if _, err := r.Diff(t.Context(), "globex", k.ID, 0, 1); !isNotFound(err) {
		t.Errorf("another tenant: %v; want not found", err)
	}
	if _, err := r.Diff(t.Context(), projtest.Tenant, k.ID, 0, 99); !isNotFound(err) {
		t.Errorf("a revision that is not: %v; want not found", err)
	}
}
