package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/api/web"
	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	logtail "github.com/stepledger/stepledger/eventstore/tail"
	"github.com/stepledger/stepledger/internal/billing"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/liveness"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/observe"
	"github.com/stepledger/stepledger/internal/pgembed"
	"github.com/stepledger/stepledger/internal/pgpool"
	"github.com/stepledger/stepledger/internal/search/tavily"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/calibration"
	"github.com/stepledger/stepledger/projections/history"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
	"github.com/stepledger/stepledger/projections/kpi"
	"github.com/stepledger/stepledger/projections/sessions"
	"github.com/stepledger/stepledger/projections/skills"
	"github.com/stepledger/stepledger/projections/tasks"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// system is every part of the program, built once, in order.
type system struct {
	cfg config
	log *slog.Logger
	// now is the clock of what is recorded with its time, and judged by it later.
	now func() time.Time
	// url may lead to a pooler, direct leads to the server itself.
	url, direct string
	postgres    *pgembed.Server // nil with a configured database
	events      eventLog
	// tail is the log for those who follow it.
	tail     *logtail.Tail
	content  *content.Store
	identity *identity.Store
	billing  *billing.Store
	alive    *liveness.Registry
	// registry has the figures of all parts, money those of prices and budgets.
	registry *prometheus.Registry
	money    moneyMetrics
	kept     retentionMetrics
	erased   prometheus.Gauge
	db       *pgpool.Pool
	// runs is the runners' pool; reads reads for tenants behind the wall, which does not
	// stand if noWall is set.
	runs *pgpool.Pool
	// lists reads what may come from a replica: what waits until the replica has it.
	reads, lists projections.DB
	noWall       *projections.NoWallError
	// writes knows whether the database can be written to.
	writes   pgpool.Writes
	archived archiving
	runner   *projections.Runner
	feed     *feedSystem
	ledger   commands.Ledger
	models   *llm.Client // nil without a model
	handler  *interact.Handler
	// knowledge is what organisations know.
	knowledge *knowledgeSystem
	api       *api.Server
	closers   []func()
	// opened are the streams held for those who look at tasks.
	opened *history.Opened
	asked  askedErasures
	epochs *epochs
	newer  *newerEvents
	// erasedTenants are those of whom something was ever erased.
	erasedTenants commands.ErasedTenants
}

// openSystem builds the system. On error nothing is left open.
func openSystem(ctx context.Context, cfg config, log *slog.Logger, h hooks) (_ *system, err error) {
	s := &system{cfg: cfg, log: log, now: h.clock(), registry: newRegistry(), opened: &history.Opened{}}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	s.epochs = newEpochs(s.registry)
	if err := s.openStores(ctx, h); err != nil {
		return nil, err
	}
	s.newer = s.openNewer()
	s.runner = projections.NewRunner(projections.Config{
		DB: s.runs, Feed: s.tail, Keys: s.content, Log: log, Projections: readModels(),
	})
	if err := s.runner.Prepare(ctx); err != nil {
		return nil, err
	}
	s.money = newMoneyMetrics(s.registry, s.billing)
	s.registry.MustRegister(newCalibrationMetrics(s.db), newWallMetric(s.noWall))
	s.kept, s.erased = newRetentionMetrics(s.registry), newErasedMetric(s.registry)
	s.registry.MustRegister(newKPIMetrics(s.db), newKnowledgeMetrics(s.db))
	s.ledger = commands.Ledger{Log: s.events, Prices: s.billing, Budget: s.budget(h), Clock: s.now, IDs: domain.NewUUID}
	reasoner, planner, err := s.reasoner(ctx, h)
	if err != nil {
		return nil, err
	}
	s.knowledge = s.openKnowledge(h)
	s.handler = interact.New(interact.Deps{
		Log: s.events, Keys: s.content, Content: s.content, Intake: s.intake(), Pages: dom.Reader{},
		Reasoner: observe.Reasoner{Next: reasoner, Log: log}, Planner: planner, Search: s.search(), OneCall: cfg.OneCall,
		Knowledge: observe.NewKnowledge(newAgentKnowledge(s.knowledge.finder), log, s.registry),
		Skills:    observe.Skills{Next: siteSkills{skills.Queries{DB: s.reads}, &absences{}}, Log: log}, Instances: s.alive,
		Clock: s.now, IDs: domain.NewUUID, Limits: cfg.Limits, Hook: h.turn,
	})
	s.epochs.handler.Store(s.handler)
	if s.feed, err = s.openFeed(); err != nil {
		return nil, err
	}
	s.registry.MustRegister(newProjectionMetrics(s.runner), newServiceMetrics(s.checks()))
	s.asked = newAskedErasures(s)
	s.api = s.newAPI()
	return s, nil
}

// search is the search of the web, nil if there is no key for it.
func (s *system) search() commands.Search {
	if s.cfg.TavilyKey == "" {
		return nil
	}
	return asideSearch{observe.NewSearch(tavily.New(s.cfg.TavilyKey, s.cfg.TavilyURL), s.log, s.registry)}
}

