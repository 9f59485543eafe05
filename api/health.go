package api

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Statuses of health.
const (
	healthy   = "healthy"
	degraded  = "degraded"
	unhealthy = "unhealthy"
)

// probeTimeout bounds each probe. It is shorter than load balancers wait for the
// answer.
const probeTimeout = 2 * time.Second

// HealthData is the answer without an envelope, as load balancers expect it.
type HealthData struct {
	Status   string                   `json:"status" enum:"healthy,degraded,unhealthy"`
	Services map[string]ServiceHealth `json:"services"`
}

// ServiceHealth is the health of one service. The reason for a failure is in the log.
type ServiceHealth struct {
	Status    string `json:"status" enum:"healthy,unhealthy"`
	LatencyMS int64  `json:"latencyMs"`
}

type healthReply struct {
	Status int
	Body   HealthData
}

// LiveData is the answer of a process that serves.
type LiveData struct {
	Status string `json:"status" enum:"live"`
}

type liveReply struct{ Body LiveData }

// Statuses of readiness.
const (
	ready    = "ready"
	unready  = "unready"
	stopping = "stopping"
)

// ReadyData says whether turns may be sent to a process, without an envelope.
type ReadyData struct {
	Status   string                   `json:"status" enum:"ready,unready,stopping" doc:"unready: a service that every turn needs does not work; stopping: the process takes no more requests."`
	Services map[string]ServiceHealth `json:"services" doc:"Those that every turn needs."`
}

type readyReply struct {
	Status int
	Body   ReadyData
}

// live asks nobody: a process that can do nothing for want of a database is not mended by
// a restart.
func (s *Server) live(context.Context, *struct{}) (*liveReply, error) {
	return &liveReply{LiveData{"live"}}, nil
}

// ready answers 200 if the process takes requests and all critical services work, or else
// 503. Migrations are done: a process that has not finished them does not serve.
func (s *Server) ready(ctx context.Context, _ *struct{}) (*readyReply, error) {
	var needed []Check
	for _, check := range s.Checks {
		if check.Critical {
			needed = append(needed, check)
		}
	}
	h := s.probeAll(ctx, needed)
	out := &readyReply{h.Status, ReadyData{ready, h.Body.Services}}
	switch {
	case s.closing.isClosed():
		out.Status, out.Body.Status = http.StatusServiceUnavailable, stopping
	case h.Status != http.StatusOK:
		out.Body.Status = unready
	}
	return out, nil
}

// health probes all services at once and answers 200 for healthy and degraded, 503
// for unhealthy.
func (s *Server) health(ctx context.Context, _ *struct{}) (*healthReply, error) {
	return s.probeAll(ctx, s.Checks), nil
}

func (s *Server) probeAll(ctx context.Context, checks []Check) *healthReply {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	out := &healthReply{http.StatusOK, HealthData{healthy, map[string]ServiceHealth{}}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, check := range checks {
		wg.Go(func() {
			h := s.probe(ctx, check)
			mu.Lock()
			defer mu.Unlock()
			out.add(check, h)
		})
	}
	wg.Wait()
	return out
}

func (s *Server) probe(ctx context.Context, check Check) ServiceHealth {
	began := s.Now()
	done := make(chan error, 1)
	go func() { done <- check.Probe(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done(): // a probe that ignores its context does not hold up the answer
		err = ctx.Err()
	}
	h := ServiceHealth{healthy, s.Now().Sub(began).Milliseconds()}
	if err != nil {
		h.Status = unhealthy
		s.log.WarnContext(ctx, "unhealthy", "service", check.Name, "error", err)
	}
	return h
}

func (r *healthReply) add(check Check, h ServiceHealth) {
	r.Body.Services[check.Name] = h
	switch {
	case h.Status == healthy:
	case check.Critical:
		r.Status, r.Body.Status = http.StatusServiceUnavailable, unhealthy
	case r.Body.Status == healthy:
		r.Body.Status = degraded
	}
}
