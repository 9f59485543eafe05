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
	"github.com/stepledger/stepledger/internal/observe"
	"github.com/stepledger/stepledger/internal/reason"
	"github.com/stepledger/stepledger/internal/reason/model"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// reasoner is the rules, and a model behind or before them when there is a key.
func (s *system) reasoner(ctx context.Context, h hooks) (commands.Reasoner, error) {
	chain := reason.Chain{Rules: rules.Reasoner{}}
	if s.cfg.GeminiKey == "" {
		return chain, nil
	}
	client, err := s.modelClient(ctx, h)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	// Where the rules stand in, nobody but the log hears of the model's failure.
	chain.Model = observe.Reasoner{Next: model.New(client), Log: s.log}
	return chain, nil
}

func (s *system) modelClient(ctx context.Context, h hooks) (*llm.Client, error) {
	provider, err := gemini.Open(ctx, s.cfg.GeminiKey.Reveal(), s.cfg.GeminiURL)
	if err != nil {
		return nil, err
	}
	s.models = &modelHealth{Generator: provider}
	var generator llm.Generator = s.models
	if h.model != nil {
		generator = hooked{generator, h.model}
	}
	smart, fast := s.cfg.targets(s.cfg.Smart, generator), s.cfg.targets(s.cfg.Fast, generator)
	return llm.NewClient(llm.Options{
		// Each role falls back to its own second model and then to the other
		// role's first (spec §4.10.1).
		Roles: map[llm.Role][]llm.Target{
			llm.Smart: append(smart, fast[0]),
			llm.Fast:  append(fast, smart[0]),
		},
		Recorder: s.recorder(),
		NewID:    domain.NewUUID,
		Tokens:   prompt.Tokens,
	})
}

// targets are a role's model and the one that answers when it cannot.
func (c config) targets(role modelConfig, g llm.Generator) []llm.Target {
	target := func(model string) llm.Target {
		return llm.Target{
			Provider: usage.Google, Model: model, Generator: g, Temperature: &role.Temperature,
			TextOnly: slices.Contains(c.TextOnly, model),
		}
	}
	if role.Fallback == "" || role.Fallback == role.Name {
		return []llm.Target{target(role.Name)}
	}
	return []llm.Target{target(role.Name), target(role.Fallback)}
}

// hooked tells a crash test where a model call stands.
type hooked struct {
	llm.Generator
	at func(point string)
}

// Generate implements llm.Generator.
func (g hooked) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	g.at("model.asking")
	res, err := g.Generator.Generate(ctx, r)
	g.at("model.answered")
	return res, err
}

func meters(u llm.Usage) usage.Meters {
	return usage.Meters{
		InputUncached: u.InputUncached, InputCached: u.InputCached, InputTool: u.InputTool,
		InputAudio: u.InputAudio, Output: u.Output, Thinking: u.Thinking,
	}
}
