package main

import (
	"bytes"
	"context"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/internal/leaktest"
)

// copyOf is the database as it is, under another name: what a backup would restore.
func copyOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	admin := *u
	admin.Path = "/postgres"
	db, err := pgx.Connect(t.Context(), admin.String())
	if err != nil {
		t.Fatal(err)
	}
	copied := name + "_restored"
	run := func(sql string) {
		t.Helper()
		if _, err := db.Exec(context.Background(), sql); err != nil {
			t.Fatal(err)
		}
	}
	run(`create database ` + copied + ` template ` + name)
	t.Cleanup(func() {
		run(`drop database ` + copied + ` with (force)`)
		db.Close(context.Background())
	})
	u.Path = "/" + copied
	return u.String()
}

// A backup from before an erasure is restored: the service that starts on it erases again
// before it serves, and says so.
func TestErase_RestoredBackup(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	gone := personal("zerzura")
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	f := (&form{m: gone}).fill(t, s.member(t, tenant, gone))
	s.catchUp(t)
	s.stop()
	backup := copyOf(t, s.url)
	s.tool(t, "erase", "user", gone["email"]+"@example.org", "--tenant", tenant)
	if found := gone.In(leaktest.Text(leaktest.Tables(t, backup))); len(found) == 0 {
		t.Fatal("the backup holds nothing to erase")
	}
	var log leaktest.Output
	restored := startWith(t, testConfig(backup, s.cfg.StateDir), slog.New(slog.NewTextHandler(&log, nil)), hooks{})
	if !strings.Contains(log.String(), "restored from a backup") {
		t.Errorf("the log does not say so: %s", log.String())
	}
	gone.Find(t, "a table of the restored database", leaktest.Text(leaktest.Tables(t, backup)))
	gone.Find(t, "what is told", restored.operators(t, f))
	all, err := restored.erasing().Erasures(t.Context(), tenant)
	if err != nil || len(all) != 1 || all[0].Completed == nil || all[0].Kind != erasure.User {
		t.Errorf("the record: %+v, %v", all, err)
	}
	if out := restored.tool(t, "erase", "reapply"); !strings.Contains(out, "0 of 1") {
		t.Errorf("once more: %s", out)
	}
}

func TestErasureList(t *testing.T) {
	t.Parallel()
	l := erasureList{t.TempDir() + "/deep/erasures.jsonl"}
	if list, err := l.read(); err != nil || list != nil {
		t.Errorf("without a file: %v, %v", list, err)
	}
	entry := func(subject string) erasure.Listed {
		return erasure.Listed{Erasure: erasure.ID("acme", erasure.User, subject), Tenant: "acme", Kind: erasure.User, Subject: subject, Reason: erasure.Asked}
	}
	for _, entries := range [][]erasure.Listed{{entry("jo")}, {entry("jo"), entry("ann"), entry("ann")}, {}} {
		if err := l.Add(t.Context(), entries...); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := l.read(); err != nil || len(list) != 2 || list[0] != entry("jo") || list[1] != entry("ann") {
		t.Fatalf("%v, %v", list, err)
	}
	whole, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.path, whole[:len(whole)-20], 0o600); err != nil { // a crash has torn the last
		t.Fatal(err)
	}
	if err := l.Add(t.Context(), entry("bo")); err != nil {
		t.Fatal(err)
	}
	if list, err := l.read(); err != nil || len(list) != 2 || list[1] != entry("bo") {
		t.Errorf("after a crash: %v, %v", list, err)
	}
	if err := os.WriteFile(l.path, bytes.ReplaceAll(whole, []byte(`"jo"`), []byte(`"eve"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.read(); err == nil {
		t.Error("a line that was changed is believed")
	}
}
