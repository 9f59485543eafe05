package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/gemini"
	"github.com/stepledger/stepledger/internal/llm/generativeai"
	"github.com/stepledger/stepledger/internal/llm/openai"
	"github.com/stepledger/stepledger/internal/observe"
	"github.com/stepledger/stepledger/internal/reason"
	"github.com/stepledger/stepledger/internal/reason/model"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// reasoner is the rules, and a model behind or before them when there is one.
// The planner is nil where there is no model.
func (s *system) reasoner(ctx context.Context, h hooks) (commands.Reasoner, commands.Planner, error) {
	chain := reason.Chain{Rules: reason.Within{Reasoner: rules.Reasoner{}}}
	c := s.cfg.Models
	if !c.configured() && !c.Embedding.configured() {
		return chain, nil, nil
	}
	var err error
	if s.models, err = s.modelClient(ctx, h); err != nil {
		return nil, nil, fmt.Errorf("models: %w", err)
	}
	if !c.configured() {
		return chain, nil, nil
	}
	// Where the rules stand in, nobody but the log hears of the model's failure.
	byModel := model.New(asideAsker{s.models})
	byModel.PageTokens = c.PageTokens
	chain.Model = observe.Reasoner{Next: byModel, Log: s.log}
	return chain, observe.Planner{Next: byModel, Log: s.log}, nil
}

func (s *system) modelClient(ctx context.Context, h hooks) (*llm.Client, error) {
	c := s.cfg.Models
	open, err := s.generators(ctx, h)
	if err != nil {
		return nil, err
	}
	embedding, err := c.embeddingTarget(ctx, h)
	if err != nil {
		return nil, err
	}
	var recorder llm.Recorder = observe.NewCalls(s.recorder(), s.log, s.registry)
	if h.model != nil {
		recorder = hookedRecorder{recorder, h.model}
	}
	client, err := llm.NewClient(llm.Options{
		Roles:          c.roles(open),
		Embedding:      embedding,
		Recorder:       recorder,
		NewID:          domain.NewUUID,
		Now:            s.now,
		Tokens:         prompt.Tokens,
		Concurrent:     c.Concurrent,
		AttemptTimeout: h.attempt,
	})
	if err != nil {
		return nil, err
	}
	return client, s.registry.Register(observe.NewModels(client))
}

// generators are those of the roles, by adapter.
func (s *system) generators(ctx context.Context, h hooks) (map[string]llm.Generator, error) {
	c := s.cfg.Models
	open := map[string]llm.Generator{}
	for _, m := range []modelConfig{c.Smart.Model, c.Smart.Fallback, c.Fast.Model, c.Fast.Fallback} {
		if m.Adapter == "" || open[m.Adapter] != nil {
			continue
		}
		g, err := c.generator(ctx, m.Adapter)
		if err != nil {
			return nil, err
		}
		for _, lack := range llm.LacksOf(g) {
			s.log.Info("a model adapter lacks something", "adapter", m.Adapter, "what", lack)
		}
		if h.model != nil {
			g = hooked{g, h.model}
		}
		open[m.Adapter] = g
	}
	return open, nil
}

// roles are nil where no model is asked. Each falls back to its own second model and then
// to the other role's first (spec §4.10.1).
func (c modelsConfig) roles(open map[string]llm.Generator) map[llm.Role][]llm.Target {
	if !c.configured() {
		return nil
	}
	smart, fast := c.targets(c.Smart, open), c.targets(c.Fast, open)
	return map[llm.Role][]llm.Target{llm.Smart: append(smart, fast[0]), llm.Fast: append(fast, smart[0])}
}

func (c modelsConfig) generator(ctx context.Context, adapter string) (llm.Generator, error) {
	switch adapter {
	case byOpenAI:
		return openai.Open(openai.Options{
			APIKey: c.OpenAI.Key.Reveal(), BaseURL: c.OpenAI.URL, Compatible: !openai.IsOpenAI(c.OpenAI.URL),
		})
	case byGenerativeAI:
		return generativeai.Open(ctx, c.Gemini.Key.Reveal(), c.Gemini.URL)
	}
	return gemini.Open(ctx, c.Gemini.Key.Reveal(), c.Gemini.URL)
}

// targets are a role's model and the one that answers when it cannot.
func (c modelsConfig) targets(role roleConfig, open map[string]llm.Generator) (out []llm.Target) {
	for _, m := range []modelConfig{role.Model, role.Fallback} {
		if m.Adapter == "" || len(out) > 0 && m == role.Model {
			continue
		}
		out = append(out, llm.Target{
			Provider: c.at(m).PricedAs, Model: m.Name, Generator: open[m.Adapter], Temperature: role.Temperature.value,
			TextOnly: slices.Contains(c.TextOnly, m.Name),
		})
	}
	return out
}

// at is the endpoint a model is asked at.
func (c modelsConfig) at(m modelConfig) endpoint {
	if m.Adapter == byOpenAI {
		return c.OpenAI
	}
	return c.Gemini
}

func meters(u llm.Usage) usage.Meters {
	return usage.Meters{
		InputUncached: u.InputUncached, InputCached: u.InputCached, InputTool: u.InputTool,
		InputAudio: u.InputAudio, Output: u.Output, Thinking: u.Thinking,
	}
}