func (s *system) openStores(ctx context.Context, h hooks) error {
	master, err := s.cfg.masterKey()
	if err != nil {
		return err
	}
	old, err := s.cfg.oldMasterKeys()
	if err != nil {
		return err
	}
	if err := s.openDatabase(ctx); err != nil {
		return err
	}
	if err := s.checkDirect(ctx); err != nil {
		return err
	}
	url, conns := s.url, shareConnections(s.cfg.Connections)
	if err := s.settleSchema(ctx); err != nil {
		return err
	}
	if err := s.openEvents(ctx, int(conns.log), h); err != nil {
		return err
	}
	s.onClose(s.events.Close)
	s.tail = logtail.New(s.events, logtail.Options{})
	s.onClose(s.tail.Close)
	s.content, err = content.Open(ctx, url, content.Options{MasterKey: master, OldMasterKeys: old, MaxConns: conns.content, Writes: &s.writes})
	if errors.Is(err, content.ErrMasterKey) {
		return fmt.Errorf("%w (it comes from STEPLEDGER_MASTER_KEY, or master.key in %s)", err, s.cfg.StateDir)
	}
	if err != nil {
		return err
	}
	s.onClose(s.content.Close)
	s.epochs.content.Store(s.content)
	if s.identity, err = identity.Open(ctx, url, identity.Options{Tiers: s.cfg.RateLimits, TokenLifetime: s.cfg.LoginLifetime, MaxConns: conns.identity, Writes: &s.writes}); err != nil {
		return err
	}
	s.onClose(s.identity.Close)
	if s.billing, err = billing.Open(ctx, url, billing.Options{MaxConns: conns.billing, Log: s.log, Writes: &s.writes}); err != nil {
		return err
	}
	s.onClose(s.billing.Close)
	if err := s.billing.Seed(ctx, usage.SeedRows()); err != nil {
		return err
	}
	if s.alive, err = liveness.Open(ctx, s.direct, domain.NewUUID(), s.log); err != nil {
		return err
	}
	s.onClose(s.alive.Close)
	s.writes.OnLeave(s.alive.Leave)
	if err := s.openReadModels(ctx, conns); err != nil {
		return fmt.Errorf("open the read models: %w", err)
	}
	return nil
}

// turnsAtOnce is how many turns work at a time: a few for each core, since turns wait for the
// database too, but no more than its connections let work.
func (s *system) turnsAtOnce() int {
	return min(4*runtime.GOMAXPROCS(0), 3*int(shareConnections(s.cfg.Connections).content))
}

func (s *system) recorder() recorder {
	return recorder{s.ledger, s.content, s.alive.Own(), s.billed}
}

func (s *system) newAPI() *api.Server {
	a := api.New(api.Deps{
		Identity: s.identity, Interactor: newTurnMetrics(s.handler, s.registry), Requests: newRequestMetrics(s.registry),
		Archiver: commands.ArchiveSession{Log: s.events, IDs: domain.NewUUID},
		Pauser:   s.pauser(),
		Control:  commands.ControlTask{Log: s.events, Keys: s.content, IDs: domain.NewUUID},
		Erasures: s.asked,
		Sessions: sessions.Queries{DB: s.lists}, Tasks: tasks.Queries{DB: s.lists}, Usage: usageview.Queries{DB: s.lists}, Billing: s.billing,
		History: s.heldHistory(), Exporter: s.source(), Snapshots: snapshots{}, Parking: s.runner,
		Calibration: calibration.Queries{DB: s.reads}, Skills: skills.Queries{DB: s.reads}, Replays: replays{s}, Knowledge: s.knowledge.finder, Library: knowledgeLibrary{s.knowledge.manage, s.knowledge.views}, Log: s.events, Waiter: s.listsWaiter(),
		Checks: s.checks(), Now: s.now, Logger: s.log, Origins: s.cfg.Origins, TrustedProxies: s.cfg.TrustedProxies,
		Version: version(), PublicLimit: s.cfg.RateLimits.Public(), DebugAnswers: s.cfg.DebugAnswers,
		Turns: s.turnsAtOnce(),
	})
	s.registry.MustRegister(newQueueMetrics(a.TurnQueue))
	a.Web = web.New(a, s.log, s.now)
	return a
}

// checks are the services of health.
func (s *system) checks() []api.Check {
	checks := []api.Check{
		{Name: "postgres", Critical: true, Probe: func(ctx context.Context) error { return s.writes.Check(ctx, s.db) }},
		{Name: "eventStore", Critical: true, Probe: func(ctx context.Context) error {
			_, err := s.events.Head(ctx)
			return err
		}},
		{Name: "projections", Probe: s.projectionsOK},
		{Name: "consumers", Probe: s.feed.ok},
		{Name: "prices", Probe: s.pricesOK},
	}
	if s.models != nil {
		checks = append(checks, api.Check{Name: "models", Probe: func(context.Context) error { return s.models.Reachable() }})
	}
	return checks
}

// projectionsOK names the first read model that needs a person.
func (s *system) projectionsOK(ctx context.Context) error {
	all, err := s.runner.Health(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := p.Fault(); err != nil {
			return err
		}
	}
	return nil
}

func readModels() []projections.Projection {
	return []projections.Projection{
		tasks.Projection, sessions.Projection, usageview.Projection, skills.Projection, calibration.Projection, kpi.Projection, knowledgeview.Projection,
	}
}

func (s *system) waiter() projections.Waiter {
	return projections.Waiter{DB: s.reads, Progress: s.runner.Progress(), Hurry: s.tail.Hurry}
}

// listsWaiter waits for what the API reads: on the replica, if lists come from one.
func (s *system) listsWaiter() projections.Waiter {
	w := s.waiter()
	if s.cfg.ReadURL != "" {
		w.DB, w.Progress = s.lists, nil
	}
	return w
}

func (s *system) onClose(f func()) { s.closers = append(s.closers, f) }

// close ends everything in reverse order.
func (s *system) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}
