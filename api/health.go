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

// health probes all services at once and answers 200 for healthy and degraded, 503
// for unhealthy.
func (s *Server) health(ctx context.Context, _ *struct{}) (*healthReply, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	out := &healthReply{http.StatusOK, HealthData{healthy, map[string]ServiceHealth{}}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, check := range s.Checks {
		wg.Go(func() {
			h := s.probe(ctx, check)
			mu.Lock()
			defer mu.Unlock()
			out.add(check, h)
		})
	}
	wg.Wait()
	return out, nil
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
		s.log.Warn("unhealthy", "service", check.Name, "error", err)
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
