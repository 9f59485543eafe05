package main

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// measured are the figures of a server, by the names of its metrics, and how many
// connections it has to its database.
var measured = []string{"go_memstats_heap_alloc_bytes", "process_resident_memory_bytes", "go_goroutines", "process_open_fds", connsFigure}

const (
	heapFigure  = "go_memstats_heap_alloc_bytes"
	connsFigure = "database_connections"
	mib         = 1 << 20
)

// vitals are the figures of a server at a time.
type vitals struct {
	at    time.Duration
	pid   int
	value map[string]float64
}

// memoryLog is what the servers were, through the run.
type memoryLog struct {
	done chan struct{}
	all  [2][]vitals
	// ended says that nobody writes any more.
	ended chan struct{}
}

// follow measures the servers until stop, some two hundred times in a run.
func (m *memoryLog) follow(s *soak) {
	m.ended = make(chan struct{})
	every := max(s.lasts/200, time.Second)
	go func() {
		defer close(m.ended)
		for {
			for i, r := range s.each {
				if v, err := s.vitals(r); err == nil { // a server that is being killed has no figures
					m.all[i] = append(m.all[i], v)
				}
			}
			s.model.set(func(f *fakeGemini) { f.prompts = nil }) // nobody asks for them here
			select {
			case <-m.done:
				return
			case <-time.After(every):
			}
		}
	}()
}

// stop ends the measuring.
func (m *memoryLog) stop() {
	close(m.done)
	<-m.ended
}

// vitals takes the figures of a server once it has collected what is not in use.
func (s *soak) vitals(r *replica) (vitals, error) {
	at := r.at.Load()
	m := vitals{at: time.Since(s.began), pid: at.process.Pid, value: map[string]float64{}}
	if err := at.process.Signal(syscall.SIGUSR1); err != nil { // which knows when the process, and so the pid, is gone
		return m, err
	}
	_ = pause(s.Context(), 200*time.Millisecond)
	scraped, err := client{base: at.metrics, http: s.crowd.http}.do(s.Context(), http.MethodGet, "", nil, nil)
	if err != nil {
		return m, err
	}
	lines := bufio.NewScanner(strings.NewReader(string(scraped.body)))
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if slices.Contains(measured, name) {
			m.value[name], _ = strconv.ParseFloat(text, 64)
		}
	}
	m.value[connsFigure] = float64(r.toDB.count())
	if m.value[heapFigure] == 0 {
		return m, fmt.Errorf("%s: no figures: status %d", at.metrics, scraped.status)
	}
	return m, nil
}

// ofOne are the measures of the process a server ends in.
func (m *memoryLog) ofOne(i int) (same []vitals) {
	all := m.all[i]
	for _, v := range all {
		if v.pid == all[len(all)-1].pid {
			same = append(same, v)
		}
	}
	return same
}

// rise is by how much a figure has risen from the first to the last of some measures, by
// the line that fits them best.
func rise(all []vitals, figure string) float64 {
	var x, y, xx, xy float64
	n := float64(len(all))
	for _, v := range all {
		a, b := v.at.Seconds(), v.value[figure]
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	spread := n*xx - x*x
	if spread == 0 {
		return 0
	}
	return (n*xy - x*y) / spread * (all[len(all)-1].at - all[0].at).Seconds()
}

// flat prints the figures and checks them: see boundOf.
func (m *memoryLog) flat(s *soak, long bool) {
	for i := range s.each {
		all := m.ofOne(i)
		if len(all) < 4 { // its process is too young
			if s.say("server %d was measured %d times only", i, len(all)); long {
				s.found("server %d cannot be judged", i)
			}
			continue
		}
		second := all[len(all)/2:]
		for _, figure := range measured {
			first, last, up := all[0].value[figure], all[len(all)-1].value[figure], rise(second, figure)
			unit, scale := "", 1.0
			if strings.HasSuffix(figure, "_bytes") {
				unit, scale = " MiB", mib
			}
			s.say("server %d (%v, %d kills): %s: first %.1f, last %.1f%s, rise over the second half %+.1f", i,
				(all[len(all)-1].at - all[0].at).Round(time.Second), s.each[i].kills, figure, first/scale, last/scale, unit, up/scale)
			if most := boundOf(figure, mean(valuesOf(second, figure))); long && i == 1 && up > most {
				s.found("%s of server %d rises by %.1f in the second half, %.1f at most", figure, i, up/scale, most/scale)
			}
		}
		s.settles(i)
	}
}

func valuesOf(all []vitals, figure string) (out []float64) {
	for _, v := range all {
		out = append(out, v.value[figure])
	}
	return out
}

// boundOf is by how much a figure may rise in the half of a run. What leaks with every turn,
// request or connection does so thousands of times: a leak of a kilobyte a turn would be
// some seven megabytes in half an hour, one of a goroutine a fault some dozens. The heap
// after a collection is what is in use; it swings with what is under way when it is
// measured. The resident memory is what the kernel has given, which comes back late.
func boundOf(figure string, usual float64) float64 {
	switch figure {
	case heapFigure:
		return 6 * mib
	case "process_resident_memory_bytes":
		return max(16*mib, usual/10)
	}
	return max(8, usual/10)
}

// idleMore is how much more a server may have of goroutines, and of files that are no
// connection to its database, when it is idle than when it had just started: its pools have
// opened, and each connection is two or three goroutines.
const idleMore = 40

// files are the open ones that are no connection to the database.
func (v vitals) files() float64 { return v.value["process_open_fds"] - v.value[connsFigure] }

// settles waits until a server that is idle is as it was at its start.
func (s *soak) settles(i int) {
	first, now := s.memory.ofOne(i)[0], vitals{}
	rests := s.waits(func() bool {
		v, err := s.vitals(s.each[i])
		if err != nil {
			return false
		}
		now = v
		return now.value["go_goroutines"] <= first.value["go_goroutines"]+idleMore && now.files() <= first.files()+idleMore && now.value[connsFigure] <= usualTotal
	})
	if !rests {
		s.found("server %d is not at rest within %v: %v at first, %v now", i, answeredWithin, first.value, now.value)
		return
	}
	s.say("server %d at rest: %.0f goroutines, %.0f files, %.0f connections (at first %.0f, %.0f, %.0f)", i, now.value["go_goroutines"], now.value["process_open_fds"], now.value[connsFigure],
		first.value["go_goroutines"], first.value["process_open_fds"], first.value[connsFigure])
}
