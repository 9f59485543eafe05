package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/fork"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/reason"
	"github.com/stepledger/stepledger/internal/reason/model"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// forkFlags are what a fork changes.
type forkFlags struct {
	turn         int
	set          []string
	page, answer string
	live, yes    bool
	asJSON       bool
}

func (p program) taskForkCmd() *cobra.Command {
	var f forkFlags
	cmd := &cobra.Command{
		Use:   "fork TASK --turn N",
		Short: "Decide one turn anew with something changed: an experiment, on no bill and in no read model",
		Long: "Decide one turn anew with other settings (--set), another page (--page) or another first answer (--answer).\n" +
			"Questions are answered by what is recorded; with --live the models are asked. What that would cost is printed first,\n" +
			"and nothing is asked without --yes. The fork is a stream of its own.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withSystem(cmd.Context(), func(s *system) error { return p.fork(cmd.Context(), s, args[0], f) })
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.turn, "turn", 0, "the turn, from 1")
	flags.StringArrayVar(&f.set, "set", nil, "a setting, NAME=VALUE: "+strings.Join(forkSettings, ", ")+"…")
	flags.StringVar(&f.page, "page", "", "a file with the HTML in place of the page")
	flags.StringVar(&f.answer, "answer", "", "a file with the answer to the first question to a model")
	flags.BoolVar(&f.live, "live", false, "ask the models instead of using what they answered")
	flags.BoolVar(&f.yes, "yes", false, "with --live: ask them, at the price printed without it")
	flags.BoolVar(&f.asJSON, "json", false, "as JSON")
	_ = cmd.MarkFlagRequired("turn")
	return cmd
}

// forkSettings are the beginnings of the settings a fork may change. None is a secret.
var forkSettings = []string{"STEPLEDGER_MAX_", "STEPLEDGER_PAGE_TOKENS", "STEPLEDGER_ONE_CALL", "SMART_MODEL_", "FAST_MODEL_"}

// changed is the configuration with some settings changed.
func (c config) changed(settings map[string]string) (config, error) {
	for name := range settings {
		if !slices.ContainsFunc(forkSettings, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			return config{}, domain.Errorf(domain.Invalid, domain.CodeValidation,
				"%s is not a setting a fork can change; it can change those that begin with %s", name, strings.Join(forkSettings, ", ")).At("settings")
		}
	}
	changed, err := readConfig(func(name string) string {
		if v, ok := settings[name]; ok {
			return v
		}
		return c.Env(name)
	})
	if err != nil {
		return config{}, domain.Errorf(domain.Invalid, domain.CodeValidation, "%s", err.Error()).At("settings")
	}
	return changed, nil
}

// forkChange is what flags say of a fork.
func forkChange(f forkFlags) (replay.Change, error) {
	c := replay.Change{Turn: f.turn, Settings: map[string]string{}}
	for _, s := range f.set {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return c, fmt.Errorf("--set %s: not NAME=VALUE", s)
		}
		c.Settings[name] = value
	}
	for _, of := range []struct {
		file string
		into *string
	}{{f.page, &c.Page}, {f.answer, &c.Answer}} {
		if of.file == "" {
			continue
		}
		b, err := os.ReadFile(of.file)
		if err != nil {
			return c, err
		}
		*of.into = string(b)
	}
	return c, nil
}

func (p program) fork(ctx context.Context, s *system, id string, f forkFlags) error {
	c, err := forkChange(f)
	if err != nil {
		return err
	}
	tenant, err := s.tenantOf(ctx, id)
	if err != nil {
		return err
	}
	e, err := s.prepareFork(ctx, tenant, "operator", id, c, f.live)
	if err != nil {
		return err
	}
	if f.live && !f.yes {
		return p.printEstimate(e.estimate, e.priced)
	}
	out, err := s.runFork(ctx, e)
	if err != nil {
		return err
	}
	if f.asJSON {
		return p.printJSON(out)
	}
	return p.printFork(out)
}

// experiment is a fork that can be run.
type experiment struct {
	replay.Change
	tenant, actor, task string
	live                bool
	cfg                 config // with the changed settings
	turn                replay.Turn
	estimate            usage.Pico
	priced              bool
}

// prepareFork finds the turn, makes the changes, and finds out what asking would cost.
func (s *system) prepareFork(ctx context.Context, tenant, actor, id string, c replay.Change, live bool) (e experiment, err error) {
	e = experiment{Change: c, tenant: tenant, actor: actor, task: id, live: live}
	t, err := s.source().Load(ctx, tenant, id)
	if err != nil {
		return e, err
	}
	if e.cfg, err = s.cfg.changed(c.Settings); err != nil {
		return e, err
	}
	if e.turn, err = t.At(c.Turn); err != nil {
		return e, err
	}
	if e.estimate, e.priced, err = s.forkPrice(ctx, e.cfg, e.turn, live); err != nil {
		return e, err
	}
	if c.Page != "" {
		e.turn, err = e.turn.WithPage(c.Page)
	}
	return e, err
}

