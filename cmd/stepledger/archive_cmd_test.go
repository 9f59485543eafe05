package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/internal/doctor"
)

// archiveFinding is what doctor says of the archive.
func archiveFinding(t *testing.T, s *system) doctor.Finding {
	t.Helper()
	found, err := s.examineArchive(t.Context(), examined{now: time.Now})
	if err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	return found[0]
}

// onlySegment is the one file of an archive.
func onlySegment(t *testing.T, folder string) string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	return files[0]
}

// An operator archives, looks, compares and sweeps; a segment that was changed, and one that is
// gone, are told of by verify and doctor, and who asks for what is in it is told to try again.
func TestArchive_Commands(t *testing.T) {
	t.Parallel()
	s := newArchivedServer(t, nil)
	s.pursued(t, newPursuit(), newPursuit())
	if out := s.tool(t, "archive", "run"); !strings.HasPrefix(out, "0 streams") {
		t.Errorf("of what ended just now: %s", out)
	}
	if f := archiveFinding(t, s.system); f.State != doctor.OK || !strings.Contains(f.Found, "0 events") {
		t.Errorf("doctor of an empty archive: %+v", f)
	}
	status := s.archives(t)
	if status.Place != s.cfg.Archive.Address || status.Oldest != nil || status.Followed != status.Head {
		t.Errorf("%+v", status)
	}
	if out := s.tool(t, "archive", "status"); !regexp.MustCompile(`\nsegments +1\n`).MatchString(out) {
		t.Errorf("status: %s", out)
	}
	if out := s.tool(t, "archive", "verify"); !strings.Contains(out, "1 segments") || !strings.Contains(out, " 0 are wrong") {
		t.Errorf("verify: %s", out)
	}
	if f := archiveFinding(t, s.system); f.State != doctor.OK || !strings.Contains(f.Found, "1 segments") {
		t.Errorf("doctor: %+v", f)
	}
	s.sweeps(t)
	s.brokenSegment(t)
}

