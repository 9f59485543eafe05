package usage

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// reader decodes events. The two that a call nearly always consists of are scanned
// in place, since reading them by reflection takes most of the time of a catch-up
// (15 µs a call, of 40). What is not plain in any way (a field this package does not
// know, an escape, a null) is left to the codec, which also says what is wrong. Of
// these two, pointers are scanned, and all their texts are such as Postgres can hold.
type reader struct {
	started   []usage.LLMCallStarted
	completed []scannedCompleted
}

// newReader reads these events, in their order. It makes room for all at once: one
// by one they would take as long to collect as to read.
func newReader(events []eventstore.Recorded) *reader {
	var started, completed int
	for i := range events {
		switch events[i].Type {
		case usage.NameLLMCallStarted:
			started++
		case usage.NameLLMCallCompleted:
			completed++
		}
	}
	return &reader{make([]usage.LLMCallStarted, 0, started), make([]scannedCompleted, 0, completed)}
}

func (r *reader) read(e *eventstore.Recorded) (usage.Event, error) {
	s := scanner{data: e.Data, text: unsafe.String(unsafe.SliceData(e.Data), len(e.Data))} // nobody writes to an event
	switch e.Type {
	case usage.NameLLMCallStarted:
		r.started = append(r.started, usage.LLMCallStarted{})
		if event := &r.started[len(r.started)-1]; s.started(event) {
			return event, nil
		}
	case usage.NameLLMCallCompleted:
		r.completed = append(r.completed, scannedCompleted{})
		if event := &r.completed[len(r.completed)-1]; s.completed(event) {
			return event, nil
		}
	}
	return usage.Codec.Decode(e.Type, e.Data, e.ID, nil)
}

func (s *scanner) started(e *usage.LLMCallStarted) bool {
	s.object(func(key string) {
		switch key {
		case "call":
			e.Call = s.string()
		case "tenant":
			e.Tenant = s.string()
		case "user":
			e.User = s.string()
		case "session":
			e.Session = s.string()
		case "task":
			e.Task = s.string()
		case "turn":
			e.Turn = int(s.int())
		case "request":
			e.Request = s.string()
		case "purpose":
			e.Purpose = usage.Purpose(s.string())
		case "role":
			e.Role = usage.Role(s.string())
		case "provider":
			e.Provider = s.string()
		case "model":
			e.Model = s.string()
		case "serviceTier":
			e.ServiceTier = s.string()
		case "attempt":
			e.Attempt = int(s.int())
		case "promptName":
			e.PromptName = s.string()
		case "promptHash":
			e.PromptHash = s.string()
		case "promptRef":
			e.PromptRef = s.string()
		case "estimatedInputTokens":
			e.EstimatedInputTokens = s.int()
		case "estimatedOutputTokens":
			e.EstimatedOutputTokens = s.int()
		case "estimatedCost":
			e.EstimatedCost = s.amount()
		case "reserved":
			e.Reserved = s.amount()
		case "budgetMonth":
			e.BudgetMonth = s.string()
		case "instance":
			e.Instance = s.string()
		case "startedAt":
			e.StartedAt = s.time()
		default:
			s.fail()
		}
	})
	return s.ended()
}

// scannedCompleted has its prices as they stand in the event; they are amounts by
// meter.
type scannedCompleted struct {
	usage.LLMCallCompleted
	prices json.RawMessage
}

func (s *scanner) completed(e *scannedCompleted) bool {
	s.object(func(key string) {
		switch key {
		case "call":
			e.Call = s.string()
		case "totalMatches":
			e.TotalMatches = s.bool()
		case "cost":
			e.Cost = s.amount()
		case "costStatus":
			e.CostStatus = usage.CostStatus(s.string())
		case "priceVersion":
			e.PriceVersion = s.string()
		case "unitPrices":
			if e.prices != nil { // said twice: the codec knows what holds
				s.fail()
			}
			e.prices = s.prices()
		default:
			s.report(key, &e.Report)
		}
	})
	return s.ended()
}

func (s *scanner) report(key string, r *usage.Report) {
	switch key {
	case "outcome":
		r.Outcome = usage.Outcome(s.string())
	case "rawUsage":
		r.RawUsage = s.raw()
	case "meters":
		s.meters(&r.Meters)
	case "usageMissing":
		r.UsageMissing = s.bool()
	case "usageUnclear":
		r.UsageUnclear = s.bool()
	case "providerTotal": // TotalMatches says what came of it
		s.int()
	case "responseModel":
		r.ResponseModel = s.string()
	case "serviceTier":
		r.ServiceTier = s.string()
	case "responseId":
		r.ResponseID = s.string()
	case "durationMs":
		r.DurationMS = s.int()
	case "answerRef":
		r.AnswerRef = s.string()
	case "completedAt":
		r.CompletedAt = s.time()
	default:
		s.fail()
	}
}

func (s *scanner) meters(m *usage.Meters) {
	s.object(func(key string) {
		switch usage.Meter(key) {
		case usage.InputUncached:
			m.InputUncached = s.int()
		case usage.InputCached:
			m.InputCached = s.int()
		case usage.InputTool:
			m.InputTool = s.int()
		case usage.InputAudio:
			m.InputAudio = s.int()
		case usage.Output:
			m.Output = s.int()
		case usage.Thinking:
			m.Thinking = s.int()
		default:
			s.fail()
		}
	})
}

