package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/doctor"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

func finding(check string, state doctor.State, do, found string, args ...any) doctor.Finding {
	if state == doctor.OK {
		do = ""
	}
	return doctor.Finding{Check: check, State: state, Found: fmt.Sprintf(found, args...), Do: do}
}

// worse is the worse of two states.
func worse(a, b doctor.State) doctor.State {
	for _, s := range []doctor.State{doctor.Fail, doctor.Warn} {
		if a == s || b == s {
			return s
		}
	}
	return doctor.OK
}

// examineEpoch says which history of the log this is. What is ahead of it shows in the
// read models.
func (s *system) examineEpoch(ctx context.Context, _ examined) ([]doctor.Finding, error) {
	id, err := s.events.ID(ctx)
	if err != nil {
		return nil, err
	}
	head, err := s.events.Head(ctx)
	if err != nil {
		return nil, err
	}
	return []doctor.Finding{finding("log", doctor.OK, "", "epoch %d, head %d, id %s", eventstore.EpochNumber(id), head, id)}, nil
}

// lagged is the state of what lags so much.
func (e examined) lagged(lag time.Duration) doctor.State {
	switch {
	case lag > 10*e.lag:
		return doctor.Fail
	case lag > e.lag:
		return doctor.Warn
	}
	return doctor.OK
}

func (s *system) examineReadModels(ctx context.Context, e examined) (out []doctor.Finding, err error) {
	all, err := s.runner.ReadModels(ctx)
	if err != nil {
		return nil, err
	}
	states, err := s.runner.Health(ctx)
	if err != nil {
		return nil, err
	}
	for i, m := range all {
		lag := time.Duration(m.LagSeconds * float64(time.Second)).Round(time.Second)
		f := finding("read model "+m.Name, e.lagged(lag), "see that serve runs, and what its log says of the projection", "%v behind (%d events)", lag, m.LagEvents)
		switch {
		case states[i].Ahead:
			f = finding(f.Check, doctor.Fail, "serve builds it anew; see that it runs", "ahead of the log at position %d of %d", m.Position, m.Head)
		case m.Parked > 0:
			f = finding(f.Check, worse(f.State, doctor.Warn), "stepledger projection parked "+m.Name+"; then retry", "%s, %d events put aside", f.Found, m.Parked)
		}
		out = append(out, f)
	}
	return out, nil
}

func (s *system) examineConsumers(ctx context.Context, e examined) (out []doctor.Finding, err error) {
	all, err := s.feed.Status(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		lag := c.Waiting.Round(time.Second)
		f := finding("consumer "+c.Consumer, e.lagged(lag), "see that serve runs, and what its log says of the consumer", "%v behind (%d events)", lag, c.Lag)
		switch {
		case c.Ahead:
			f = finding(f.Check, doctor.Fail, "serve sets it back; see that it runs", "ahead of the log at position %d of %d", c.Position, c.Head)
		case c.Parked > 0:
			f = finding(f.Check, worse(f.State, doctor.Warn), "stepledger reactions parked; then replay", "%s, %d events put aside", f.Found, c.Parked)
		}
		out = append(out, f)
	}
	return out, nil
}

// unfinished is how long an erasure may take before somebody should look.
const unfinished = time.Hour

func (s *system) examineErasures(ctx context.Context, e examined) ([]doctor.Finding, error) {
	all, err := s.erasing().AllErasures(ctx)
	if err != nil {
		return nil, err
	}
	open, known := 0, map[string]bool{}
	oldest := e.now()
	for _, one := range all {
		known[one.ErasureRequested.Erasure] = true
		if one.Completed == nil {
			open++
			if one.At.Before(oldest) {
				oldest = one.At
			}
		}
	}
	list, err := erasureList{s.cfg.Erasures}.read()
	if err != nil {
		return nil, err
	}
	unknown := 0
	for _, l := range list {
		if !known[l.Erasure] {
			unknown++
		}
	}
	age := e.now().Sub(oldest).Round(time.Second)
	switch {
	case unknown > 0:
		return []doctor.Finding{finding("erasures", doctor.Fail, "start serve, or run stepledger erase reapply: the database was restored from before them",
			"%d on the list that the database does not know of", unknown)}, nil
	case open > 0 && age > unfinished:
		return []doctor.Finding{finding("erasures", doctor.Fail, "see what the service's log says of them; stepledger erase with the same subject goes on", "%d unfinished, the oldest for %v", open, age)}, nil
	}
	return []doctor.Finding{finding("erasures", doctor.OK, "", "%d recorded, %d under way", len(all), open)}, nil
}

// examineBudgets looks for calls that are reserved and have no bill.
func (s *system) examineBudgets(ctx context.Context, e examined) ([]doctor.Finding, error) {
	unsure, err := s.billing.Unsure(ctx, e.now().Add(-unbooked), sweepBatch)
	if err != nil {
		return nil, err
	}
	state := doctor.OK
	if len(unsure) > 0 {
		state = doctor.Warn
	}
	return []doctor.Finding{finding("budgets", state, "see that serve runs: it books them, or releases what is reserved", "%d calls reserved without a bill", len(unsure))}, nil
}

func (s *system) examineBills(ctx context.Context, e examined) ([]doctor.Finding, error) {
	if !e.deep {
		return nil, nil
	}
	done, err := usageview.Queries{DB: s.db}.Reconcile(ctx, s.events, func(usageview.Difference) error { return nil })
	if err != nil {
		return nil, err
	}
	state := doctor.OK
	if done.Differences > 0 {
		state = doctor.Fail
	}
	return []doctor.Finding{finding("bills", state, "stepledger usage reconcile says which; stepledger projection rebuild usage makes the read model anew",
		"%d differences to the ledger in %d calls", done.Differences, done.Calls)}, nil
}

// dialWithin bounds a look whether a provider can be reached.
const dialWithin = 5 * time.Second

// examineModels connects to the providers that are configured, and asks nothing: an answer
// would be billed.
func (s *system) examineModels(ctx context.Context, _ examined) (out []doctor.Finding, err error) {
	if s.models == nil {
		return []doctor.Finding{finding("models", doctor.OK, "", "none is configured: the rules answer")}, nil
	}
	for _, p := range []struct {
		name string
		endpoint
		usual string
	}{
		{"gemini", s.cfg.Models.Gemini, "https://generativelanguage.googleapis.com"},
		{"openai", s.cfg.Models.OpenAI, "https://api.openai.com"},
	} {
		if p.configured() {
			out = append(out, reach(ctx, p.name, cmp.Or(p.URL, p.usual)))
		}
	}
	return out, nil
}

func reach(ctx context.Context, name, address string) doctor.Finding {
	check := "model provider " + name
	u, err := url.Parse(address)
	if err != nil {
		return finding(check, doctor.Fail, "correct its base URL", "its address cannot be read")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host := net.JoinHostPort(u.Hostname(), port)
	conn, err := (&net.Dialer{Timeout: dialWithin}).DialContext(ctx, "tcp", host)
	if err != nil {
		return finding(check, doctor.Fail, "let the service connect to it, by its proxy or firewall", "%v", err)
	}
	conn.Close()
	return finding(check, doctor.OK, "", "%s answers", host)
}
