package main

import (
	"errors"
	"maps"
	"strconv"
	"testing"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// crashRig is a database with a logged-in user, and what it takes to start
// servers on it that are killed.
type crashRig struct {
	url   string
	env   map[string]string
	model *fakeGemini // nil: the servers reason by rules
	// Who the clients act for.
	tenant, user, token string
}

// newCrashRig makes a rig for servers that ask the model, or none if it is nil.
func newCrashRig(t *testing.T, model *fakeGemini) *crashRig {
	t.Helper()
	url := pgtest.Database(t, "stepledger", migrate)
	rig := &crashRig{url: url, model: model, env: map[string]string{"DATABASE_URL": url, "STEPLEDGER_STATE_DIR": t.TempDir()}}
	if model != nil {
		maps.Copy(rig.env, model.env())
	}
	rig.enrol(t)
	return rig
}

// enrol makes the rig's user and logs it in: a token outlives any server.
func (r *crashRig) enrol(t testing.TB) {
	t.Helper()
	ids, err := identity.Open(t.Context(), r.url, identity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ids.Close()
	login, err := ids.Login(t.Context(), newUser(t, ids, "jo@acme.example"), testPassword, account.Client{})
	if err != nil {
		t.Fatal(err)
	}
	r.tenant, r.user, r.token = login.Principal.TenantID, login.Principal.UserID, login.Token.Reveal()
}

// start starts a server that dies at a fault, or lives if there is none.
func (r *crashRig) start(t testing.TB, fault string) *child {
	t.Helper()
	env := maps.Clone(r.env)
	env[faultEnv] = fault
	return startChild(t, env)
}

func (r *crashRig) client(c *child) client { return client{base: c.base, token: r.token} }

// serve is one more server, in this process: it sees what the next process of
// the installation would. It has no model, so it can only repeat answers.
func (r *crashRig) serve(t *testing.T) *server {
	t.Helper()
	s := start(t, testConfig(r.url, r.env["STEPLEDGER_STATE_DIR"]), hooks{})
	s.token = r.token
	return s
}

// appendsPerTask covers every append of the task below: a claim and an end for six turns,
// one of them a look whether the dead button reacts after all. With the claim go the page
// and, in the first turn, the task's key and its session.
const (
	turnsPerTask   = 6
	appendsPerTask = 2 * turnsPerTask
)

// crashPoints are the places at which the turn's protocol could break: inside each
// append, and between the parts of the turn. All of them are tried in the turn that
// corrects; in the others those are left out that are the same as another, such as the
// end of an append and what comes next.
func crashPoints() []string {
	var points []string
	for n := 1; n <= appendsPerTask; n++ {
		stations := []string{"append.begin", "append.committed"}
		if turn := (n + 1) / 2; turn == thoroughTurn {
			stations = []string{"append.begin", "append.sent", "append.committed", "append.acknowledged"}
		}
		if isClaim := n%2 == 1; isClaim { // a part of what goes along with it is at the server
			stations = append(stations, "append.partly")
		}
		for _, p := range stations {
			points = append(points, p+"@"+strconv.Itoa(n))
		}
	}
	for _, p := range []string{"turn.claimed", "turn.decided", "turn.ended"} {
		points = append(points, p+"@"+strconv.Itoa(thoroughTurn))
	}
	return points
}

// The task's first button is dead, so that a correction is among what may be
// lost or doubled.
func TestCrash_AtEveryPointOfATask(t *testing.T) {
	t.Parallel()
	for _, point := range crashPoints() {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			rig := newCrashRig(t, nil)
			p := newPursuit()
			p.page.dead = true
			pursueAcross(t, p, rig, point)
			if len(p.answers) != turnsPerTask || len(answeredOn(p, "correcting")) != 1 {
				t.Errorf("the task took other turns than the points are for: %+v", p.answers)
			}
			audit(t, rig, p)
		})
	}
}

// pursueAcross walks a task to its end on a server that dies at a point, and on
// another from then on. The request that got no answer is repeated.
func pursueAcross(t *testing.T, p *pursuit, rig *crashRig, point string) {
	t.Helper()
	c := rig.start(t, point)
	killed := false
	eventually(t, "the task ends", func() bool {
		if p.ended {
			return true
		}
		switch err := p.step(t.Context(), rig.client(c)); {
		case err == nil, errors.Is(err, errBusy):
		case errors.Is(err, errGone):
			await(t, "a server that does not answer dies", c.dead)
			c, killed = rig.start(t, ""), true
		default:
			t.Fatal(err)
		}
		return p.ended
	})
	if !killed {
		t.Errorf("%s was never reached: the server was not killed", point)
	}
}