func (s *system) runFork(ctx context.Context, e experiment) (replay.Outcome, error) {
	key, err := s.content.Key(ctx, e.tenant, e.task)
	if err != nil {
		return replay.Outcome{}, err
	}
	f := replay.Fork{
		Log: s.events, Key: key, ID: domain.NewUUID(), NewIDs: domain.NewUUID,
		Start: fork.ForkStarted{
			Tenant: e.tenant, Actor: e.actor, Task: e.task, Turn: e.turn.Number, Revision: e.turn.Revision, Settings: e.Settings,
			Live: e.live, NewPage: e.Page != "", NewAnswer: e.Answer != "", StartedAt: time.Now().UTC(),
		},
	}
	if e.priced {
		f.Start.Estimate = &e.estimate
	}
	return f.Run(ctx, e.turn, func(called func(fork.ModelCalled) error) (replay.Mind, error) {
		return s.forkMind(ctx, e.cfg, e.turn, e.Answer, e.live, called)
	})
}

// replays are what the api offers of replay.
type replays struct{ *system }

// Replay implements api.Replays.
func (r replays) Replay(ctx context.Context, tenant, id string) (replay.Report, error) {
	return r.replay(ctx, tenant, id)
}

// Bisect implements api.Replays.
func (r replays) Bisect(ctx context.Context, tenant, id string, condition replay.Predicate) (replay.Found, error) {
	return r.source().Bisect(ctx, tenant, id, condition)
}

// Fork implements api.Replays.
func (r replays) Fork(ctx context.Context, tenant, user, id string, c replay.Change) (replay.Outcome, error) {
	e, err := r.prepareFork(ctx, tenant, user, id, c, false)
	if err != nil {
		return replay.Outcome{}, err
	}
	return r.runFork(ctx, e)
}

// forkPrice is what asking the models of a turn would cost, by what they read and wrote
// when it was recorded and by the prices of the models that would be asked.
func (s *system) forkPrice(ctx context.Context, cfg config, turn replay.Turn, live bool) (usage.Pico, bool, error) {
	if !live {
		return 0, true, nil
	}
	if len(turn.Calls) == 0 { // nobody was asked; what the models would be asked now is not known
		return 0, false, nil
	}
	var asked []replay.Question
	for _, c := range turn.Calls {
		asked = append(asked, replay.Question{
			Purpose: string(c.Started.Purpose), Role: string(c.Started.Role),
			InputTokens: max(c.Meters.Input(), c.Started.EstimatedInputTokens), MaxOutputTokens: max(c.Meters.Outputs(), 1),
		})
	}
	return s.priceWith(ctx, cfg.Models, asked)
}

// forkMind decides by the changed settings: by a given first answer, then by what is
// recorded or, live, by the models, whose calls are told to called and billed to nobody.
func (s *system) forkMind(ctx context.Context, cfg config, turn replay.Turn, answer string, live bool, called func(fork.ModelCalled) error) (replay.Mind, error) {
	takes := takesOf(turn)
	tape := llm.NewTape(takes, prompt.Tokens)
	var asker model.Asker = tape
	if live {
		var err error
		if asker, err = s.forkModels(ctx, cfg.Models, called); err != nil {
			return replay.Mind{}, err
		}
	}
	if answer != "" {
		asker = &givenFirst{text: answer, then: asker}
	}
	said := turn.Documents(s.content)
	deps := interact.Deps{
		Content: said, Knowledge: said, Pages: dom.Reader{}, Skills: skillsOf(turn), OneCall: cfg.OneCall,
		Clock: func() time.Time { return turn.At }, IDs: domain.NewUUID, Limits: cfg.Limits,
	}
	chain := reason.Chain{Rules: reason.Within{Reasoner: rules.Reasoner{}}}
	if live || answer != "" || len(takes) > 0 {
		m := model.New(asker)
		m.PageTokens = cfg.Models.PageTokens
		chain.Model, deps.Planner = m, m
	}
	deps.Reasoner = chain
	if found, possible := searchesOf(turn); possible {
		deps.Search = recordedSearch{found}
	}
	return replay.Mind{Handler: interact.New(deps), Missed: func() []replay.Question { return questions(tape.Missed()) }}, nil
}

// givenFirst answers the first question with a given text, and passes the others on.
type givenFirst struct {
	text string
	then model.Asker
}

// Ask implements model.Asker.
func (g *givenFirst) Ask(ctx context.Context, q llm.Question) (llm.Answer, error) {
	if g.text == "" {
		return g.then.Ask(ctx, q)
	}
	text := g.text
	g.text = ""
	if q.Check != nil {
		if err := q.Check(text); err != nil {
			return llm.Answer{}, &llm.Error{Kind: llm.Malformed, Msg: "the given answer cannot be used", Answer: text, Cause: err}
		}
	}
	return llm.Answer{Text: text, Model: "given", Usage: &llm.Usage{}}, nil
}

