package wire

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/internal/llm"
)

// Limits of a provider's usage on the ledger: real ones have a few hundred bytes and
// two levels, and a database may refuse much deeper ones.
const (
	maxKept      = 16 << 10
	maxKeptDepth = 32
)

// maxTokens is the largest plausible count: ten times the largest prompt of any
// model.
const maxTokens = 100_000_000

// Kept returns a usage as it goes on the ledger, nil if it is too large.
func Kept(account json.RawMessage) json.RawMessage {
	depth, deepest := 0, 0
	for _, c := range account { // brackets in texts count too, and do no harm
		switch c {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	if len(account) > maxKept || deepest > maxKeptDepth {
		return nil
	}
	return account
}

// Count is a number of tokens as a provider reports it.
type Count struct {
	Tokens int64
	// Said: there is a valid number.
	Said bool
	// Unclear: there is something else in its place, or two different numbers.
	Unclear bool
}

// Count reads a count under any of the names. Of several it takes the largest, since
// some endpoints leave the other spelling at zero.
func (m Members) Count(names ...string) (c Count) {
	for _, name := range names {
		raw := m.Of(name)
		if raw == nil {
			continue
		}
		n, ok := tokens(raw)
		if !ok {
			c.Unclear = true
			continue
		}
		c.Unclear = c.Unclear || c.Tokens != 0 && n != 0 && c.Tokens != n
		c.Said, c.Tokens = true, max(c.Tokens, n)
	}
	return c
}

// Lost reports a count that is there and cannot be read.
func (c Count) Lost() bool { return c.Unclear && !c.Said }

// tokens reads a whole number that may be written with a fraction (1000.0), with an
// exponent or in quotes.
func tokens(raw json.RawMessage) (int64, bool) {
	s := string(raw)
	if strings.HasPrefix(s, `"`) {
		var quoted string
		if json.Unmarshal(raw, &quoted) != nil {
			return 0, false
		}
		s = strings.TrimSpace(quoted)
	}
	if strings.Trim(s, "0123456789.eE+-") != "" { // what ParseFloat would take beyond these
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > maxTokens || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// Used adds the usage in a failure's body to it. A refused request is not charged,
// unless the body has a usage or an unreadable one.
func Used(e *llm.Error, u *llm.Usage, account json.RawMessage) *llm.Error {
	e.Usage, e.RawUsage = u, Kept(account)
	if account != nil && (u == nil || u.Input()+u.Outputs() > 0) {
		e.Unbilled = false
	}
	return e
}
