package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestRunRetention(t *testing.T) {
	t.Parallel()
	gone := errors.New("database gone")
	for name, tt := range map[string]struct {
		delete func(ctx context.Context, now time.Time) (int64, error)
		want   retentionReport
	}{
		"all that is old":        {func(context.Context, time.Time) (int64, error) { return 250, nil }, retentionReport{deleted: 250}},
		"an error after a batch": {func(context.Context, time.Time) (int64, error) { return 100, gone }, retentionReport{deleted: 100, err: gone}},
		"more than there is time for": {func(ctx context.Context, _ time.Time) (int64, error) {
			<-ctx.Done()
			return 700, ctx.Err()
		}, retentionReport{deleted: 700, more: true, took: jobWithin}},
	} {
		synctest.Test(t, func(t *testing.T) {
			got := runRetention(t.Context(), retentionJob{delete: tt.delete}, time.Now())
			if got.deleted != tt.want.deleted || got.more != tt.want.more || !errors.Is(got.err, tt.want.err) || got.took != tt.want.took {
				t.Errorf("%s: %+v, want %+v", name, got, tt.want)
			}
		})
	}
}

// One job that fails keeps none of the others from running, and all tell what they did.
func TestRetention_OfAWholeTask(t *testing.T) {
	t.Parallel()
	s := newMoneyServer(t)
	p := newPursuit()
	p.finish(t, s.client)
	s.catchUp(t)
	later := time.Now().Add(91 * 24 * time.Hour)
	for _, r := range s.retain(t.Context(), time.Now()) {
		if r.deleted != 0 || r.err != nil {
			t.Errorf("of a task just done: %s deleted %d, %v", r.job.name, r.deleted, r.err)
		}
	}
	var would strings.Builder
	if err := s.printExpired(t.Context(), &would, later); err != nil {
		t.Fatal(err)
	}
	deleted := map[string]int64{}
	for _, r := range s.retain(t.Context(), later) {
		deleted[r.job.name] = r.deleted
		said := strconv.FormatInt(r.deleted, 10)
		if r.job.count == nil {
			said = "counted" // it was not
		}
		if r.err != nil || !contains(would.String(), r.job.name, said) {
			t.Errorf("%s deleted %d, %v; it said\n%s", r.job.name, r.deleted, r.err, &would)
		}
	}
	if deleted["tasks"] != 1 || deleted["sessions"] != 1 || deleted["content"] == 0 || deleted["verdicts"] == 0 {
		t.Errorf("deleted %v", deleted)
	}
	if r := s.get(t, "/api/session/"+p.session+"/messages"); r.status != http.StatusNotFound {
		t.Errorf("the messages of a session that is gone: %d", r.status)
	}
	metrics := s.scrape(t)
	for _, want := range []string{
		`stepledger_retention_deleted_total{job="tasks"} 1`, `stepledger_retention_errors_total{job="tasks"} 0`,
		`stepledger_retention_seconds{job="sessions"}`, `stepledger_retention_last_run_timestamp_seconds{job="content"}`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
}

// contains reports a line of a table that begins and ends with words.
func contains(table, first, last string) bool {
	for line := range strings.Lines(table) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == first && words[len(words)-1] == last {
			return true
		}
	}
	return false
}

func TestRetention_FailureOfOne(t *testing.T) {
	t.Parallel()
	gone := errors.New("database gone")
	m := newRetentionMetrics(prometheus.NewRegistry())
	m.note(retentionReport{job: retentionJob{name: "a"}, deleted: 100, err: gone})
	var out strings.Builder
	err := printRetention(&out, []retentionReport{
		{job: retentionJob{name: "a", keeps: "a day"}, deleted: 100, err: gone}, {job: retentionJob{name: "b", keeps: "a year"}, deleted: 7, more: true},
	})
	if !errors.Is(err, gone) || !strings.Contains(out.String(), "7, and there is more") || !contains(out.String(), "a", "0s") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestRetention_Tool(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	for _, args := range [][]string{{"retention", "--dry-run"}, {"retention"}} {
		out := s.tool(t, args...)
		for _, job := range []string{"tasks", "sessions", "content", "verdicts", "skills", "log"} {
			if !strings.Contains(out, "\n"+job) {
				t.Errorf("%v has no %s:\n%s", args, job, out)
			}
		}
	}
}
