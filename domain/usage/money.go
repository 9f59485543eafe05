package usage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Pico is an amount in pico-USD (1e-12 USD). Token prices have at most eleven
// decimals, so the cost of a call is exact. The largest amount is about 9.2 million
// USD, enough for a call or a tenant's month; larger sums belong in a database's
// numeric.
type Pico int64

const picoPerUSD = 1_000_000_000_000

const picoDigits = 12

// ErrOverflow is returned for an amount that does not fit into a Pico.
var ErrOverflow = errors.New("amount out of range")

// String is the exact decimal in USD without trailing zeros: "0.00240093".
func (p Pico) String() string { return string(p.append(nil)) }

// USD is the amount as a float, for figures people look at; nobody is billed by it.
func (p Pico) USD() float64 { return float64(p) / picoPerUSD }

func (p Pico) append(b []byte) []byte {
	u := uint64(p)
	if p < 0 {
		b, u = append(b, '-'), -u // two's complement: right for the smallest value too
	}
	b = strconv.AppendUint(b, u/picoPerUSD, 10)
	frac := u % picoPerUSD
	if frac == 0 {
		return b
	}
	b = append(b, ".000000000000"...)
	for i := len(b) - 1; frac > 0; i, frac = i-1, frac/10 {
		b[i] = '0' + byte(frac%10)
	}
	return bytes.TrimRight(b, "0")
}

// ParsePico reads a decimal amount of USD exactly. It refuses more than twelve
// decimals (unless they are zeros), exponents, and what does not fit.
func ParsePico(s string) (Pico, error) {
	unsigned, negative := strings.CutPrefix(s, "-")
	whole, frac, hasPoint := strings.Cut(unsigned, ".")
	if len(frac) > picoDigits {
		frac = frac[:picoDigits] + strings.TrimRight(frac[picoDigits:], "0")
	}
	if !isDigits(whole) || hasPoint && !isDigits(frac) || len(frac) > picoDigits {
		return 0, fmt.Errorf("%q is no decimal amount with at most %d decimals", s, picoDigits)
	}
	most := uint64(math.MaxInt64)
	if negative {
		most++ // two's complement
	}
	dollars, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || dollars > math.MaxInt64/picoPerUSD {
		return 0, fmt.Errorf("amount %q: %w", s, ErrOverflow)
	}
	picos := dollars * picoPerUSD
	for i, scale := 0, uint64(picoPerUSD/10); i < len(frac); i, scale = i+1, scale/10 {
		picos += uint64(frac[i]-'0') * scale
	}
	if picos > most {
		return 0, fmt.Errorf("amount %q: %w", s, ErrOverflow)
	}
	if negative {
		picos = -picos
	}
	return Pico(picos), nil //nolint:gosec // compared with the most there is
}

func isDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// MarshalJSON writes a decimal string: JSON numbers are floats to most readers.
func (p Pico) MarshalJSON() ([]byte, error) {
	return append(p.append([]byte{'"'}), '"'), nil
}

// UnmarshalJSON reads the decimal string.
func (p *Pico) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("an amount is a decimal string: %w", err)
	}
	v, err := ParsePico(s)
	*p = v
	return err
}

// Times returns the amount times n. It returns ErrOverflow if that does not fit.
func (p Pico) Times(n int64) (Pico, error) {
	hi, lo := bits.Mul64(magnitude(int64(p)), magnitude(n))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, ErrOverflow
	}
	if (p < 0) != (n < 0) {
		return -Pico(lo), nil
	}
	return Pico(lo), nil
}

// Plus returns the sum. It returns ErrOverflow if that does not fit.
func (p Pico) Plus(q Pico) (Pico, error) {
	sum := p + q
	if (sum > p) != (q > 0) {
		return 0, ErrOverflow
	}
	return sum, nil
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
