package billing_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/billing"
	"github.com/stepledger/stepledger/projections/projtest"
)

// wantQuoted checks that a file is CSV of which every field is in quotes: with
// another separator nothing in it begins a cell.
func wantQuoted(t *testing.T, file []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	fields := 0
	for _, r := range rows {
		fields += len(r)
	}
	// Quotes within a field come in pairs, so two of them a field are left over.
	text := string(file)
	if quoted := strings.Count(text, `"`) - 2*strings.Count(strings.Join(slices.Concat(rows...), ""), `"`); quoted != 2*fields {
		t.Errorf("%d of %d fields are in quotes:\n%.2000s", quoted/2, fields, text)
	}
	return rows
}

// A client's own words are in an export: the keys of its requests, and models.
func TestExport_EveryFieldIsQuoted(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	words := []string{"x;=1+1", "x\t=1+1", "=1+1", "@x", "+x", "-x", `x";=1+1;"`, "x,=1+1", "plain", ""}
	at := utc("2026-10-10T00:00:00Z")
	for i, word := range words {
		id := strconv.Itoa(i)
		b.append(id,
			usage.LLMCallStarted{
				Call: id, Tenant: projtest.Tenant, User: "ann", Session: "s", Task: "t-" + id, Request: word, Model: "m;" + word,
				Purpose: usage.Planning, Provider: usage.Google, Attempt: 1, StartedAt: at.AddDate(0, 0, i),
			},
			usage.LLMCallCompleted{Call: id, TotalMatches: true, Charge: usage.Charge{CostStatus: usage.Priced, Cost: pico("1"), PriceVersion: "v1"}, Report: usage.Report{
				Outcome: usage.OK, Meters: usage.Meters{InputUncached: 10}, CompletedAt: at.AddDate(0, 0, i),
			}},
		)
	}
	b.append("open", usage.LLMCallStarted{Call: "open", Tenant: projtest.Tenant, User: "ann", Task: "t-open", Model: "m", Purpose: usage.Planning, Provider: usage.Google, Attempt: 1, StartedAt: at.AddDate(0, 0, 20)})
	for _, format := range []usage.ExportFormat{usage.PlainCSV, usage.FocusCSV} {
		var out bytes.Buffer
		if err := b.Export(t.Context(), &out, usage.Export{Format: format}); err != nil {
			t.Fatal(err)
		}
		rows := wantQuoted(t, out.Bytes())
		if format == usage.FocusCSV {
			continue
		}
		var want []string
		for _, word := range append(words, "") {
			if strings.ContainsAny(word[:min(1, len(word))], "=@+-") {
				word = "'" + word
			}
			want = append(want, word)
		}
		if diff := cmp.Diff(want, column(t, rows, "request_id")); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	}
}

// A model may be called @cf/meta/llama: what is listed is safe for a spreadsheet, and
// read again it is what it was.
func TestWriteCSV_IsReadAgain(t *testing.T) {
	t.Parallel()
	prices := usage.SeedRows()[:6]
	for i, model := range []string{"@cf/meta/llama", "=x", "-x", "x;=1+1", "'=plain", `a"b`} {
		prices[i].Model, prices[i].Aliases = model, []string{"+alias", "'=quoted"}
	}
	var out bytes.Buffer
	if err := billing.WriteCSV(&out, prices); err != nil {
		t.Fatal(err)
	}
	for _, row := range wantQuoted(t, out.Bytes())[1:] {
		for _, field := range row {
			if strings.ContainsAny(field[:min(1, len(field))], "=@+-") {
				t.Errorf("%q would be a formula", field)
			}
		}
	}
	if diff := cmp.Diff(prices, readPrices(t, out.String())); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}
