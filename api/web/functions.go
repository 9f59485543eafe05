package web

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/stepledger/stepledger/projections/calibration"
)

// functions are those of the templates.
var functions = template.FuncMap{
	"time":        func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
	"clock":       func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
	"short":       shortType,
	"took":        took,
	"ms":          func(ms int64) string { return took(time.Duration(ms) * time.Millisecond) },
	"cost":        cost,
	"json":        func(doc json.RawMessage) string { return indented(doc) },
	"value":       value,
	"id":          func(id string) string { return strings.SplitN(id, "-", 2)[0] },
	"add":         func(a, b int) int { return a + b },
	"sub64":       func(a, b int64) int64 { return a - b },
	"add64":       func(a, b int64) int64 { return a + b },
	"times100":    func(f float64) string { return fmt.Sprintf("%.0f %%", 100*f) },
	"words":       words,
	"reliability": func(bins []calibration.Bin) reliability { return reliabilityOf(bins) },
	"rate":        rate,
	"decimals":    decimals,
	"between":     func(from time.Time, to *time.Time) string { return between(from, to) },
	"deref":       func(s *string) string { return orEmpty(s) },
}

// shortType is the name of an event without its category and version.
func shortType(name string) string {
	parts := strings.Split(name, ".")
	if len(parts) > 2 {
		parts = parts[1 : len(parts)-1]
	}
	return strings.Join(parts, ".")
}

// took is a duration in three digits.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

func between(from time.Time, to *time.Time) string {
	if to == nil {
		return "not ended"
	}
	return took(to.Sub(from))
}

// cost is an exact amount as it is shown.
func cost(usd string) string {
	if usd == "" {
		return "–"
	}
	return "$" + usd
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// value is a value of a state on one line; a text without its quotes.
func value(doc json.RawMessage) string {
	var s string
	if json.Unmarshal(doc, &s) == nil {
		return s
	}
	return string(doc)
}

// words are a name in camel case or capitals as words.
func words(named any) string {
	name := fmt.Sprint(named)
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '_':
			b.WriteByte(' ')
		case r >= 'A' && r <= 'Z' && i > 0 && strings.ToUpper(name) != name:
			b.WriteByte(' ')
			b.WriteRune(r | 0x20)
		case strings.ToUpper(name) == name && r >= 'A' && r <= 'Z':
			b.WriteRune(r | 0x20)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// decimals is a number that may not be known.
func decimals(f *float64) string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *f)
}

func rate(r calibration.Rate) string {
	if r.Rate == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f %% (%d of %d)", 100**r.Rate, r.Count, r.Of)
}
