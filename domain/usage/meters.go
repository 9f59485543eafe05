package usage

// Meter names a kind of tokens.
type Meter string

// The meters. They are disjoint: every token of a call is on exactly one.
const (
	InputUncached Meter = "inputUncached"
	InputCached   Meter = "inputCached"
	InputTool     Meter = "inputTool"
	InputAudio    Meter = "inputAudio"
	Output        Meter = "output"
	Thinking      Meter = "thinking"
)

// Meters are the tokens of one call. In a correction they are differences and
// may be negative.
type Meters struct {
	// InputUncached is text and images read afresh; InputCached what came from the
	// provider's prompt cache; InputTool what the provider's own tools added;
	// InputAudio audio read afresh.
	InputUncached int64 `json:"inputUncached,omitempty"`
	InputCached   int64 `json:"inputCached,omitempty"`
	InputTool     int64 `json:"inputTool,omitempty"`
	InputAudio    int64 `json:"inputAudio,omitempty"`
	// Output is the visible answer, Thinking what the model wrote for itself.
	Output   int64 `json:"output,omitempty"`
	Thinking int64 `json:"thinking,omitempty"`
}

// Quantity is the reading of one meter.
type Quantity struct {
	Meter  Meter
	Tokens int64
}

// All returns all readings in a fixed order, including zeros.
func (m Meters) All() []Quantity {
	return []Quantity{
		{InputUncached, m.InputUncached},
		{InputCached, m.InputCached},
		{InputTool, m.InputTool},
		{InputAudio, m.InputAudio},
		{Output, m.Output},
		{Thinking, m.Thinking},
	}
}

// Input is everything the model read.
func (m Meters) Input() int64 { return m.Prompt() + m.InputTool }

// Prompt is what was sent, cached or not: the size that chooses the price tier.
func (m Meters) Prompt() int64 { return m.InputUncached + m.InputCached + m.InputAudio }

// Outputs is everything the model wrote, thinking included.
func (m Meters) Outputs() int64 { return m.Output + m.Thinking }

// Total is the sum of all meters.
func (m Meters) Total() int64 { return m.Input() + m.Outputs() }

// Minus returns the difference, meter by meter.
func (m Meters) Minus(o Meters) Meters { return m.Plus(o.negated()) }

// Plus returns the sum, meter by meter.
func (m Meters) Plus(o Meters) Meters {
	return Meters{
		InputUncached: m.InputUncached + o.InputUncached,
		InputCached:   m.InputCached + o.InputCached,
		InputTool:     m.InputTool + o.InputTool,
		InputAudio:    m.InputAudio + o.InputAudio,
		Output:        m.Output + o.Output,
		Thinking:      m.Thinking + o.Thinking,
	}
}

func (m Meters) negated() Meters {
	return Meters{-m.InputUncached, -m.InputCached, -m.InputTool, -m.InputAudio, -m.Output, -m.Thinking}
}

// readable reports whether no meter is negative or more than any model can read or
// write in one call.
func (m Meters) readable() bool {
	for _, q := range m.All() {
		if q.Tokens < 0 || q.Tokens > maxTokens {
			return false
		}
	}
	return true
}

// maxTokens bounds a meter of one call: thousands of times the largest context
// window, and small enough that sums of six cannot overflow.
const maxTokens = 1 << 40
