package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/internal/bouncertest"
	"github.com/stepledger/stepledger/internal/doctor"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// testMasterKey is a key that no installation has.
const testMasterKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// runDoctor runs the command and gives its exit code and what it found, by check.
func runDoctor(t *testing.T, env map[string]string, args ...string) (code int, found map[string]doctor.Finding) {
	t.Helper()
	var out bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, io.Discard)
	cmd.SetArgs(append([]string{"doctor", "--json"}, args...))
	err := cmd.ExecuteContext(t.Context())
	code = exitCode(err)
	t.Log("ended with:", err)
	var all []doctor.Finding
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &all); err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
	}
	found = map[string]doctor.Finding{}
	for _, f := range all {
		found[f.Check] = f
	}
	return code, found
}

func wantFinding(t *testing.T, found map[string]doctor.Finding, check string, state doctor.State) {
	t.Helper()
	if f := found[check]; f.State != state {
		t.Errorf("%s: %+v, want %s", check, f, state)
	}
}

// Each fault is made in a database that a service has worked on.
func TestDoctor(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	if err := newPursuit().step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	s.catchUp(t)
	s.stop()
	env := map[string]string{"DATABASE_URL": s.url, "STEPLEDGER_STATE_DIR": s.cfg.StateDir, "LOG_LEVEL": "error"}
	with := func(more map[string]string) map[string]string {
		all := maps.Clone(env)
		maps.Copy(all, more)
		return all
	}
	code, found := runDoctor(t, env, "--deep")
	wantCode := 0
	for check, f := range found {
		switch {
		case f.State != doctor.Fail:
		case check == "durability" || check == "connections": // of the tests' own server, which others use
			wantCode = exitUnwell
		default:
			t.Errorf("%+v", f)
		}
	}
	if code != wantCode {
		t.Errorf("exit code %d, want %d", code, wantCode)
	}
	for _, check := range []string{"schemas", "master key", "log", "read model tasks", "consumer close-calls", "erasures", "budgets", "bills", "models"} {
		wantFinding(t, found, check, doctor.OK)
	}

	exec := func(sql string) {
		t.Helper()
		db, err := pgx.Connect(t.Context(), s.url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close(t.Context())
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`update log.events set recorded_at = now() - interval '1 hour'`)
	exec(`update read.checkpoint set position = 0 where projection = 'tasks'`)
	exec(`update read.checkpoint set position = position + 1000 where projection = 'sessions'`)
	exec(`update feed.checkpoint set position = 0 where consumer = 'see-pages'`)
	exec(`update feed.checkpoint set position = 1000000 where consumer = 'close-calls'`)
	exec(`insert into feed.parked values ('interrupt-archived', 1, 'session-1', 0, gen_random_uuid(), 'x', 'broken')`)
	if err := (erasureList{s.cfg.Erasures}).Add(t.Context(), erasure.Listed{
		Erasure: erasure.ID("acme", erasure.User, "jo"), Tenant: "acme", Kind: erasure.User, Subject: "jo", Reason: erasure.Asked,
	}); err != nil {
		t.Fatal(err)
	}
	code, found = runDoctor(t, with(map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "x", "SMART_MODEL_NAME": "m", "FAST_MODEL_NAME": "m"}))
	if code != exitUnwell {
		t.Errorf("exit code %d: %+v", code, found)
	}
	wantFinding(t, found, "read model tasks", doctor.Fail)
	wantFinding(t, found, "read model sessions", doctor.Fail)
	wantFinding(t, found, "consumer close-calls", doctor.Fail)
	wantFinding(t, found, "consumer see-pages", doctor.Fail)
	wantFinding(t, found, "consumer interrupt-archived", doctor.Warn)
	wantFinding(t, found, "erasures", doctor.Fail)
	wantFinding(t, found, "model provider openai", doctor.Fail)

	_, found = runDoctor(t, with(map[string]string{"STEPLEDGER_MASTER_KEY": testMasterKey}))
	wantFinding(t, found, "master key", doctor.Fail)

	elsewhere := t.TempDir()
	_, found = runDoctor(t, with(map[string]string{"STEPLEDGER_STATE_DIR": elsewhere}))
	wantFinding(t, found, "master key", doctor.Fail)
	if made, err := os.ReadDir(elsewhere); err != nil || len(made) > 0 {
		t.Errorf("it made %v, %v", made, err)
	}
}

// What serve does not start with is told like everything else.
func TestDoctor_WhereServeDoesNotStart(t *testing.T) {
	t.Parallel()
	t.Run("a pooler", func(t *testing.T) {
		t.Parallel()
		direct, state := pgtest.Database(t, "stepledger", migrate), t.TempDir()
		strict := bouncertest.NewStrict(t, direct)
		env := map[string]string{"DATABASE_URL": strict.URL, "STEPLEDGER_STATE_DIR": state, "LOG_LEVEL": "error", "STEPLEDGER_MASTER_KEY": testMasterKey}
		code, found := runDoctor(t, env)
		if code != exitUnwell {
			t.Errorf("exit code %d", code)
		}
		wantFinding(t, found, "pooler", doctor.Fail)
		wantFinding(t, found, "schemas", doctor.OK)
		wantFinding(t, found, "system", doctor.Fail)
		env["DATABASE_DIRECT_URL"] = direct
		_, found = runDoctor(t, env)
		for _, check := range []string{"pooler", "schemas", "master key", "log", "read model tasks"} {
			wantFinding(t, found, check, doctor.OK)
		}
		if left := strict.Left(t); len(left) > 0 {
			t.Errorf("left in sessions of others: %q", left)
		}
	})
	t.Run("a standby", func(t *testing.T) {
		t.Parallel()
		pair := pgtest.StartPair(t, migrate)
		code, found := runDoctor(t, map[string]string{
			"DATABASE_URL": pair.Standby.URL(), "STEPLEDGER_STATE_DIR": t.TempDir(), "LOG_LEVEL": "error", "STEPLEDGER_MASTER_KEY": testMasterKey,
		})
		if code != exitUnwell {
			t.Errorf("exit code %d", code)
		}
		wantFinding(t, found, "writable", doctor.Fail)
		wantFinding(t, found, "schemas", doctor.OK)
		wantFinding(t, found, "system", doctor.Fail)
	})
}

func TestDoctor_CouldNotLook(t *testing.T) {
	t.Parallel()
	if code, _ := runDoctor(t, map[string]string{"DATABASE_URL": "postgres://127.0.0.1:1/nothing", "STEPLEDGER_STATE_DIR": t.TempDir()}); code != exitUnlooked {
		t.Errorf("without a database: exit code %d", code)
	}
	code, found := runDoctor(t, map[string]string{"DATABASE_URL": pgtest.Database(t, "empty", nil), "STEPLEDGER_STATE_DIR": t.TempDir()})
	if code != exitUnwell {
		t.Errorf("of an empty database: exit code %d", code)
	}
	wantFinding(t, found, "schemas", doctor.Fail)
}

func TestExamined_Lagged(t *testing.T) {
	t.Parallel()
	e := examined{lag: time.Second}
	for lag, want := range map[time.Duration]doctor.State{0: doctor.OK, 2 * time.Second: doctor.Warn, time.Minute: doctor.Fail} {
		if got := e.lagged(lag); got != want {
			t.Errorf("%v: %s, want %s", lag, got, want)
		}
	}
}
