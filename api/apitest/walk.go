package apitest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// seed makes every walk the same.
const seed = 1

// Walk tries every operation the server describes, with valid, boundary and invalid
// input, and fails where the answer is a fault of the server (5xx), is not what the
// description says of it, takes input the description excludes, refuses input it
// allows, or blames the wrong field. The values are the same each time, but for ids;
// failures are shown as commands for a shell.
//
// Of the values tried in single fields, each every-th is: 1 for all of them. fresh makes
// a caller with things of their own: walking ends tasks, archives sessions and logs
// out. It is called at least once an operation, and again when a limit is reached.
//
// A walk does not find what only a sequence of requests shows, nor wrong values in an
// answer of the right shape.
func Walk(t *testing.T, base string, every int, fresh func(testing.TB) World) {
	t.Helper()
	w := &walk{base: base, doc: Served(t, base), codes: Codes(t), every: every, fresh: fresh}
	for _, c := range w.doc.calls() {
		t.Run(strings.ReplaceAll(c.String(), "/", "·"), func(t *testing.T) { w.operation(t, c) })
	}
}

type walk struct {
	base  string
	doc   *Document
	codes map[string]bool
	every int
	fresh func(testing.TB) World
}

// operation makes the attempts at one operation. They are made anew, for another
// caller, where the last one may have used up what the caller had.
func (w *walk) operation(t *testing.T, c call) {
	t.Helper()
	attempts, faults, limited := w.attempts(t, c), 0, -1
	for i := 0; i < len(attempts); i++ {
		a := attempts[i]
		if a.single && i%w.every != 0 {
			continue
		}
		got, err := a.send(t.Context(), w.base)
		if err != nil {
			t.Fatalf("%s: no answer: %v\n%s", a.what, err, a.curl(w.base))
		}
		if got.status == http.StatusTooManyRequests && limited != i {
			attempts, limited = w.attempts(t, c), i
			i--
			continue
		}
		for _, fault := range a.faults(w.doc, w.codes, got) {
			t.Errorf("%s: %s\n  %s\n  %d %s", a.what, fault, a.curl(w.base), got.status, shortened(got.body))
			faults++
		}
		if faults >= mostFaults {
			t.Fatalf("and more: %d of %d attempts were made", i+1, len(attempts))
		}
		if a.spends(got) {
			attempts = w.attempts(t, c)
		}
	}
}

// mostFaults are shown of an operation.
const mostFaults = 20

// ofAccounts are paths where it does not matter whether the caller has a task.
var ofAccounts = []string{"/api/v1/", "/api/admin/", "/api/health"}

// attempts are those at an operation for a new caller: the same each time, but for ids.
func (w *walk) attempts(t testing.TB, c call) []attempt {
	op, world := w.doc.operation(c), w.fresh(t)
	if !slices.ContainsFunc(ofAccounts, func(prefix string) bool { return strings.HasPrefix(c.path, prefix) }) {
		world.Own() // also where it is not named: lists are to hold something
	}
	h := fnv.New64()
	_, _ = fmt.Fprint(h, c)
	g := trial{drawing: drawing{w.doc, op.ID, knownOf(world), rand.New(rand.NewPCG(seed, h.Sum64()))}, call: c, op: op, token: world.Token}
	return g.all()
}

// once are operations that can succeed once for a caller.
var once = []string{"/api/v1/auth/logout", "/api/v1/auth/invite/accept", "/api/v1/auth/password"}

// spends reports whether what the world was made for may be gone: after what can be done
// once, and after the attempts that have to succeed where they change something.
func (a attempt) spends(got answer) bool {
	success := got.status >= 200 && got.status < 300
	return success && (slices.Contains(once, a.path) || a.method == http.MethodPost && a.want == served)
}
