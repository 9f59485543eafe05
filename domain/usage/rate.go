package usage

import (
	"fmt"
	"math/big"
	"strings"
)

// ParseRate parses a price in USD per million tokens as price lists print it,
// including exponents and float noise: "0.30", "3.0001999999999996e-1". It rounds to
// whole pico-USD per token, and returns an error if that changes the price by more
// than a thousandth of one.
func ParseRate(usdPerMillion string) (Pico, error) {
	s := strings.TrimSpace(usdPerMillion)
	if len(s) > 40 || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, fmt.Errorf("%q is no price", usdPerMillion)
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 2 {
		return 0, fmt.Errorf("%q is no price", usdPerMillion)
	}
	exact, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0, fmt.Errorf("%q is no price", usdPerMillion)
	}
	exact.Mul(exact, big.NewRat(picoPerUSD/1_000_000, 1))
	rounded, ok := new(big.Int).SetString(exact.FloatString(0), 10)
	if !ok || !rounded.IsInt64() {
		return 0, fmt.Errorf("price %q: %w", usdPerMillion, ErrOverflow)
	}
	off := new(big.Rat).Sub(exact, new(big.Rat).SetInt(rounded))
	if off.Abs(off).Cmp(big.NewRat(1, 1000)) > 0 {
		return 0, fmt.Errorf("%q is finer than a pico-USD per token", usdPerMillion)
	}
	return Pico(rounded.Int64()), nil
}

// PerMillion is the inverse of ParseRate.
func (p Pico) PerMillion() (string, error) {
	m, err := p.Times(1_000_000)
	return m.String(), err
}
