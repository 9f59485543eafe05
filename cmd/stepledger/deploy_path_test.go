package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// toRun is a line of a document that a test runs.
var toRun = regexp.MustCompile(`(?m)^ *(\S.*?) +# run$`)

// emptyBeside makes an empty database on the server of another, for what is restored.
func emptyBeside(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/") + "_empty"
	admin := *u
	admin.Path = "/postgres"
	db, err := pgx.Connect(t.Context(), admin.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "create database "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = db.Exec(context.Background(), "drop database "+name+" with (force)")
		db.Close(context.Background())
	})
	u.Path = "/" + name
	return u.String()
}

// operator is who goes by deploy/README.md: with the program as it is built, a database, and
// two processes that serve.
type operator struct {
	*testing.T
	dir      string
	env      []string
	database string
	token    string
	servers  [2]atomic.Pointer[served]
	ran      map[string]string
}

// served is a process that serves.
type served struct {
	cmd           *exec.Cmd
	base, metrics string
	failed        bool          // it did not come up
	dead          chan struct{} // closed once it has ended
	end           error         // of Wait
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	o := &operator{T: t, dir: t.TempDir(), database: pgtest.Database(t, "stepledger", migrate), ran: map[string]string{}}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(o.dir, "bin", "stepledger"), ".") //nolint:gosec // our own package
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	tools := filepath.Dir(pgtest.Program(t, o.database, "pg_dump"))
	o.env = append(os.Environ(), "DATABASE_URL="+o.database, "RESTORED_URL="+emptyBeside(t, o.database), "STEPLEDGER_STATE_DIR="+filepath.Join(o.dir, "state"),
		"STEPLEDGER_ARCHIVE="+t.TempDir(), "LOG_LEVEL=error", "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	return o
}

// run types a line of the document.
func (o *operator) run(line string) {
	o.Helper()
	cmd := exec.CommandContext(o.Context(), "sh", "-c", line) //nolint:gosec // a line of our own document
	cmd.Dir, cmd.Env = o.dir, o.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	unwell := strings.Contains(line, "doctor") && errors.As(err, &exit) && exit.ExitCode() == exitUnwell
	if err != nil && !unwell { // the doctor may find fault with the test's machine
		o.Fatalf("%s: %v\n%s", line, err, out)
	}
	o.ran[line] = string(out)
}

// serveTries are how often a process that serves may find its address taken.
const serveTries = 5

// serve starts a process that serves, and returns once it may take turns. It has the address
// of the one before it, unless somebody else took that meanwhile.
func (o *operator) serve(n int) {
	o.Helper()
	for range serveTries {
		next := &served{base: freeAddress(o), metrics: freeAddress(o)}
		if last := o.servers[n].Load(); last != nil && !last.failed {
			next.base, next.metrics = last.base, last.metrics
		}
		o.servers[n].Store(next)
		if o.comesUp(n, next) {
			return
		}
		next.failed = true
	}
	o.Fatalf("no process serves after %d tries", serveTries)
}

// comesUp starts a process, and reports whether it may take turns.
func (o *operator) comesUp(n int, s *served) bool {
	o.Helper()
	s.dead = make(chan struct{})
	s.cmd = exec.Command(filepath.Join(o.dir, "bin", "stepledger"), "serve") //nolint:gosec // built above
	s.cmd.Env = append(slices.Clone(o.env), "STEPLEDGER_ADDR="+s.base, "STEPLEDGER_METRICS_ADDR="+s.metrics)
	s.cmd.Stderr = os.Stderr
	dieWithParent(s.cmd)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the process dies with the thread that forks it
		err := s.cmd.Start()
		started <- err
		if err == nil {
			s.end = s.cmd.Wait()
			close(s.dead)
		}
	}()
	if err := <-started; err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() { _ = s.cmd.Process.Kill() })
	ctx, cancel := context.WithTimeout(o.Context(), startTimeout)
	defer cancel()
	ready := false
	err := repeat(ctx, func() bool {
		r, err := o.client(n).do(ctx, http.MethodGet, "/api/health/ready", nil, nil)
		ready = err == nil && r.status == http.StatusOK
		return ready || isClosed(s.dead)
	})
	if err != nil || isClosed(s.dead) {
		_ = s.cmd.Process.Kill()
		<-s.dead
		return false
	}
	return ready
}

func (o *operator) client(n int) client {
	return client{base: "http://" + o.servers[n].Load().base, token: o.token}
}

// end has a process end as a supervisor does.
func (o *operator) end(n int) {
	o.Helper()
	s := o.servers[n].Load()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		o.Fatal(err)
	}
	awaitWithin(o, "a process ends", turnWithin, s.dead)
	if s.end != nil {
		o.Errorf("a process ended with: %v", s.end)
	}
}

func freeAddress(t testing.TB) string {
	t.Helper()
	return "127.0.0.1:" + strconv.Itoa(freePort(t))
}

