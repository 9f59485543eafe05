package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The load of BenchmarkAPILoad.
const (
	loadRate   = 200
	loadActive = 1000
	loadLasts  = 60 * time.Second
)

// BenchmarkAPILoad is a thousand active tasks, 200 interacts a second by rules, on
// pages of 60 elements, for a minute, beside the same requests to a handler that reads
// the body and makes two durable inserts. Server, Postgres and clients share the
// machine. Then the same while Postgres restarts: how many requests were told to come
// again, and how many acknowledged answers are lost.
func BenchmarkAPILoad(b *testing.B) {
	for range b.N {
		rig := newPrivateRig(b, nil)
		server := rig.start(b, "")
		c := pooled(rig.client(server))

		ours := load{rate: loadRate, lasts: loadLasts, send: interacts(c)}
		memory := watchMemory(server.cmd.Process.Pid)
		ours.run(b.Context(), loadTasks(loadActive))
		sizes := memory()
		theirs := load{rate: loadRate, lasts: loadLasts, send: floor(b, rig)}
		theirs.run(b.Context(), loadTasks(loadActive))

		if len(ours.faults) > 0 || ours.statuses[http.StatusOK] != len(ours.took) {
			b.Errorf("statuses %v, faults %q", ours.statuses, ours.faults)
		}
		bar("api.interact_200rps_p50_vs_floor", ours.quantile(0.50), theirs.quantile(0.50), "ms")
		bar("api.interact_200rps_p99_vs_floor", ours.quantile(0.99), theirs.quantile(0.99), "ms")
		// Of the last third of the time, beside the second.
		bar("api.interact_200rps_memory_growth", mean(sizes[2*len(sizes)/3:]), mean(sizes[len(sizes)/3:2*len(sizes)/3]), "MiB")
		restarted(b, rig, c)
	}
}

func restarted(b *testing.B, rig *privateRig, c client) {
	b.Helper()
	tasks := loadTasks(loadActive)
	l := load{rate: loadRate, lasts: loadLasts / 2, send: interacts(c)}
	go func() {
		time.Sleep(l.lasts / 3)
		_ = syscall.Kill(rig.postmaster(b), syscall.SIGINT)
	}()
	l.run(b.Context(), tasks)
	onlyTold(b, &l)
	gone, asked, err := lostAnswers(b.Context(), c, tasks)
	if err != nil {
		b.Error(err)
	}
	fmt.Printf("Postgres restarted under load: statuses %v, the slowest took %.0f ms\n", l.statuses, l.quantile(1))
	bar("api.restart_lost_answers", float64(gone), float64(asked), "answers")
}

// floor is what no such request can do without: the body is read, and two rows are
// durable before it is answered.
func floor(b *testing.B, rig *privateRig) func(context.Context, *pursuit) (int, error) {
	b.Helper()
	pool, err := pgxpool.New(b.Context(), rig.url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	if _, err := pool.Exec(b.Context(), `create table if not exists reference (id bigint generated always as identity primary key, body bytea not null)`); err != nil {
		b.Fatal(err)
	}
	r := chi.NewRouter()
	r.Post("/", func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for range 2 {
			if _, err := pool.Exec(r.Context(), `insert into reference (body) values ($1)`, make([]byte, referencePayload)); err != nil {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
		}
		_, _ = io.WriteString(w, "{}")
	})
	srv := httptest.NewServer(r)
	b.Cleanup(srv.Close)
	c := pooled(client{base: srv.URL})
	return func(ctx context.Context, p *pursuit) (int, error) {
		_, body := p.request()
		r, err := c.do(ctx, http.MethodPost, "/", body, nil)
		return r.status, err
	}
}

// watchMemory reads the resident memory of a process every second, until it is asked
// for the sizes in MiB.
func watchMemory(pid int) (sizes func() []float64) {
	var done atomic.Bool
	result := make(chan []float64)
	go func() {
		var all []float64
		for !done.Load() {
			all = append(all, resident(pid))
			time.Sleep(time.Second)
		}
		result <- all
	}()
	return func() []float64 {
		done.Store(true)
		return <-result
	}
}

func resident(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if kb, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(kb, "kB")), 64)
			return n / 1024
		}
	}
	return 0
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(len(v), 1))
}
