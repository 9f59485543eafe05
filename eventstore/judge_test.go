package eventstore

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	propose := func(ids ...string) (out []Proposed) {
		for _, id := range ids {
			out = append(out, Proposed{ID: id, Type: "t", Data: []byte(id)})
		}
		return out
	}
	// a, b and c are at revisions 3 to 5 of s.
	known := func(ids ...string) map[string]Recorded {
		all := map[string]Recorded{}
		for i, id := range []string{"a", "b", "c"} {
			all[id] = Recorded{ID: id, Stream: "s", Type: "t", Revision: int64(3 + i), Position: int64(30 + i), Data: []byte(id)}
		}
		out := map[string]Recorded{}
		for _, id := range ids {
			out[id] = all[id]
		}
		return out
	}
	for name, c := range map[string]struct {
		expected int64
		events   []Proposed
		found    Found
		receipt  Receipt
		isNew    bool
		err      error
	}{
		"a new event at the head":              {7, propose("x"), Found{Head: 7}, Receipt{}, true, nil},
		"a new event anywhere":                 {Any, propose("x"), Found{Head: 7}, Receipt{}, true, nil},
		"a new event in a new stream":          {NoStream, propose("x"), Found{Head: NoRevision}, Receipt{}, true, nil},
		"a stale expectation":                  {6, propose("x"), Found{Head: 7}, Receipt{}, false, &WrongRevisionError{"s", 6, 7}},
		"an ended stream":                      {7, propose("x"), Found{Head: 7, Ended: true}, Receipt{}, false, &DeletedError{"s"}},
		"a repeat in an ended stream":          {2, propose("a"), Found{5, true, known("a")}, Receipt{}, false, &DeletedError{"s"}},
		"a repeat":                             {2, propose("a", "b", "c"), Found{9, false, known("a", "b", "c")}, Receipt{Revision: 5, Position: 32}, false, nil},
		"a repeat with any":                    {Any, propose("b", "c"), Found{9, false, known("b", "c")}, Receipt{Revision: 5, Position: 32}, false, nil},
		"a repeat with another expectation":    {9, propose("a"), Found{9, false, known("a")}, Receipt{}, false, &WrongRevisionError{"s", 9, 9}},
		"known events in another order":        {2, propose("b", "a"), Found{9, false, known("a", "b")}, Receipt{}, false, &IDConflictError{"s", "b"}},
		"known events with one left out":       {2, propose("a", "c"), Found{9, false, known("a", "c")}, Receipt{}, false, &IDConflictError{"s", "a"}},
		"a known event after a new one":        {2, propose("x", "b"), Found{9, false, known("b")}, Receipt{}, false, &IDConflictError{"s", "b"}},
		"a known event before a new one":       {2, propose("a", "x"), Found{9, false, known("a")}, Receipt{}, false, &IDConflictError{"s", "a"}},
		"a conflict is worse than a stale one": {0, []Proposed{{ID: "a", Type: "t", Data: []byte("other")}}, Found{9, false, known("a")}, Receipt{}, false, &IDConflictError{"s", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receipt, isNew, err := Judge("s", c.expected, c.events, c.found)
			if receipt != c.receipt || isNew != c.isNew {
				t.Errorf("receipt %+v, new %v; want %+v, %v", receipt, isNew, c.receipt, c.isNew)
			}
			if diff := cmp.Diff(c.err, err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFilter_Matches(t *testing.T) {
	t.Parallel()
	e := Recorded{Stream: "task-1-2", Type: "a"}
	for name, c := range map[string]struct {
		f    Filter
		want bool
	}{
		"empty lets through":           {Filter{}, true},
		"its category":                 {Filter{Categories: []string{"usage", "task"}}, true},
		"another category":             {Filter{Categories: []string{"usage", "task-1"}}, false},
		"its type":                     {Filter{Types: []string{"a"}}, true},
		"its category, another type":   {Filter{Categories: []string{"task"}, Types: []string{"b"}}, false},
		"its type in another category": {Filter{Categories: []string{"usage"}, Types: []string{"a"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.f.Matches(e); got != c.want {
				t.Errorf("matches is %v", got)
			}
		})
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	m := Metadata{Tenant: "t1", Actor: "system", Correlation: "task-1", Causation: "req-1", Schema: 2}
	if got := (Recorded{Meta: m.Encode()}).Metadata(); got != m {
		t.Errorf("metadata came back as %+v", got)
	}
	if got := (Recorded{Meta: []byte(`not JSON`)}).Metadata(); got != (Metadata{}) {
		t.Errorf("unreadable metadata is %+v", got)
	}
}

func TestUnavailableError_keepsItsCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("no route")
	if err := error(&UnavailableError{"append s", cause}); !errors.Is(err, cause) {
		t.Errorf("%v hides its cause", err)
	}
}
