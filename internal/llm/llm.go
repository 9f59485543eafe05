// Package llm is the port to language models, and their one caller.
//
// A Generator makes one attempt at a provider, without retries, continuation or
// hidden fallback, so that an attempt is what is billed. Adapters live below (gemini,
// ...), each with its one library, and all pass llmtest.Contract.
//
// Client asks: it records every attempt with a Recorder before and after it is made,
// bounds it in time, retries if that can help, and uses an answer that was paid
// before a crash instead of paying again. Answers are text; their meaning is up to
// the caller.
//
// This package imports only the standard library and knows nothing of money.
package llm

import (
	"context"
	"encoding/json"
)

// Generator asks a model once. It returns a Response for every answer of the
// provider, including unusable ones (blocked, truncated, empty), since they are
// billed, and an *Error if there was none. It is safe for concurrent use and stops
// when ctx ends.
type Generator interface {
	Generate(ctx context.Context, r Request) (Response, error)
}

// Lack is something of this port a Generator does not support.
type Lack string

// The lacks.
const (
	// LacksThinkingBudget: a request's budget for thinking is not passed on.
	LacksThinkingBudget Lack = "the budget for thinking is not passed on"
	// LacksToolMeter: input from the provider's own tools is counted and priced with
	// the rest of the input.
	LacksToolMeter Lack = "input by the provider's tools is not counted apart"
	// LacksSchema: only types, descriptions, enumerations, items and properties of a
	// schema are passed on, without their order. The caller's check has to cover the
	// rest.
	LacksSchema Lack = "of a schema only the plainest words are passed on"
)

// Lacking is a Generator that lacks something. Any other lacks nothing.
type Lacking interface{ Lacks() []Lack }

// LacksOf returns what a Generator lacks.
func LacksOf(g Generator) []Lack {
	if l, ok := g.(Lacking); ok {
		return l.Lacks()
	}
	return nil
}

// Request is one question to one model.
type Request struct {
	Model string `json:"model"`
	// System is the instructions, User the material to work on.
	System string `json:"system"`
	User   []Part `json:"user"`
	// Schema is a JSON Schema for the answer; nil asks for plain text. Adapters drop
	// what their provider does not know.
	Schema     json.RawMessage `json:"schema,omitempty"`
	SchemaName string          `json:"schemaName,omitempty"`
	// Temperature nil means the provider's default.
	Temperature *float64 `json:"temperature,omitempty"`
	// MaxOutputTokens bounds the answer including thinking. 0 means
	// DefaultMaxOutputTokens.
	MaxOutputTokens int `json:"maxOutputTokens,omitempty"`
	// ThinkingBudget in tokens: nil leaves it to the model, 0 asks for none.
	ThinkingBudget *int `json:"thinkingBudget,omitempty"`
}

// DefaultMaxOutputTokens is the limit of requests without one.
const DefaultMaxOutputTokens = 4096

// OutputLimit is the limit in effect.
func (r Request) OutputLimit() int {
	if r.MaxOutputTokens > 0 {
		return r.MaxOutputTokens
	}
	return DefaultMaxOutputTokens
}

// Part is a part of a question: text, or an image (image.go).
type Part struct {
	Text string `json:"text,omitempty"`
	MIME string `json:"mime,omitempty"`
	Data []byte `json:"data,omitempty"`
}

// Text returns a question of one text.
func Text(s string) []Part { return []Part{{Text: s}} }

// Finish is why an answer ended.
type Finish string

// Reasons to finish.
const (
	Stop      Finish = "stop"
	MaxTokens Finish = "max_tokens" // cut off at the output limit
	Refused   Finish = "blocked"    // the provider refused the prompt or its own answer
	Other     Finish = "other"
)

// Response is one answer. Text may be empty.
type Response struct {
	Text   string `json:"text"`
	Finish Finish `json:"finish"`
	// Usage is nil if the provider did not report it or it cannot be read.
	Usage *Usage `json:"usage,omitempty"`
	// RawUsage is the provider's usage as received, readable or not.
	RawUsage json.RawMessage `json:"rawUsage,omitempty"`
	// Model is the model that answered, ID the provider's id of the answer.
	Model string `json:"model,omitempty"`
	ID    string `json:"id,omitempty"`
	// ServiceTier is the service the provider says it gave (standard, flex,
	// priority), "" if it did not say.
	ServiceTier string `json:"serviceTier,omitempty"`
}

// Usage counts tokens on disjoint meters: each token of a call is on exactly one.
// Adapters separate the provider's overlapping counts.
type Usage struct {
	InputUncached int64 `json:"inputUncached"`
	InputCached   int64 `json:"inputCached"`
	InputTool     int64 `json:"inputTool"`
	InputAudio    int64 `json:"inputAudio"`
	Output        int64 `json:"output"`
	Thinking      int64 `json:"thinking"`
	// Total is the provider's own sum, nil if it gave none. It is compared with the
	// meters, never used in their place.
	Total *int64 `json:"total,omitempty"`
	// Derived: the provider did not report thinking apart, and Thinking is its total
	// minus input and output.
	Derived bool `json:"derived,omitempty"`
	// Unclear: the provider's counts contradict each other or cannot be read in part.
	// The meters are the best estimate.
	Unclear bool `json:"unclear,omitempty"`
}

// account is the usage of an answer if it is plausible. A model that answered has
// read the prompt and written the text, so a count of zero for either means that the
// usage is missing.
func (r Response) account() *Usage {
	if u := r.Usage; u != nil && u.Input() > 0 && (u.Outputs() > 0 || r.Text == "") {
		return u
	}
	return nil
}

// Input is everything read, cached or not.
func (u Usage) Input() int64 { return u.InputUncached + u.InputCached + u.InputTool + u.InputAudio }

// Outputs is everything written, including thinking.
func (u Usage) Outputs() int64 { return u.Output + u.Thinking }
