package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/stepledger/stepledger/domain/usage"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// comparison is how a provider's list is compared with the ledger.
type comparison struct {
	provider, tenant, zone, tolerance string
}

// dayModel is what a provider's list has a number for.
type dayModel struct{ day, model string }

// counted is what was counted of it; a column the list lacks is nil.
type counted struct {
	Requests     *int64  `json:"requests,omitempty"`
	InputTokens  *int64  `json:"inputTokens,omitempty"`
	OutputTokens *int64  `json:"outputTokens,omitempty"`
	CostUSD      *string `json:"costUsd,omitempty"`

	cost *big.Rat
}

// dayDifference is a model's day on which the two are not the same.
type dayDifference struct {
	Day      string  `json:"day"`
	Model    string  `json:"model"`
	Provider counted `json:"provider"`
	Ledger   counted `json:"ledger"`
}

// compare gives the number of differences, each of which it tells.
func (c comparison) compare(ctx context.Context, q usageview.Queries, list io.Reader, tell func(dayDifference) error) (int, error) {
	if c.provider == "" {
		return 0, errors.New("--csv needs to know whose list it is: --provider")
	}
	tolerance, ok := new(big.Rat).SetString(c.tolerance)
	if !ok || tolerance.Sign() < 0 {
		return 0, fmt.Errorf("--tolerance: %q is no amount", c.tolerance)
	}
	theirs, err := readProviderList(list)
	if err != nil {
		return 0, err
	}
	ours, err := c.ledger(ctx, q, theirs)
	if err != nil {
		return 0, err
	}
	for k := range theirs { // what only they have counted
		if _, known := ours[k]; !known {
			ours[k] = countedOf(usageview.Totals{Cost: "0"})
		}
	}
	differences := 0
	for _, k := range slices.SortedFunc(maps.Keys(ours), func(a, b dayModel) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.model, b.model))
	}) {
		t, known := theirs[k]
		if known && ours[k].same(t, tolerance) {
			continue
		}
		differences++
		if err := tell(dayDifference{k.day, k.model, t.shown(), ours[k].shown()}); err != nil {
			return differences, err
		}
	}
	return differences, nil
}

// ledger is what we have counted of the days a list is of.
func (c comparison) ledger(ctx context.Context, q usageview.Queries, theirs map[dayModel]counted) (map[dayModel]counted, error) {
	f := usageview.SummaryFilter{
		Selection: usage.Selection{Tenant: c.tenant, Provider: c.provider},
		GroupBy:   []usageview.GroupBy{usageview.ByDay, usageview.ByModel}, Zone: c.zone,
	}
	days := slices.Sorted(func(yield func(string) bool) {
		for k := range theirs {
			if !yield(k.day) {
				return
			}
		}
	})
	if len(days) == 0 {
		return nil, errors.New("the list is empty")
	}
	zone, err := time.LoadLocation(c.zone)
	if err != nil {
		return nil, fmt.Errorf("--time-zone: %w", err)
	}
	if f.From, err = time.ParseInLocation(time.DateOnly, days[0], zone); err != nil {
		return nil, err
	}
	if f.To, err = time.ParseInLocation(time.DateOnly, days[len(days)-1], zone); err != nil {
		return nil, err
	}
	f.To = f.To.AddDate(0, 0, 1)
	sum, err := q.Summary(ctx, f)
	if err != nil {
		return nil, err
	}
	ours := map[dayModel]counted{}
	for _, g := range sum.Groups {
		ours[dayModel{g.Keys[0], g.Keys[1]}] = countedOf(g.Totals)
	}
	return ours, nil
}

func countedOf(t usageview.Totals) counted {
	input, output := t.Input(), t.Outputs()
	cost, _ := new(big.Rat).SetString(t.Cost) // a decimal of ours
	return counted{Requests: &t.Calls, InputTokens: &input, OutputTokens: &output, cost: cost}
}

