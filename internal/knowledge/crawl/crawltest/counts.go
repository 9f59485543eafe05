package crawltest

import (
	"net/http"
	"time"
)

// counts is what the site was asked.
type counts struct {
	paths     map[string]int
	now, most int
	asked     bool
	last      time.Time // the end of the last request
	pause     time.Duration
	paused    bool
}

// counted counts requests. The end of a request is told before its answer is complete to
// the client; of Huge and Trickle, which clients break off, it is not known when clients
// do, and they are counted by path alone.
func (s *Site) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timed := r.URL.Path != Huge && r.URL.Path != Trickle
		s.begin(r.URL.Path, timed)
		if timed {
			defer s.end()
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Site) begin(path string, timed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.paths[path]++
	if !timed {
		return
	}
	s.counts.now++
	s.counts.most = max(s.counts.most, s.counts.now)
	if s.counts.asked {
		pause := s.o.Now().Sub(s.counts.last)
		if !s.counts.paused || pause < s.counts.pause {
			s.counts.pause, s.counts.paused = pause, true
		}
	}
}

func (s *Site) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.now--
	s.counts.asked, s.counts.last = true, s.o.Now()
}

// Requests is how often a path was asked for, whatever the query.
func (s *Site) Requests(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.paths[path]
}

// Total is how many requests there were.
func (s *Site) Total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, times := range s.counts.paths {
		n += times
	}
	return n
}

// MostAtOnce is the largest number of requests that were served at a time.
func (s *Site) MostAtOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.most
}

// LeastPause is the shortest time between the end of a request and the beginning of the
// next, 0 before there were two.
func (s *Site) LeastPause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.pause
}
