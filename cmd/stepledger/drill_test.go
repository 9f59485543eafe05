package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/leaktest"
	"github.com/stepledger/stepledger/internal/pgembed"
	"github.com/stepledger/stepledger/internal/pgtest"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// drills is how many points in time are restored: RESTORE_DRILLS, or 5.
func drills(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("RESTORE_DRILLS"), "5"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// drill is a service on a Postgres that archives what it writes.
type drill struct {
	*server
	postgres      *pgembed.Server
	dir, base, at string // of the server, its base backup and its archive
	admin         *pgx.Conn
	tenant        string
	gone          []leaktest.Markers // who was erased
	members       int
	points        []string
}

// quick are settings of servers that need not outlive a crash of the machine.
var quick = map[string]string{
	"fsync": "off", "full_page_writes": "on", "synchronous_commit": "off", "shared_buffers": "64MB", "max_wal_size": "512MB",
}

func halt(t testing.TB, server *pgembed.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := server.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func startDrill(t *testing.T) *drill {
	t.Helper()
	pgtest.AdminURL(t) // ends the test where there is no Postgres
	d := &drill{dir: pgtest.ServerDir(t), base: filepath.Join(pgtest.ServerDir(t), "base"), at: pgtest.ServerDir(t)}
	if err := os.Chmod(d.at, 0o777); err != nil { //nolint:gosec // the server's account writes to it
		t.Fatal(err)
	}
	d.postgres = pgtest.StartServer(t, d.dir, quick, map[string]string{"archive_mode": "on", "archive_command": "cp %p " + d.at + "/%f"})
	cfg := testConfig(d.postgres.URL(), t.TempDir())
	cfg.Models = modelsFrom(t, newFakeGemini(t).env())
	d.server = startWith(t, cfg, slog.New(slog.DiscardHandler), hooks{})
	d.client = d.loginAs(t, newUser(t, d.identity, "jo@acme.example"))
	d.tenant = data[api.SessionData](t, d.get(t, "/api/v1/auth/session")).TenantID
	var err error
	if d.admin, err = pgx.Connect(t.Context(), d.postgres.URL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.admin.Close(context.Background()) })
	backup := exec.CommandContext(t.Context(), pgtest.Program(t, d.postgres.URL(), "pg_basebackup"), "--dbname="+d.postgres.URL(), //nolint:gosec // the test's own
		"--pgdata="+d.base, "--checkpoint=fast", "--no-sync")
	if out, err := backup.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return d
}

// mark names the present moment.
func (d *drill) mark(t *testing.T, name string) {
	t.Helper()
	if _, err := d.admin.Exec(t.Context(), `select pg_create_restore_point($1)`, name); err != nil {
		t.Error(err)
		return
	}
	d.points = append(d.points, name)
}

// work does a task with a model, one of a new member's by the rules, and in every second
// round erases the member.
func (d *drill) work(t *testing.T) *form {
	t.Helper()
	d.members++
	m := personal(fmt.Sprintf("quetzal%d", d.members))
	f := (&form{m: m}).fill(t, d.member(t, d.tenant, m))
	visit().finish(t, d.client)
	if d.members%2 == 0 {
		d.forget(t, m)
	}
	return f
}

func (d *drill) forget(t *testing.T, m leaktest.Markers) {
	t.Helper()
	user, err := d.identity.AnyUser(t.Context(), d.tenant, m["email"]+"@example.org")
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.erasing().Request(t.Context(), erasure.ErasureRequested{Tenant: d.tenant, Kind: erasure.User, Subject: user, Reason: erasure.Asked})
	if err == nil {
		_, err = d.erasing().Run(t.Context(), d.tenant, e.ErasureRequested.Erasure)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.gone = append(d.gone, m)
}

// archived waits until all that was written so far is in the archive.
func (d *drill) archived(t *testing.T) {
	t.Helper()
	var segment string
	if err := d.admin.QueryRow(t.Context(), `select pg_walfile_name(pg_switch_wal())`).Scan(&segment); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		var last string
		if err := d.admin.QueryRow(t.Context(), `select coalesce(last_archived_wal, '') from pg_stat_archiver`).Scan(&last); err != nil {
			t.Fatal(err)
		}
		if last >= segment {
			return
		}
		time.Sleep(30 * time.Millisecond)
	}
	t.Fatalf("%s is not archived", segment)
}

// restoreTo puts the base backup into a folder of a server's and recovers to a point.
func (d *drill) restoreTo(t *testing.T, dir, point string) *pgembed.Server {
	t.Helper()
	cluster := filepath.Join(dir, "pgdata")
	if err := os.CopyFS(cluster, os.DirFS(d.base)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cluster, "recovery.signal"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(cluster, 0o700); err != nil { //nolint:gosec // a folder
		t.Fatal(err)
	}
	pgtest.GiveLike(t, dir, d.dir)
	return pgtest.StartServer(t, dir, quick, map[string]string{
		"restore_command": "cp " + d.at + "/%f %p", "recovery_target_name": point, "recovery_target_action": "promote", "hot_standby": "off",
	})
}

// wholeLog reads a log.
func wholeLog(t testing.TB, s eventstore.Feed) (all []eventstore.Recorded) {
	t.Helper()
	for after := int64(0); ; {
		page, err := s.ReadAll(t.Context(), after, 0, eventstore.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if page.Scanned == after {
			return all
		}
		all, after = append(all, page.Events...), page.Scanned
	}
}

// Points in time are restored at random while tasks, model calls and erasures go on. Each
// restored database says what of the former log it holds, to the event; its read models
// are what the log says; who was erased, before that moment or after, is in no table once
// the service has started; the bills are those of the ledger; and the log goes on.
func TestRestore_PointsInTime(t *testing.T) {
	t.Parallel()
	d := startDrill(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // which moments, no secret
	working, marked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(marked)
		for i := 0; ; i++ {
			d.mark(t, fmt.Sprintf("moment-%d", i))
			select {
			case <-working:
				return
			case <-time.After(time.Duration(rng.IntN(100)) * time.Millisecond):
			}
		}
	}()
	for range 6 {
		d.work(t)
	}
	close(working)
	<-marked
	d.archived(t)
	id, err := d.events.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	former, ids := wholeLog(t, d.events), map[string]bool{id: true}
	for range drills(t) {
		point := d.points[rng.IntN(len(d.points))]
		t.Run(point, func(t *testing.T) {
			began := time.Now()
			now := d.drillOne(t, point, id, former)
			if ids[now] {
				t.Errorf("the log is called %s, as another one was", now)
			}
			ids[now] = true
			t.Logf("restored and looked at in %v", time.Since(began).Round(time.Millisecond))
		})
	}
}

// drillOne restores a point in time and looks at all of it. It returns the log's new id.
func (d *drill) drillOne(t *testing.T, point, id string, former []eventstore.Recorded) string {
	t.Helper()
	server := d.restoreTo(t, pgtest.ServerDir(t), point)
	cfg := d.cfg
	cfg.DatabaseURL = testConfig(server.URL(), cfg.StateDir).DatabaseURL
	r := start(t, cfg, hooks{})
	defer r.stop()
	for _, m := range d.gone {
		m.Find(t, "a table of the restored database", leaktest.Text(leaktest.Tables(t, server.URL())))
	}
	now := d.wantPast(t, r, id, former)
	r.catchUp(t)
	r.rebuiltTheSame(t)
	q := usageview.Queries{DB: r.db}
	if done, err := q.Reconcile(t.Context(), r.events, func(diff usageview.Difference) error { t.Errorf("%+v", diff); return nil }); err != nil || done.Differences > 0 {
		t.Errorf("the bills: %+v, %v", done, err)
	}
	m := personal("quokka")
	if f := (&form{m: m}).fill(t, r.member(t, d.tenant, m)); !f.saved {
		t.Error("no task can be done")
	}
	return now
}

// wantPast checks what a restored log says of the former one, event by event.
func (d *drill) wantPast(t *testing.T, r *server, id string, former []eventstore.Recorded) (now string) {
	t.Helper()
	here := map[int64]string{}
	for _, e := range wholeLog(t, r.events) {
		here[e.Position] = e.ID
	}
	past, err := r.events.Past(t.Context(), id)
	if err != nil {
		t.Fatalf("of the former log it has %d, %v", past, err)
	}
	lost := 0
	for _, e := range former {
		if is := here[e.Position] == e.ID; is != (e.Position <= past) {
			t.Errorf("event %s at %d is here: %v, though the past reaches to %d", e.ID, e.Position, is, past)
		} else if !is {
			lost++
		}
	}
	t.Logf("%d of %d events are lost", lost, len(former))
	now, goesOn, err := eventstore.GoesOn(t.Context(), r.events, id, former[len(former)-1].Position)
	if err != nil || eventstore.EpochNumber(now) != 2 || goesOn != (lost == 0) {
		t.Errorf("a follower of all of %s goes on in %s: %v, %v; %d events are lost", id, now, goesOn, err, lost)
	}
	return now
}

// A database is restored in place, under a service that goes on running: nothing of the
// lost future that it has in memory is told or gone on with.
func TestRestore_UnderARunningService(t *testing.T) {
	t.Parallel()
	d := startDrill(t)
	kept := d.work(t)
	m := personal("ibex")
	who := d.member(t, d.tenant, m)
	f := &form{m: m}
	if f.step(t, who) {
		t.Fatal("the task is over at once")
	}
	later := personal("okapi")
	d.member(t, d.tenant, later)
	d.catchUp(t)
	d.mark(t, "before")
	then := headOfTask(t, d.events, f.task)
	path := "/api/debug/tasks/" + f.task + "/state"
	if f.step(t, who) {
		t.Fatal("the task is over at once")
	}
	future := d.get(t, path) // in memory from here on
	lost := d.work(t)
	d.forget(t, later) // which the restored database does not know
	d.catchUp(t)
	d.archived(t)
	d.admin.Close(t.Context())
	halt(t, d.postgres)
	if err := os.RemoveAll(filepath.Join(d.dir, "pgdata")); err != nil {
		t.Fatal(err)
	}
	d.restoreTo(t, d.dir, "before")
	eventually(t, "the service takes turns again", func() bool {
		r, err := d.do(t.Context(), "GET", "/api/health/ready", nil, nil)
		return err == nil && r.status == 200
	})
	eventually(t, "the service knows of the epoch", func() bool {
		id, err := d.events.ID(t.Context())
		return err == nil && eventstore.EpochNumber(id) == 2
	})
	past := d.get(t, path)
	if state := data[api.StateData](t, past); state.Revision != then || past.header.Get("ETag") == future.header.Get("ETag") {
		t.Errorf("the task is said to be at %d (%s), it is at %d; it was at %s", state.Revision, past.header.Get("ETag"), then, future.header.Get("ETag"))
	}
	if r, err := d.do(t.Context(), "GET", "/api/debug/tasks/"+lost.task+"/state", nil, nil); err != nil || r.status != 404 {
		t.Errorf("a task that was lost: status %d, %v", r.status, err)
	}
	if r, err := d.do(t.Context(), "GET", "/api/debug/tasks/"+kept.task+"/state", nil, nil); err != nil || r.status != 200 {
		t.Errorf("a task that was not: status %d, %v", r.status, err)
	}
	f.step(t, who)
	if now := headOfTask(t, d.events, f.task); now <= then {
		t.Errorf("the task is at %d still: %s", now, f.answers[len(f.answers)-1])
	}
	d.catchUp(t)
	d.rebuiltTheSame(t)
	eventually(t, "who was erased since is erased again", func() bool {
		return len(later.In(leaktest.Text(leaktest.Tables(t, d.url)))) == 0
	})
	if fresh := openFresh(t, d.url); headOfTask(t, fresh, f.task) != headOfTask(t, d.events, f.task) {
		t.Error("another process sees another task")
	}
}

func openFresh(t testing.TB, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// headOfTask is the revision of a task's last event.
func headOfTask(t testing.TB, s eventstore.Log, id string) int64 {
	t.Helper()
	slice, err := s.ReadStream(t.Context(), task.Stream(id), eventstore.ReadOptions{From: eventstore.End, Direction: eventstore.Backwards, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	return slice.Head
}