func (s *system) forkModels(ctx context.Context, c modelsConfig, called func(fork.ModelCalled) error) (*llm.Client, error) {
	if !c.configured() {
		return nil, errors.New("no model is configured to be asked: set GEMINI_API_KEY or OPENAI_BASE_URL")
	}
	book, err := s.billing.Book(ctx)
	if err != nil {
		return nil, err
	}
	open := map[string]llm.Generator{}
	for _, m := range []modelConfig{c.Smart.Model, c.Smart.Fallback, c.Fast.Model, c.Fast.Fallback} {
		if m.Adapter == "" || open[m.Adapter] != nil {
			continue
		}
		if open[m.Adapter], err = c.generator(ctx, m.Adapter); err != nil {
			return nil, err
		}
	}
	return llm.NewClient(llm.Options{
		Roles:    c.roles(open),
		Recorder: &forkRecorder{content: s.content, book: book, called: called, open: map[string]llm.CallStarted{}},
		NewID:    domain.NewUUID, Tokens: prompt.Tokens, Concurrent: c.Concurrent,
	})
}

// forkRecorder keeps the calls of a fork with the fork, off the ledger. Prompts and
// answers are kept with the task's content, and are erased with it.
type forkRecorder struct {
	content *content.Store
	book    *usage.Book
	called  func(fork.ModelCalled) error

	mu   sync.Mutex
	open map[string]llm.CallStarted
}

// Started implements llm.Recorder.
func (r *forkRecorder) Started(_ context.Context, c llm.CallStarted) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[c.Call] = c
	return nil
}

// Completed implements llm.Recorder.
func (r *forkRecorder) Completed(_ context.Context, c llm.CallCompleted) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	began := r.open[c.Call]
	delete(r.open, c.Call)
	m := usage.Meters{}
	if c.Usage != nil {
		m = meters(*c.Usage)
	}
	cost := r.book.Charge(usage.Ware{Provider: began.Provider, Models: []string{began.Model}, At: c.CompletedAt}, m).Cost
	if !c.Unbilled && countsNothing(c.Usage) {
		cost = nil
	}
	return r.called(fork.ModelCalled{
		Call: c.Call, Purpose: began.Purpose, Provider: began.Provider, Model: began.Model, Outcome: usage.Outcome(c.Outcome), Meters: m, Cost: cost,
	})
}

// KeepPrompt implements llm.Recorder.
func (r *forkRecorder) KeepPrompt(ctx context.Context, on llm.On, body []byte) (string, error) {
	return r.content.Put(ctx, on.Tenant, on.Task, content.KindPrompt, body)
}

// KeepAnswer implements llm.Recorder. An experiment is made once: its answers are found
// by nobody.
func (r *forkRecorder) KeepAnswer(context.Context, llm.On, string, []byte) (string, error) {
	return "", nil
}

// KeptAnswer implements llm.Recorder: the recorded answer is what is not wanted.
func (r *forkRecorder) KeptAnswer(context.Context, llm.On, string) ([]byte, string, bool, error) {
	return nil, "", false, nil
}

func (p program) printEstimate(estimate usage.Pico, priced bool) error {
	cost := "an amount that is not known: a price is missing, or no model was asked when it was recorded"
	if priced {
		cost = "about " + estimate.String() + " USD"
	}
	_, err := fmt.Fprintf(p.out, "Asking the models would cost %s, on no tenant's bill. Nothing was asked; add --yes.\n", cost)
	return err
}

func (p program) printFork(o replay.Outcome) error {
	same := "decided as it was"
	if !o.Same {
		same = "decided otherwise"
	}
	fmt.Fprintf(p.out, "fork %s of turn %d: %s\n", o.ForkID, o.Turn, same)
	for _, fact := range []struct {
		name string
		pair replay.Pair
	}{{"verdict", o.Verdict}, {"action", o.Action}, {"status", o.Status}} {
		if fact.pair.Was != fact.pair.Now {
			fmt.Fprintf(p.out, "%s: %s\n", fact.name, printPair(fact.pair))
		}
	}
	if d := o.Difference; d != nil {
		fmt.Fprintf(p.out, "first difference: %s%s: %s, now %s\n", d.Event, d.Field, shortJSON(d.Was), shortJSON(d.Now))
	}
	if o.Calls > 0 && o.Spent != nil && o.Estimate != nil {
		fmt.Fprintf(p.out, "%d calls: %s USD, estimated %s\n", o.Calls, o.Spent.String(), o.Estimate.String())
	}
	if n := len(o.Missed); n > 0 {
		fmt.Fprintf(p.out, "%d questions nothing is recorded of; --live asks them\n", n)
	}
	return nil
}
