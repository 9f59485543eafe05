package wire

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/internal/llm"
)

// What of a provider's account the ledger keeps as it came: real ones have a few
// hundred bytes and two levels. A database may refuse much deeper ones.
const (
	maxKept      = 16 << 10
	maxKeptDepth = 32
)

// maxTokens is the most a count is believed: ten times the largest prompt any model
// reads.
const maxTokens = 100_000_000

// Kept is an account as it goes on the ledger; nil for one that is too large for it.
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

// Count is a number of tokens as a provider gives it.
type Count struct {
	Tokens int64
	// Said: there is a number of tokens.
	Said bool
	// Unclear: there is something else in its place, or two numbers that differ.
	Unclear bool
}

// Count reads a count that goes by any of the names; of several the largest, since
// some endpoints fill in one spelling and leave the other at zero.
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

// Lost reports whether the account has the count and nobody can read it.
func (c Count) Lost() bool { return c.Unclear && !c.Said }

// tokens reads a whole number that may be written as a fraction (1000.0), with an
// exponent or in quotes. What cannot be a number of tokens is none.
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

// Used adds to a failure what its body says was used. A request that was refused is
// not charged for, unless the body counts something, or nobody can read what.
func Used(e *llm.Error, u *llm.Usage, account json.RawMessage) *llm.Error {
	e.Usage, e.RawUsage = u, Kept(account)
	if account != nil && (u == nil || u.Input()+u.Outputs() > 0) {
		e.Unbilled = false
	}
	return e
}
