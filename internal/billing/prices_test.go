package billing_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/billing"
)

func readPrices(t *testing.T, file string) []usage.Price {
	t.Helper()
	prices, err := billing.ReadPrices([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return prices
}

func (b *bench) imports(t *testing.T, file string) []usage.Price {
	t.Helper()
	added, err := b.Import(t.Context(), readPrices(t, file), false)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// price is what a token of input costs at a time, "" where nobody knows.
func price(t *testing.T, s *billing.Store, model, at string) string {
	t.Helper()
	book, err := s.Book(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	w := usage.Ware{Provider: "p", At: when, Models: []string{model}}
	if c := book.Charge(w, usage.Meters{InputUncached: 1_000_000}); c.Cost != nil {
		return c.Cost.String()
	}
	return ""
}

func TestImport_HoldsForEveryProcessFromTheNextCallOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := b.open(t)
	if got := price(t, other, "m", "2026-11-10T00:00:00Z"); got != "" {
		t.Fatalf("an empty book has the price %s", got)
	}
	b.imports(t, "provider,model,input,from,source\np,m,1.00,2026-01-01,list\n")
	for _, s := range []*billing.Store{b.Store, other} {
		if got := price(t, s, "m", "2026-11-10T00:00:00Z"); got != "1" {
			t.Errorf("the price is %q", got)
		}
	}
	// A change in mid-month: the row before ends where it begins.
	b.imports(t, `[{"provider":"p","model":"m","input":"1.5","from":"2026-11-15","source":"list"}]`)
	for at, want := range map[string]string{
		"2026-11-14T23:59:59.999999Z": "1", "2026-11-15T00:00:00Z": "1.5", "2025-12-31T23:59:59Z": "",
	} {
		if got := price(t, other, "m", at); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	// One that was wrong is replaced, and stays on record.
	b.imports(t, `[{"version":"p/m@2026-11-15b","replaces":"p/m@2026-11-15","provider":"p","model":"m","input":2,"from":"2026-11-20","source":"list"}]`)
	for at, want := range map[string]string{"2026-11-19T00:00:00Z": "1", "2026-11-20T00:00:00Z": "2"} {
		if got := price(t, other, "m", at); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	if all, err := b.Prices(t.Context()); err != nil || len(all) != 3 {
		t.Errorf("%d rows are on record, %v", len(all), err)
	}
}

func TestImport_AllOrNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const header = "provider,model,input,from,to,source\n"
	const good = header + "p,m,1,2026-01-01,2026-12-01,list\n"
	b.imports(t, good)
	for name, file := range map[string]string{
		"an overlap":                       header + "p,n,1,2026-01-01,,list\np,m,2,2026-11-15,,list\n",
		"a version with other particulars": header + "p,n,1,2026-01-01,,list\np,m,2,2026-01-01,2026-12-01,list\n",
		"an overlap within the file":       header + "p,n,1,2026-01-01,2026-03-01,list\np,n,2,2026-02-01,,list\n",
	} {
		_, err := b.Import(t.Context(), readPrices(t, file), false)
		if domain.KindOf(err) != domain.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		if all, err := b.Prices(t.Context()); err != nil || len(all) != 1 {
			t.Errorf("%s: %d rows are in the book, %v", name, len(all), err)
		}
	}
	if added := b.imports(t, good+"p,n,1,2026-01-01,,list\n"); len(added) != 1 || added[0].Model != "n" {
		t.Errorf("an import repeated with a row more added %+v", added)
	}
	dry, err := b.Import(t.Context(), readPrices(t, header+"p,o,1,2026-01-01,,list\n"), true)
	if err != nil || len(dry) != 1 || price(t, b.Store, "o", "2026-11-10T00:00:00Z") != "" {
		t.Errorf("a dry run said %+v, %v", dry, err)
	}
}

func TestImport_OfTwoAtOnceThatContradictOneIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	stores := []*billing.Store{b.Store, b.open(t)}
	results := make(chan error, 2)
	for i, s := range stores {
		rows := readPrices(t, "provider,model,version,input,from,source\np,m,v"+string(rune('1'+i))+",1,2026-01-01,list\n")
		go func() {
			_, err := s.Import(t.Context(), rows, false)
			results <- err
		}()
	}
	refused := 0
	for range stores {
		if err := <-results; domain.KindOf(err) == domain.Invalid {
			refused++
		} else if err != nil && refused == 0 {
			t.Error(err)
		}
	}
	if refused != 1 {
		t.Errorf("%d were refused", refused)
	}
}

func TestPrices_AreNeverChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.imports(t, "provider,model,input,from,source\np,m,1.00,2026-01-01,list\n")
	b.budget(t, "acme", "1")
	for _, sql := range []string{
		`update billing.price set input = 0`, `delete from billing.price`,
		`update billing.budget set amount = 7`, `delete from billing.budget`,
	} {
		if _, err := b.pool.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "never changed") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestSeed_AddsOnlyModelsNobodyKnows(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	seed := usage.SeedRows()
	for range 2 {
		if err := b.Seed(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
	}
	all, err := b.Prices(t.Context())
	if diff := cmp.Diff(seed, all); err != nil || diff != "" {
		t.Fatalf("%v; the seed reads back as (-want +got):\n%s", err, diff)
	}
	later := append(seed,
		usage.Price{Version: "another idea", Provider: usage.Google, Model: "gemini-2.5-pro", From: noon, Source: "a newer seed"},
		usage.Price{Version: "new", Provider: usage.Google, Model: "gemini-9", From: noon, Source: "a newer seed"})
	if err := b.Seed(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if all, err = b.Prices(t.Context()); err != nil || len(all) != len(seed)+1 || all[len(seed)].Version != "new" {
		t.Errorf("%d rows, %v", len(all), err)
	}
}

func TestSeed_YieldsToWhatWasImported(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.imports(t, "version,provider,model,aliases,input,from,source\n"+
		"new,google,gemini-9,gemini-2.5-pro latest,7,2026-01-01,theirs\nv1,google,other,,1,2026-01-01,theirs\n")
	seed := []usage.Price{
		{Version: "1", Provider: usage.Google, Model: "gemini-2.5-pro", From: noon, Source: "seed"},                        // an alias of theirs
		{Version: "2", Provider: usage.Google, Model: "gemini-8", Aliases: []string{"latest"}, From: noon, Source: "seed"}, // an alias they have
		{Version: "v1", Provider: usage.Google, Model: "gemini-7", From: noon, Source: "seed"},                             // a version they have
		{Version: "3", Provider: usage.Google, Model: "gemini-9", ServiceTier: usage.Batch, From: noon, Source: "another service"},
	}
	for range 2 {
		if err := b.Seed(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
	}
	all, err := b.Prices(t.Context())
	if err != nil || len(all) != 3 || all[2].Version != "3" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestReadPrices_WhatIsListedIsWhatIsRead(t *testing.T) {
	t.Parallel()
	seed := usage.SeedRows()
	var csv bytes.Buffer
	if err := billing.WriteCSV(&csv, seed); err != nil {
		t.Fatal(err)
	}
	lines := make([]billing.Line, len(seed))
	for i, p := range seed {
		var err error
		if lines[i], err = billing.LineOf(p); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"CSV": csv.Bytes(), "CSV of Excel": append([]byte("\ufeff"), csv.Bytes()...), "JSON": list} {
		got := readPrices(t, string(file))
		if diff := cmp.Diff(seed, got); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
}

// Each row says above how many tokens a prompt is long; lists of before there was the
// column mean 200,000.
func TestReadPrices_BoundOfALongPrompt(t *testing.T) {
	t.Parallel()
	const head = "provider,model,from,source,input,long,longInput,longAbove\n"
	for name, tt := range map[string]struct {
		file  string
		above int64 // 0 for no tier
	}{
		"its own":             {head + "p,m,2026-01-01,s,1,,2,272000\n", 272_000},
		"in JSON":             {`[{"provider":"p","model":"m","from":"2026-01-01","source":"s","longInput":2,"longAbove":128000}]`, 128_000},
		"rates nobody knows":  {head + "p,m,2026-01-01,s,1,,,272000\n", 272_000},
		"a list of before":    {"provider,model,from,source,long,longInput\np,m,2026-01-01,s,yes,2\n", 200_000},
		"rates without bound": {head + "p,m,2026-01-01,s,1,,2,\n", 200_000},
		"none":                {head + "p,m,2026-01-01,s,1,no,,\n", 0},
	} {
		p := readPrices(t, tt.file)[0]
		if (p.Long != nil) != (tt.above != 0) || p.Long != nil && p.Long.Above != tt.above {
			t.Errorf("%s: %+v", name, p.Long)
		}
	}
}

func TestReadPrices_Refuses(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"nothing":                   "",
		"no list":                   `{"provider":"p"}`,
		"a field nobody knows":      `[{"provider":"p","model":"m","from":"2026-01-01","source":"s","inputs":"1"}]`,
		"two lists":                 `[][]`,
		"a column nobody knows":     "provider,model,from,source,inputs\np,m,2026-01-01,s,1\n",
		"a row too short":           "provider,model,from,source\np,m\n",
		"no provider":               "provider,model,from,source\n,m,2026-01-01,s\n",
		"no source":                 "provider,model,from,source\np,m,2026-01-01,\n",
		"a date of another country": "provider,model,from,source\np,m,28.11.2026,s\n",
		"a price in words":          "provider,model,from,source,input\np,m,2026-01-01,s,free\n",
		"a price too fine":          "provider,model,from,source,input\np,m,2026-01-01,s,0.0000005\n",
		"a price beyond reason":     "provider,model,from,source,input\np,m,2026-01-01,s,1e99\n",
		"a fraction":                `[{"provider":"p","model":"m","from":"2026-01-01","source":"s","input":"1/3"}]`,
		"a long tier that is not":   "provider,model,from,source,long,longInput\np,m,2026-01-01,s,no,1\n",
		"a bound in words":          "provider,model,from,source,longAbove\np,m,2026-01-01,s,much\n",
		"a bound of none":           "provider,model,from,source,longAbove\np,m,2026-01-01,s,0\n",
		"a bound of no tier":        "provider,model,from,source,long,longAbove\np,m,2026-01-01,s,no,272000\n",
		"half a token":              `[{"provider":"p","model":"m","from":"2026-01-01","source":"s","longAbove":0.5}]`,
	} {
		var e *domain.Error
		if _, err := billing.ReadPrices([]byte(file)); !errors.As(err, &e) || e.Kind != domain.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadPrices_NeverPanics(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.StringMatching(`(\[|provider,model,input,from,source\n)?[^x]{0,60}`).Draw(t, "file")
		_, _ = billing.ReadPrices([]byte(file))
	})
}