// same compares what the list has.
func (c counted) same(theirs counted, tolerance *big.Rat) bool {
	for _, n := range [][2]*int64{{c.Requests, theirs.Requests}, {c.InputTokens, theirs.InputTokens}, {c.OutputTokens, theirs.OutputTokens}} {
		if n[1] != nil && *n[0] != *n[1] {
			return false
		}
	}
	if theirs.cost == nil {
		return true
	}
	off := new(big.Rat).Sub(c.cost, theirs.cost)
	return off.Abs(off).Cmp(tolerance) <= 0
}

func (c counted) shown() counted {
	if c.cost != nil {
		const decimals = 12
		text := strings.TrimSuffix(strings.TrimRight(c.cost.FloatString(decimals), "0"), ".")
		c.CostUSD = &text
	}
	return c
}

// headers are the names of columns in the lists of providers, letters and digits
// only.
var headers = map[string][]string{
	"day":      {"date", "day", "usagedate", "starttime", "starttimeiso", "usagestartdate", "chargeperiodstart", "timestamp"},
	"model":    {"model", "modelid", "modelversion", "sku", "skuid", "skudescription", "lineitem", "snapshotid"},
	"requests": {"requests", "nummodelrequests", "nrequests", "calls", "requestcount"},
	"input":    {"inputtokens", "prompttokens", "prompttokencount", "ncontexttokenstotal", "tokensin"},
	"output":   {"outputtokens", "completiontokens", "candidatestokencount", "ngeneratedtokenstotal", "tokensout"},
	"cost":     {"cost", "costusd", "costinusd", "amount", "amountvalue", "amountusd", "billedcost", "totalcost"},
}

// readProviderList adds a list up by day and model.
func readProviderList(list io.Reader) (map[dayModel]counted, error) {
	rows := csv.NewReader(list)
	rows.FieldsPerRecord, rows.ReuseRecord = -1, true
	first, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read the list: %w", err)
	}
	columns := columnsOf(first)
	if _, any := columns["day"]; !any {
		return nil, fmt.Errorf("the list has no column of days among %q", first)
	}
	if _, any := columns["model"]; !any {
		return nil, fmt.Errorf("the list has no column of models among %q", first)
	}
	if len(columns) == 2 {
		return nil, fmt.Errorf("the list counts nothing: no requests, tokens or cost among %q", first)
	}
	out := map[dayModel]counted{}
	for line := 2; ; line++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the list: %w", err)
		}
		if err := addRow(out, columns, row); err != nil {
			return nil, fmt.Errorf("line %d of the list: %w", line, err)
		}
	}
}

func columnsOf(first []string) map[string]int {
	columns := map[string]int{}
	for i, name := range first {
		name = strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, name)
		for what, names := range headers {
			if _, taken := columns[what]; !taken && slices.Contains(names, name) {
				columns[what] = i
			}
		}
	}
	return columns
}

func addRow(out map[dayModel]counted, columns map[string]int, row []string) error {
	value := func(what string) string {
		i, ok := columns[what]
		if !ok || i >= len(row) {
			return ""
		}
		return strings.TrimSpace(row[i])
	}
	day, err := dayOf(value("day"))
	if err != nil {
		return err
	}
	key := dayModel{day, value("model")}
	c := out[key]
	for what, sum := range map[string]**int64{"requests": &c.Requests, "input": &c.InputTokens, "output": &c.OutputTokens} {
		if _, has := columns[what]; !has {
			continue
		}
		n, err := strconv.ParseInt(cmp.Or(value(what), "0"), 10, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if *sum == nil {
			*sum = new(int64)
		}
		**sum += n
	}
	if _, has := columns["cost"]; has {
		cost, ok := new(big.Rat).SetString(cmp.Or(strings.TrimPrefix(value("cost"), "$"), "0"))
		if !ok {
			return fmt.Errorf("%q is no amount", value("cost"))
		}
		if c.cost != nil {
			cost.Add(cost, c.cost)
		}
		c.cost = cost
	}
	out[key] = c
	return nil
}

// dayOf reads a day, a time on it, or seconds since 1970.
func dayOf(text string) (string, error) {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC().Format(time.DateOnly), nil
	}
	day := text[:min(len(text), len(time.DateOnly))]
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return "", fmt.Errorf("%q is no day like 2026-11-01", text)
	}
	return day, nil
}
