package postgres

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

// How a wake-up is measured: from when a writer's call has returned, its event
// committed, until another process has the event in hand, read from the log. The
// reference is told by a bare LISTEN of a notification that came with the commit,
// and has read nothing. Both may be there before the writer knows.
const (
	wakeEnv    = "BENCH_WAKE" // "ours" or "listen": the test binary plays the other process
	wakeURL    = "BENCH_WAKE_URL"
	wakeUps    = 100 // a round
	wakeRounds = 12
	wakeEvery  = 2 * time.Millisecond
	busyRate   = 5_000 // events/s
)

// playWaker prints each event or notification with the time it arrived.
func playWaker(kind string) error {
	ctx, url := context.Background(), os.Getenv(wakeURL)
	told := func(what string) { fmt.Println(what, time.Now().UnixNano()) }
	if kind == "listen" {
		c, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "listen bench"); err != nil {
			return err
		}
		told("ready")
		for {
			n, err := c.WaitForNotification(ctx)
			if err != nil {
				return err
			}
			told(n.Payload)
		}
	}
	s, err := Open(ctx, url, Options{})
	if err != nil {
		return err
	}
	head, err := s.Head(ctx)
	if err != nil {
		return err
	}
	told("ready")
	for p, err := range s.Subscribe(ctx, head, eventstore.Filter{}) {
		if err != nil {
			return err
		}
		for _, e := range p.Events {
			if strings.HasPrefix(e.Stream, "wake-") {
				told(e.ID)
			}
		}
	}
	return nil
}

// waker is the other process.
type waker struct {
	mu      sync.Mutex
	arrived map[string]int64
	lines   chan struct{}
}

func startWaker(b *testing.B, kind, url string) *waker {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), wakeEnv+"="+kind, wakeURL+"="+url)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	w := &waker{arrived: make(map[string]int64), lines: make(chan struct{}, 1)}
	go func() {
		for in := bufio.NewScanner(out); in.Scan(); {
			what, at, _ := strings.Cut(in.Text(), " ")
			w.mu.Lock()
			w.arrived[what], _ = strconv.ParseInt(at, 10, 64)
			w.mu.Unlock()
			select {
			case w.lines <- struct{}{}:
			default:
			}
		}
	}()
	w.after(b, "ready", time.Time{})
	return w
}

// after waits until something has arrived, and gives how long that was after a
// moment; never less than nothing.
func (w *waker) after(b *testing.B, what string, moment time.Time) time.Duration {
	b.Helper()
	deadline := time.After(patience)
	for {
		w.mu.Lock()
		at, ok := w.arrived[what]
		w.mu.Unlock()
		if ok {
			return max(0, time.Duration(at-moment.UnixNano()))
		}
		select {
		case <-w.lines:
		case <-deadline:
			b.Fatalf("%s never arrived", what)
		}
	}
}

func BenchmarkWake(b *testing.B) {
	url := database(b)
	ref, s := referencePool(b, url, 4), open(b, url, Options{})
	benchExec(b, ref, referenceTable)
	wakers := []*waker{startWaker(b, "ours", url), startWaker(b, "listen", url)}
	send := []func(stream string, version int64) (id string, err error){
		func(stream string, version int64) (string, error) {
			e := benchEvent()
			_, err := s.Append(context.Background(), stream, version-1, []eventstore.Proposed{e})
			return e.ID, err
		},
		func(stream string, version int64) (string, error) {
			e := benchEvent()
			var both pgx.Batch
			both.Queue(referenceInsert, stream, version, e.ID, e.Type, e.Data, e.Meta)
			both.Queue(`select pg_notify('bench', $1)`, e.ID)
			return e.ID, ref.SendBatch(context.Background(), &both).Close()
		},
	}
	compare := func(name string) {
		var p50, p99 [2][]float64
		for round := range wakeRounds {
			for i := range send {
				var took []time.Duration
				stream := fmt.Sprintf("wake-%s-%d-%d", name, round, i)
				for n := range int64(wakeUps) {
					id, err := send[i](stream, n)
					if err != nil {
						b.Fatal(err)
					}
					took = append(took, wakers[i].after(b, id, time.Now()))
					<-time.After(wakeEvery)
				}
				p50[i], p99[i] = append(p50[i], percentile(took, 50)), append(p99[i], percentile(took, 99))
			}
		}
		bar(b, "wakeup_"+name+"p50_vs_listen", p50, "ms")
		bar(b, "wakeup_"+name+"p99_vs_listen", p99, "ms")
	}
	for b.Loop() {
		compare("")
		stop := keepBusy(b, s)
		compare("busy_")
		stop()
	}
}

// keepBusy appends at busyRate until stopped.
func keepBusy(b *testing.B, s *Store) (stop func()) {
	b.Helper()
	const writers = 8
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	began, total := time.Now(), make([]int64, writers)
	for w := range writers {
		running.Go(func() {
			tick := time.NewTicker(time.Second * writers / busyRate)
			defer tick.Stop()
			for version := int64(0); ctx.Err() == nil; version++ {
				if _, err := s.Append(context.Background(), fmt.Sprintf("busy-%d-%p", w, tick), version-1, []eventstore.Proposed{benchEvent()}); err != nil {
					b.Error(err)
					return
				}
				total[w]++
				<-tick.C
			}
		})
	}
	return func() {
		cancel()
		running.Wait()
		sum := int64(0)
		for _, n := range total {
			sum += n
		}
		fmt.Printf("# busy with %.0f events/s\n", float64(sum)/time.Since(began).Seconds())
	}
}
