// Package llm is the port to language models, and the one caller of it.
//
// A Generator makes one attempt at a provider: no retries, no continuation, no
// fallback it does not tell of, so that an attempt is what is billed. Adapters
// live below (gemini, ...), each with its one library, and all pass
// llmtest.Contract.
//
// Client is what asks: it notes every attempt with a Recorder before and after
// it is made, bounds it in time, tries again where that can help, and uses an
// answer that was paid for before a crash instead of paying again. Answers are
// text; what a question means and whether an answer is right is the asker's.
//
// This package imports the standard library only; amounts of money are not its
// business.
package llm

import (
	"context"
	"encoding/json"
)

// Generator asks a model once. It returns a Response for every answer the
// provider gave, the unusable ones (blocked, truncated, empty) included, since
// they are billed; and an *Error when there was none. It is safe for
// concurrent use and stops when ctx ends.
type Generator interface {
	Generate(ctx context.Context, r Request) (Response, error)
}

// Lack is something of this port a Generator cannot do or tell.
type Lack string

// The lacks there are.
const (
	// LacksThinkingBudget: a request's budget for thinking is not passed on; the
	// model thinks as much as it does by default.
	LacksThinkingBudget Lack = "the budget for thinking is not passed on"
	// LacksToolMeter: what the provider's own tools fed back is counted with the
	// rest of the input, and priced like it.
	LacksToolMeter Lack = "input by the provider's tools is not counted apart"
	// LacksSchema: of a schema only types, descriptions, enumerations, items and
	// properties are passed on, without their order; what else it demands only the
	// asker's own check sees.
	LacksSchema Lack = "of a schema only the plainest words are passed on"
)

// Lacking is a Generator that says what it lacks. One that does not say lacks
// nothing.
type Lacking interface{ Lacks() []Lack }

// LacksOf is what a Generator lacks.
func LacksOf(g Generator) []Lack {
	if l, ok := g.(Lacking); ok {
		return l.Lacks()
	}
	return nil
}

// Request is one question to one model.
type Request struct {
	Model string `json:"model"`
	// System is what we tell the model, User what it is given to work on.
	System string `json:"system"`
	User   []Part `json:"user"`
	// Schema is a JSON Schema the answer has to follow; nil asks for plain text.
	// Adapters leave out what their provider does not know of it.
	Schema     json.RawMessage `json:"schema,omitempty"`
	SchemaName string          `json:"schemaName,omitempty"`
	// Temperature nil leaves it to the provider.
	Temperature *float64 `json:"temperature,omitempty"`
	// MaxOutputTokens bounds the answer, thinking included. 0 means
	// DefaultMaxOutputTokens.
	MaxOutputTokens int `json:"maxOutputTokens,omitempty"`
	// ThinkingBudget in tokens: nil leaves it to the model, 0 asks for none.
	ThinkingBudget *int `json:"thinkingBudget,omitempty"`
}

// DefaultMaxOutputTokens bounds an answer whose request says nothing.
const DefaultMaxOutputTokens = 4096

// OutputLimit is the bound that holds for the request.
func (r Request) OutputLimit() int {
	if r.MaxOutputTokens > 0 {
		return r.MaxOutputTokens
	}
	return DefaultMaxOutputTokens
}

// Part of a question: text, or an image (image.go).
type Part struct {
	Text string `json:"text,omitempty"`
	MIME string `json:"mime,omitempty"`
	Data []byte `json:"data,omitempty"`
}

// Text is a question in one piece of text.
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
	// Usage is nil when the provider did not say, or nobody can read what.
	Usage *Usage `json:"usage,omitempty"`
	// RawUsage is the provider's account as it came, readable or not.
	RawUsage json.RawMessage `json:"rawUsage,omitempty"`
	// Model is the one that answered, ID the provider's name for the answer.
	Model string `json:"model,omitempty"`
	ID    string `json:"id,omitempty"`
	// ServiceTier is the service the provider says it gave (standard, flex,
	// priority), "" if it did not say.
	ServiceTier string `json:"serviceTier,omitempty"`
}

// Usage counts tokens on disjoint meters: each token of a call is on exactly
// one. Adapters take the provider's overlapping counts apart.
type Usage struct {
	InputUncached int64 `json:"inputUncached"`
	InputCached   int64 `json:"inputCached"`
	InputTool     int64 `json:"inputTool"`
	InputAudio    int64 `json:"inputAudio"`
	Output        int64 `json:"output"`
	Thinking      int64 `json:"thinking"`
	// Total is the provider's own sum, nil if it gave none. It is compared with
	// the meters, never used in their place.
	Total *int64 `json:"total,omitempty"`
	// Derived: the provider did not tell its thinking apart, and Thinking is what
	// its total has beyond input and output.
	Derived bool `json:"derived,omitempty"`
	// Unclear: counts of the provider contradict each other, or a part of one cannot
	// be read. The meters are the best that can be made of them.
	Unclear bool `json:"unclear,omitempty"`
}

// account is the usage of an answer as far as it can be true. What answered has
// read the prompt, and written the text there is: where one of the two counts
// nothing, nobody has said what was used.
func (r Response) account() *Usage {
	if u := r.Usage; u != nil && u.Input() > 0 && (u.Outputs() > 0 || r.Text == "") {
		return u
	}
	return nil
}

// Input is everything read, cached or not.
func (u Usage) Input() int64 { return u.InputUncached + u.InputCached + u.InputTool + u.InputAudio }

// Outputs is everything written, thinking included.
func (u Usage) Outputs() int64 { return u.Output + u.Thinking }