// sweeps checks that only what is not named, and is old, is removed, and only if it is meant.
func (s *server) sweeps(t *testing.T) {
	t.Helper()
	named := onlySegment(t, s.cfg.Archive.Address)
	orphan := filepath.Join(filepath.Dir(named), "of-another-time.parquet")
	if err := os.WriteFile(orphan, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{orphan, named} {
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(-48*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.toolError(t, "archive", "sweep"); err == nil || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("without being sure: %v", err)
	}
	if out := s.tool(t, "archive", "sweep", "--yes"); !strings.Contains(out, "1 objects with 1 bytes") {
		t.Errorf("sweep: %s", out)
	}
	if onlySegment(t, s.cfg.Archive.Address) != named {
		t.Error("the wrong one was removed")
	}
}

func (s *server) brokenSegment(t *testing.T) {
	t.Helper()
	file := onlySegment(t, s.cfg.Archive.Address)
	whole, err := os.ReadFile(file) //nolint:gosec // of the test's own folder
	if err != nil {
		t.Fatal(err)
	}
	verified := func(what string) {
		t.Helper()
		var exit exitError
		if err := s.toolError(t, "archive", "verify"); !errors.As(err, &exit) || exit.code != exitUnwell {
			t.Errorf("%s: verify ends with %v", what, err)
		}
		if f := archiveFinding(t, s.system); f.State != doctor.Fail || !strings.Contains(f.Found, filepath.Base(file)) {
			t.Errorf("%s: doctor finds %+v", what, f)
		}
	}
	changed := append([]byte{}, whole...)
	changed[len(changed)/2] ^= 1
	if err := os.WriteFile(file, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	verified("changed")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	verified("gone")
	other := start(t, testConfigOf(s), hooks{})
	other.client = client{base: other.base, token: s.token}
	id := s.archivedTask(t)
	wants := func(status int) {
		t.Helper()
		r, err := other.do(t.Context(), http.MethodGet, "/api/debug/tasks/"+id+"/state?revision=1", nil, nil)
		if err != nil || r.status != status || status >= 500 && r.header.Get("Retry-After") == "" {
			t.Errorf("status %d, want %d, %v: %s", r.status, status, err, r.body)
		}
	}
	wants(http.StatusServiceUnavailable)
	newPursuit().finish(t, other.client) // what is not archived goes on
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	wants(http.StatusOK)
}

// archivedTask is the id of a task that is archived.
func (s *server) archivedTask(t *testing.T) (id string) {
	t.Helper()
	err := s.db.QueryRow(t.Context(), `select split_part(stream, '-', 2) || substr(stream, 14) from log.archived where stream like 'task-%' limit 1`).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// A process without the setting says so where it meets what is archived, and doctor does; its
// commands for the archive are refused.
func TestArchive_WithoutTheSetting(t *testing.T) {
	t.Parallel()
	s := newArchivedServer(t, nil)
	l := s.pursued(t, newPursuit(), newPursuit())
	s.archives(t)
	s.isArchived(t, task.Stream(l.task))
	cfg := testConfigOf(s)
	cfg.Archive = archiveConfig{}
	other := start(t, cfg, hooks{})
	if f := archiveFinding(t, other.system); f.State != doctor.Fail || !strings.Contains(f.Do, "STEPLEDGER_ARCHIVE") {
		t.Errorf("doctor: %+v", f)
	}
	for _, command := range []string{"run", "status", "verify"} {
		if err := other.toolError(t, "archive", command); err == nil || !strings.Contains(err.Error(), "STEPLEDGER_ARCHIVE") {
			t.Errorf("archive %s: %v", command, err)
		}
	}
	if err := other.toolError(t, "task", "at", l.task, "1"); err == nil || !strings.Contains(err.Error(), "archive") {
		t.Errorf("a task that is archived: %v", err)
	}
	if err := s.toolError(t, "archive", "run", "--after-days", "-1"); err == nil {
		t.Error("days that are none are taken")
	}
}

// The service archives by itself, in one process at a time, and says in its figures what it did
// and what failed.
func TestArchive_Duty(t *testing.T) {
	t.Parallel()
	s := newArchivedServer(t, nil)
	l := s.pursued(t, newPursuit(), newPursuit())
	s.reacted(t)
	later := time.Now().Add((archivedAfter + 2) * 24 * time.Hour)
	other := start(t, testConfigOf(s), hooks{})
	for _, p := range []*server{s, other} {
		if more, err := p.archiveLed(t.Context(), time.Now()); more || err != nil {
			t.Error(more, err)
		}
	}
	s.isWhole(t, task.Stream(l.task))
	s.catchUp(t)
	s.failsToArchive(t, other, later)
	eventually(t, "one of them archives", func() bool { // whichever has the duty
		moved := 0.0
		for _, p := range []*server{s, other} {
			if more, err := p.archiveLed(t.Context(), later); more || err != nil {
				t.Error(more, err)
			}
			moved += testutil.ToFloat64(p.archived.streams)
		}
		return moved > 0
	})
	s.isArchived(t, task.Stream(l.task), task.Stream(l.other))
	worked := 0
	for _, p := range []*server{s, other} {
		if testutil.ToFloat64(p.archived.streams) > 0 {
			worked++
		}
	}
	if worked != 1 {
		t.Errorf("%d processes archived", worked)
	}
}

// failsToArchive has the place of the archive be gone for a while, which is counted.
func (s *server) failsToArchive(t *testing.T, other *server, later time.Time) {
	t.Helper()
	gone := s.cfg.Archive.Address + ".gone"
	if err := os.Rename(s.cfg.Archive.Address, gone); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a run without the place fails", func() bool {
		_, first := s.archiveLed(t.Context(), later)
		_, second := other.archiveLed(t.Context(), later)
		return errors.Join(first, second) != nil
	})
	runs, writes := 0.0, 0.0
	for _, p := range []*server{s, other} {
		runs += testutil.ToFloat64(p.archived.failed)
		writes += testutil.ToFloat64(p.archived.failedCalls.WithLabelValues("write"))
	}
	if runs < 1 || writes < 1 {
		t.Errorf("%v runs and %v calls of the place are said to have failed", runs, writes)
	}
	if err := os.Rename(gone, s.cfg.Archive.Address); err != nil {
		t.Fatal(err)
	}
}

// isWhole checks that a stream is in the database from its first event on.
func (s *server) isWhole(t *testing.T, stream string) {
	t.Helper()
	var first int64
	if err := s.db.QueryRow(t.Context(), `select min(revision) from log.events where stream = $1`, stream).Scan(&first); err != nil || first != 0 {
		t.Errorf("%s begins at %d in the database, %v", stream, first, err)
	}
}