// prices are nil where there are none.
func (s *scanner) prices() json.RawMessage {
	s.space()
	from, count := s.at, 0
	s.object(func(string) {
		s.pico()
		count++
	})
	if count == 0 || s.failed {
		return nil
	}
	return s.data[from:s.at]
}

// scanner reads plain JSON: printable ASCII without escapes, whole numbers. It
// fails on all else, valid or not, and is at the end then.
type scanner struct {
	data   []byte
	text   string // the same; strings read are parts of it
	at     int
	failed bool
}

func (s *scanner) fail() { s.failed, s.at = true, len(s.text) }

// ended reports whether everything was read and plain.
func (s *scanner) ended() bool {
	s.space()
	return !s.failed && s.at == len(s.text)
}

func (s *scanner) space() {
	for s.at < len(s.text) && s.text[s.at] <= ' ' && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

// take reads a byte after space, if it is the one wanted.
func (s *scanner) take(want byte) bool {
	if s.at < len(s.text) && s.text[s.at] <= ' ' {
		s.space()
	}
	if s.at == len(s.text) || s.text[s.at] != want {
		return false
	}
	s.at++
	return true
}

func (s *scanner) must(want byte) {
	if !s.take(want) {
		s.fail()
	}
}

// object calls field at the value of each.
func (s *scanner) object(field func(key string)) {
	s.must('{')
	if s.take('}') {
		return
	}
	for !s.failed {
		key := s.string()
		s.must(':')
		if s.failed {
			return
		}
		field(key)
		if !s.take(',') {
			break
		}
	}
	s.must('}')
}

func (s *scanner) string() string {
	s.must('"')
	from := s.at
	for ; s.at+8 <= len(s.data); s.at += 8 {
		if odd := notPlain(binary.LittleEndian.Uint64(s.data[s.at:])); odd != 0 {
			s.at += bits.TrailingZeros64(odd) / 8
			break
		}
	}
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return s.text[from : s.at-1]
		case c == '\\' || c < ' ' || c >= utf8.RuneSelf:
			s.fail()
		}
	}
	s.fail()
	return ""
}

// notPlain looks at eight bytes at once: the lowest bit set is in the first of them
// that is a control character, a quote, a backslash or not ASCII.
func notPlain(eight uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	control := (eight - ' '*ones) &^ eight
	quote := eight ^ '"'*ones
	quote = (quote - ones) &^ quote
	backslash := eight ^ '\\'*ones
	backslash = (backslash - ones) &^ backslash
	return (eight | control | quote | backslash) & tops
}

// int reads a whole number of at most eighteen digits.
func (s *scanner) int() int64 {
	const most = 18
	negative := s.take('-')
	if !negative {
		s.space()
	}
	var n int64
	from := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		n = n*10 + int64(s.text[s.at]-'0')
		s.at++
	}
	digits := s.at - from
	isFraction := s.at < len(s.text) && strings.IndexByte(".eE", s.text[s.at]) >= 0
	if digits == 0 || digits > most || isFraction || digits > 1 && s.text[from] == '0' {
		s.fail()
	}
	if negative {
		return -n
	}
	return n
}

func (s *scanner) bool() bool {
	s.space()
	is := s.word("true")
	if !is && !s.word("false") {
		s.fail()
	}
	return is
}

func (s *scanner) word(w string) bool {
	if !strings.HasPrefix(s.text[s.at:], w) {
		return false
	}
	s.at += len(w)
	return true
}

func (s *scanner) amount() *usage.Pico {
	p := s.pico()
	return &p
}

func (s *scanner) pico() usage.Pico {
	p, err := usage.ParsePico(s.string())
	if err != nil {
		s.fail()
	}
	return p
}

func (s *scanner) time() (t time.Time) {
	if err := t.UnmarshalText([]byte(s.string())); err != nil {
		s.fail()
	}
	return t
}

// raw is an object as it stands.
func (s *scanner) raw() json.RawMessage {
	s.space()
	from := s.at
	if s.value(0); s.failed {
		s.at, s.failed = from, false
		s.skip()
	}
	raw := s.data[from:s.at]
	if len(raw) == 0 || raw[0] != '{' {
		s.fail()
	}
	return raw
}

// value passes over a plain value, such as reports of usage are made of.
func (s *scanner) value(depth int) {
	const deepest = 16
	s.space()
	switch {
	case s.at == len(s.text) || depth == deepest:
		s.fail()
	case s.text[s.at] == '{':
		s.object(func(string) { s.value(depth + 1) })
	case s.text[s.at] == '[':
		s.array(func() { s.value(depth + 1) })
	case s.text[s.at] == '"':
		s.string()
	case !s.word("true") && !s.word("false") && !s.word("null"):
		s.int()
	}
}

// array calls element at each.
func (s *scanner) array(element func()) {
	s.must('[')
	if s.take(']') {
		return
	}
	for !s.failed {
		element()
		if !s.take(',') {
			break
		}
	}
	s.must(']')
}

// skip passes over any object.
func (s *scanner) skip() {
	from, depth := s.at, 0
	for inString := false; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\':
			s.at++
		case c == '"':
			inString = !inString
		case !inString && c == '{':
			depth++
		case !inString && c == '}':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	s.at = min(s.at+1, len(s.text))
	if !json.Valid(s.data[from:s.at]) {
		s.fail()
	}
}
