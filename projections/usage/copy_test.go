package usage

import (
	"math"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/usage"
)

// Amounts go to the database in its own binary form, written here: every digit
// counts.
func TestCopyData_AmountsAreExact(t *testing.T) {
	t.Parallel()
	m := pgtype.NewMap()
	check := func(t rapid.TB, p usage.Pico) {
		var d copyData
		d.amount(&p)
		const size = 4
		var n pgtype.Numeric
		if err := m.Scan(pgtype.NumericOID, pgtype.BinaryFormatCode, d[size:], &n); err != nil {
			t.Fatal(err)
		}
		text, err := m.Encode(pgtype.NumericOID, pgtype.TextFormatCode, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := usage.ParsePico(string(text))
		if err != nil || back != p {
			t.Fatalf("%s arrives as %s, %v", p, text, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) { check(t, usage.Pico(rapid.Int64().Draw(t, "p"))) })
	rapid.Check(t, func(t *rapid.T) { check(t, usage.Pico(rapid.Int64Range(-1e13, 1e13).Draw(t, "p"))) })
	for _, p := range []usage.Pico{0, 1, -1, math.MaxInt64, math.MinInt64, 1e12, 1e16, -1e16, 9_999, 10_000, 99_999_999} {
		check(t, p)
	}
}
