package usage_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/usage"
)

func TestAudit(t *testing.T) {
	t.Parallel()
	one := usage.Pico(1)
	row := func(version, model string, from, to time.Time) usage.Price {
		return usage.Price{Version: version, Provider: "p", Model: model, Rates: usage.Rates{Input: &one}, From: from, To: to}
	}
	may, june, july := november.AddDate(0, -6, 0), november.AddDate(0, -5, 0), november.AddDate(0, -4, 0)
	soon := november.AddDate(0, 0, 7)
	rows := []usage.Price{
		row("1", "gapped", may, june), row("2", "gapped", july, time.Time{}),
		row("3", "seamless", may, june), row("4", "seamless", june, time.Time{}),
		row("5", "changed", may, time.Time{}), row("6", "changed", june, time.Time{}),
		row("7", "ending", may, soon), row("8", "lasting", may, november.AddDate(1, 0, 0)),
		row("9", "retiring", may, time.Time{}), row("10", "retiring and unused", may, time.Time{}),
		row("11", "mended", may, june),
	}
	rows[8].Retires, rows[9].Retires = soon, soon
	mended := row("12", "mended", may, time.Time{})
	mended.Replaces = "11"
	long := row("13", "long", may, time.Time{})
	long.Long = &usage.LongTier{Above: 272_000}
	priced := row("14", "long and priced", may, time.Time{})
	priced.Long = &usage.LongTier{Above: 1, Rates: usage.Rates{Input: &one}}
	rows = append(rows, long, priced)
	inUse := []usage.Ware{wareOf("p", time.Time{}, "long"), wareOf("p", time.Time{}, "long and priced"), wareOf("p", time.Time{}, "lasting"), wareOf("p", time.Time{}, "retiring"), wareOf("p", time.Time{}, "new")}
	got, err := usage.Audit(append(rows, mended), inUse, november, november.AddDate(0, 1, 0))
	if err != nil {
		t.Fatal(err)
	}
	want := []usage.Finding{
		{What: usage.Ending, Provider: "p", Model: "ending", Version: "7", From: soon},
		{What: usage.Gap, Provider: "p", Model: "gapped", Version: "1", From: june, To: july},
		{What: usage.NoPrice, Provider: "p", Model: "long", Version: "13", Above: 272_000},
		{What: usage.Retiring, Provider: "p", Model: "retiring", Version: "9", Retires: soon},
		{What: usage.NoPrice, Provider: "p", Model: "new"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