// exchange exchanges both processes, one after the other, while clients go from one to the
// other: all their tasks are done, each request answered by one turn.
func (o *operator) exchange() {
	o.Helper()
	exchanged := make(chan struct{})
	var traffic sync.WaitGroup
	var mu sync.Mutex
	var done []*pursuit
	for i := range 3 {
		traffic.Go(func() {
			for last := false; !last && !o.Failed(); {
				select {
				case <-exchanged:
					last = true
				default:
				}
				p := newPursuit()
				for try, until := i, time.Now().Add(turnWithin); !p.ended && time.Now().Before(until); try++ {
					err := p.step(o.Context(), o.client(try%2))
					switch {
					case errors.Is(err, errBusy), errors.Is(err, errGone):
						_ = nap(o.Context(), 10*time.Millisecond)
					case err != nil:
						o.Errorf("a task under the exchange: %v", err)
						return
					}
				}
				mu.Lock()
				done = append(done, p)
				mu.Unlock()
			}
		})
	}
	for n := range o.servers {
		o.end(n)
		o.serve(n)
	}
	close(exchanged)
	traffic.Wait()
	for _, p := range done {
		if n := o.client(0).count(o.T, p.task, task.NameTurnEnded); !p.ended || n != len(p.exchanges) {
			o.Errorf("a task was answered %d times and has %d turns (ended: %t)", len(p.exchanges), n, p.ended)
		}
	}
}

// spoil appends an event that no read model can apply; mend takes it away.
func (o *operator) spoil() (mend func()) {
	o.Helper()
	store, err := postgres.Open(o.Context(), o.database, postgres.Options{})
	if err != nil {
		o.Fatal(err)
	}
	o.Cleanup(func() { store.Close() })
	stream := task.Stream(domain.NewUUID())
	broken := eventstore.Proposed{
		ID: domain.NewUUID(), Type: task.NameTaskResumed, Data: []byte(`{"turn":"many"}`), Meta: eventstore.Metadata{Tenant: "t", Schema: 1}.Encode(),
	}
	if _, err := store.Append(o.Context(), stream, eventstore.NoStream, []eventstore.Proposed{broken}); err != nil {
		o.Fatal(err)
	}
	return func() {
		o.Helper()
		if err := store.Delete(o.Context(), stream, 0); err != nil {
			o.Fatal(err)
		}
	}
}

// parkedSeries is what the servers say of events put aside, as Prometheus reads it. The
// test of the alerts fires EventsParked with it.
const parkedSeries = "../../deploy/check/testdata/parked.prom"

// scraped are the lines of a metric of a server.
func (o *operator) scraped(n int, metric string) string {
	o.Helper()
	r, err := client{base: "http://" + o.servers[n].Load().metrics}.do(o.Context(), http.MethodGet, "/metrics", nil, nil)
	if err != nil {
		o.Fatal(err)
	}
	return strings.Join(regexp.MustCompile(`(?m)^`+metric+`\{.*$`).FindAllString(string(r.body), -1), "\n") + "\n"
}

// The path of a new operator in deploy/README.md, typed as it stands there: install, an
// alert's page, backup, restore, upgrade and back, while two processes serve. What was there
// before the backup is there after it, but for who was erased since, and no turn of the
// traffic is lost.
func TestDeploy_TheOperatorsPath(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(deployDocs[0])
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := os.ReadFile(parkedSeries)
	if err != nil {
		t.Fatal(err)
	}
	o := newOperator(t)
	mend := func() {}
	for _, m := range toRun.FindAllStringSubmatch(string(doc), -1) {
		if m[1] == "bin/stepledger projection retry" {
			if !strings.Contains(o.ran["bin/stepledger projection parked"], task.NameTaskResumed) {
				t.Errorf("the page of the alert does not show the event: %q", o.ran["bin/stepledger projection parked"])
			}
			mend()
		}
		o.run(m[1])
		switch m[1] {
		case "bin/stepledger tenant add Acme --email jo@acme.example":
			o.logIn()
			o.serve(0)
			o.serve(1)
			mend = o.spoil()
			eventually(t, "the server says what the alert asks for", func() bool { return o.scraped(0, "stepledger_projection_parked_events") == string(wanted) })
		case `pg_dump --format=custom --file=stepledger.dump "$DATABASE_URL"`:
			o.run("bin/stepledger erase user jo@acme.example --tenant Acme")
		case "bin/stepledger migrate":
			o.exchange() // to the new version
			o.exchange() // and back
		}
	}
	for _, want := range []string{
		"tenant add", "pg_dump", "pg_restore", "erase reapply", "usage reconcile", "archive status", "archive verify", "projection rebuild", "projection parked", "--version", "migrate --finish", "doctor",
	} {
		if !strings.Contains(strings.Join(keysOf(o.ran), "\n"), want) {
			t.Errorf("nothing is run of %s", want)
		}
	}
	if left := o.scraped(0, "stepledger_projection_parked_events"); strings.Contains(left, "} 1") {
		t.Errorf("after the page of the alert there is still put aside:\n%s", left)
	}
	if again := o.ran[`DATABASE_URL="$RESTORED_URL" bin/stepledger erase reapply`]; !strings.Contains(again, "1 of 1") {
		t.Errorf("who was erased after the backup is not erased from it: %q", again)
	}
	if all := o.ran[`DATABASE_URL="$RESTORED_URL" bin/stepledger tenant list`]; !strings.Contains(all, "Acme") {
		t.Errorf("who was there before the backup is not after it: %q", all)
	}
}

// logIn makes a user whose clients are the traffic.
func (o *operator) logIn() {
	o.Helper()
	ids, err := identity.Open(o.Context(), o.database, identity.Options{})
	if err != nil {
		o.Fatal(err)
	}
	defer ids.Close()
	login, err := ids.Login(o.Context(), newUser(o, ids, "ed@acme.example"), testPassword, account.Client{})
	if err != nil {
		o.Fatal(err)
	}
	o.token = login.Token.Reveal()
}

func keysOf(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
