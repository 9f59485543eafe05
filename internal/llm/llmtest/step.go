// Package llmtest has what the tests of models need and no network: scripted
// answers (Step), a Generator that gives them (Fake), local servers that give
// them in the wire formats of Gemini and OpenAI, an exchange with a provider
// recorded without its secrets and replayed (Tape), a Recorder in memory that
// insists on the order of things (Ledger), and the contract every adapter
// passes.
package llmtest

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/stepledger/stepledger/internal/llm"
)

// Step is how one attempt goes. The zero value is an empty answer with usage.
type Step struct {
	// Text of the answer, and why it ended (llm.Stop by default). BlockPrompt
	// refuses the prompt itself: no answer, but usage.
	Text        string
	Finish      llm.Finish
	BlockPrompt bool
	// Usage replaces DefaultUsage; NoUsage leaves it out.
	Usage   *llm.Usage
	NoUsage bool
	// Account stands in the place of the provider's account, whatever it is. A Fake
	// can read nothing in it.
	Account json.RawMessage
	// Vectors stand in the place of those of the texts (Vector), whatever they are; not a
	// number is one like any other.
	Vectors [][]float32
	// ServiceTier is the service the provider says it gave, "" if it does not.
	ServiceTier string
	// Status other than 0 and 200 is an error of the provider; RetryAfter is the
	// delay it asks for, Message what it says.
	Status     int
	RetryAfter time.Duration
	Message    string
	// Hang never answers, Stall stops within the answer and keeps the connection.
	Hang, Stall bool
	// Reset breaks the connection before the answer, Cut within it. Garbled
	// answers with what cannot be read, Huge with more than anybody should.
	Reset, Cut, Garbled, Huge bool
}

// DefaultUsage is what a step uses unless it says otherwise: prompt 120 with 20
// cached and 10 audio, tools 5, answer 7, thoughts 9.
func DefaultUsage() llm.Usage {
	total := int64(141)
	return llm.Usage{InputUncached: 90, InputCached: 20, InputTool: 5, InputAudio: 10, Output: 7, Thinking: 9, Total: &total}
}

func (s Step) usage() *llm.Usage {
	if s.NoUsage {
		return nil
	}
	if s.Usage != nil {
		return s.Usage
	}
	u := DefaultUsage()
	return &u
}

// perText are the tokens of a text that becomes a vector, unless a step has a Usage.
const perText = 5

// embedUsage is the usage of an embedding.
func (s Step) embedUsage(texts int) *llm.Usage {
	if s.NoUsage || s.Usage != nil {
		return s.usage()
	}
	n := int64(perText * texts)
	return &llm.Usage{InputUncached: n, Total: &n}
}

// DefaultDimensions is the length of vectors nobody asked for a length of.
const DefaultDimensions = 8

// Vector is what a text becomes here: always the same, of length one, and hardly another
// text's.
func Vector(text string, dimensions int) []float32 {
	out, sum := make([]float32, dimensions), 0.0
	for i := range out {
		h := sha256.Sum256([]byte(strconv.Itoa(i) + text))
		out[i] = float32(h[0]) - 127.5
		sum += float64(out[i]) * float64(out[i])
	}
	for i := range out {
		out[i] = float32(float64(out[i]) / math.Sqrt(sum))
	}
	return out
}

// vectors answer a request.
func (s Step) vectors(q llm.EmbedRequest) [][]float32 {
	if s.Vectors != nil {
		return s.Vectors
	}
	n := q.Dimensions
	if n == 0 {
		n = DefaultDimensions
	}
	out := make([][]float32, len(q.Texts))
	for i, text := range q.Texts {
		out[i] = Vector(text, n)
	}
	return out
}

func (s Step) finish() llm.Finish {
	switch {
	case s.BlockPrompt:
		return llm.Refused
	case s.Finish == "":
		return llm.Stop
	}
	return s.Finish
}

// Script gives the step for each attempt, counted from 0.
type Script func(attempt int) Step

// Steps is a script of these steps; the last one is repeated.
func Steps(steps ...Step) Script {
	return func(i int) Step { return steps[min(i, len(steps)-1)] }
}

// counter counts attempts of several goroutines.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n - 1
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}
