package billing

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/usage"
)

// Line is a price as people write it, in a JSON file or a CSV with the same names:
// rates in USD per million tokens, "" if unknown; times as dates (midnight UTC) or
// RFC 3339; aliases separated by spaces. Version may be omitted.
type Line struct {
	Version     string `json:"version,omitempty"`
	Provider    string `json:"provider"`
	Model       string `json:"model"`
	ServiceTier string `json:"serviceTier,omitempty"`
	Aliases     string `json:"aliases,omitempty"`
	Input       rate   `json:"input,omitempty"`
	Cached      rate   `json:"cached,omitempty"`
	Audio       rate   `json:"audio,omitempty"`
	Output      rate   `json:"output,omitempty"`
	// Long is "yes" for a model whose long prompts have rates of their own; it may be
	// left out where LongAbove or one of the rates is given. LongAbove is the number of
	// tokens, cached ones included, above which a prompt is long: 200,000 where it is
	// left out, as in lists of before there was the column.
	Long       string `json:"long,omitempty"`
	LongAbove  rate   `json:"longAbove,omitempty"`
	LongInput  rate   `json:"longInput,omitempty"`
	LongCached rate   `json:"longCached,omitempty"`
	LongAudio  rate   `json:"longAudio,omitempty"`
	LongOutput rate   `json:"longOutput,omitempty"`
	From       string `json:"from"`
	To         string `json:"to,omitempty"`
	Retires    string `json:"retires,omitempty"`
	Source     string `json:"source"`
	Replaces   string `json:"replaces,omitempty"`
}

// rate is a number as written; JSON may have it with or without quotes.
type rate string

// UnmarshalJSON keeps the digits, which a float would change.
func (r *rate) UnmarshalJSON(b []byte) error {
	s := string(b)
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	}
	*r = rate(s)
	return nil
}

// column is a field of a Line by name.
type column struct {
	name string
	of   func(*Line) *string
}

func (r *rate) text() *string { return (*string)(r) }

var columns = []column{
	{"version", func(l *Line) *string { return &l.Version }},
	{"provider", func(l *Line) *string { return &l.Provider }},
	{"model", func(l *Line) *string { return &l.Model }},
	{"serviceTier", func(l *Line) *string { return &l.ServiceTier }},
	{"aliases", func(l *Line) *string { return &l.Aliases }},
	{"input", func(l *Line) *string { return l.Input.text() }},
	{"cached", func(l *Line) *string { return l.Cached.text() }},
	{"audio", func(l *Line) *string { return l.Audio.text() }},
	{"output", func(l *Line) *string { return l.Output.text() }},
	{"long", func(l *Line) *string { return &l.Long }},
	{"longAbove", func(l *Line) *string { return l.LongAbove.text() }},
	{"longInput", func(l *Line) *string { return l.LongInput.text() }},
	{"longCached", func(l *Line) *string { return l.LongCached.text() }},
	{"longAudio", func(l *Line) *string { return l.LongAudio.text() }},
	{"longOutput", func(l *Line) *string { return l.LongOutput.text() }},
	{"from", func(l *Line) *string { return &l.From }},
	{"to", func(l *Line) *string { return &l.To }},
	{"retires", func(l *Line) *string { return &l.Retires }},
	{"source", func(l *Line) *string { return &l.Source }},
	{"replaces", func(l *Line) *string { return &l.Replaces }},
}

// ReadPrices parses a price list, JSON or a CSV with a header. The error names the
// row.
func ReadPrices(file []byte) ([]usage.Price, error) {
	lines, err := readLines(bytes.TrimPrefix(file, []byte("\ufeff")))
	if err != nil {
		return nil, invalid("file", "%s", err.Error())
	}
	out := make([]usage.Price, 0, len(lines))
	for i, l := range lines {
		p, err := l.price()
		if err != nil {
			return nil, invalid("file", "row %d (%s/%s): %s", i+1, l.Provider, l.Model, err.Error())
		}
		out = append(out, p)
	}
	return out, nil
}

func readLines(file []byte) (lines []Line, err error) {
	if first := bytes.TrimSpace(file); len(first) > 0 && first[0] == '[' {
		d := json.NewDecoder(bytes.NewReader(file))
		d.DisallowUnknownFields()
		if err := d.Decode(&lines); err != nil {
			return nil, err
		}
		if _, err := d.Token(); err != io.EOF {
			return nil, fmt.Errorf("something follows the list")
		}
		return lines, nil
	}
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err == nil && len(rows) == 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("this is neither a JSON list nor a CSV with a line of names: %w", err)
	}
	named := make([]column, len(rows[0]))
	for i, name := range rows[0] {
		at := slices.IndexFunc(columns, func(c column) bool { return c.name == strings.TrimSpace(name) })
		if at < 0 {
			return nil, fmt.Errorf("there is no column %q", name)
		}
		named[i] = columns[at]
	}
	for _, row := range rows[1:] {
		var l Line
		for i, value := range row {
			*named[i].of(&l) = plain(strings.TrimSpace(value))
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func (l Line) price() (p usage.Price, err error) {
	p = usage.Price{
		Version: l.Version, Provider: l.Provider, Model: l.Model, ServiceTier: usage.ServiceTier(l.ServiceTier),
		Aliases: strings.Fields(l.Aliases), Source: l.Source, Replaces: l.Replaces,
	}
	if l.Provider == "" || l.Model == "" || l.Source == "" || l.From == "" {
		return p, fmt.Errorf("provider, model, from and source are needed")
	}
	if len(p.Aliases) == 0 {
		p.Aliases = nil
	}
	var long usage.Rates
	for _, r := range []struct {
		text rate
		to   **usage.Pico
	}{
		{l.Input, &p.Rates.Input}, {l.Cached, &p.Rates.Cached}, {l.Audio, &p.Rates.Audio}, {l.Output, &p.Rates.Output},
		{l.LongInput, &long.Input}, {l.LongCached, &long.Cached}, {l.LongAudio, &long.Audio}, {l.LongOutput, &long.Output},
	} {
		if r.text == "" {
			continue
		}
		v, err := usage.ParseRate(string(r.text))
		if err != nil {
			return p, err
		}
		*r.to = &v
	}
	if p.Long, err = l.longTier(long); err != nil {
		return p, err
	}
	for _, at := range []struct {
		text string
		to   *time.Time
	}{{l.From, &p.From}, {l.To, &p.To}, {l.Retires, &p.Retires}} {
		if *at.to, err = ParseTime(at.text); err != nil {
			return p, err
		}
	}
	if p.Version == "" {
		p.Version = p.DefaultVersion()
	}
	return p, nil
}

// longAbove is the limit of long prompts in lists that do not give one.
const longAbove = 200_000

// longTier is the long tier of a line, nil if it has none.
func (l Line) longTier(rates usage.Rates) (*usage.LongTier, error) {
	given := l.LongAbove != "" || rates != (usage.Rates{})
	if l.Long != "" && l.Long != "yes" && (l.Long != "no" || given) {
		return nil, fmt.Errorf("long is %q: it is yes, or left out", l.Long)
	}
	if l.Long != "yes" && !given {
		return nil, nil
	}
	tier := &usage.LongTier{Above: longAbove, Rates: rates}
	if l.LongAbove != "" {
		n, err := strconv.ParseInt(string(l.LongAbove), 10, 64)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("longAbove is %q: it is a number of tokens", l.LongAbove)
		}
		tier.Above = n
	}
	return tier, nil
}

// ParseTime parses a date (midnight UTC) or a time in RFC 3339; "" is the zero time.
func ParseTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, fmt.Errorf("%q is neither a date like 2026-11-28 nor a time like 2026-11-28T12:00:00Z", s)
	}
	return t.UTC(), nil
}

// LineOf is the inverse of ReadPrices for one price.
func LineOf(p usage.Price) (l Line, err error) {
	l = Line{
		Version: p.Version, Provider: p.Provider, Model: p.Model, ServiceTier: p.ServiceTier,
		Aliases: strings.Join(p.Aliases, " "), Source: p.Source, Replaces: p.Replaces,
		From: printTime(p.From), To: printTime(p.To), Retires: printTime(p.Retires),
	}
	long := usage.Rates{}
	if p.Long != nil {
		l.Long, l.LongAbove, long = "yes", rate(strconv.FormatInt(p.Long.Above, 10)), p.Long.Rates
	}
	for _, r := range []struct {
		rate *usage.Pico
		to   *rate
	}{
		{p.Rates.Input, &l.Input}, {p.Rates.Cached, &l.Cached}, {p.Rates.Audio, &l.Audio}, {p.Rates.Output, &l.Output},
		{long.Input, &l.LongInput}, {long.Cached, &l.LongCached}, {long.Audio, &l.LongAudio}, {long.Output, &l.LongOutput},
	} {
		if r.rate == nil {
			continue
		}
		s, err := r.rate.PerMillion()
		if err != nil {
			return l, fmt.Errorf("price %s: %w", p.Version, err)
		}
		*r.to = rate(s)
	}
	return l, nil
}

func printTime(t time.Time) string {
	switch t = t.UTC(); {
	case t.IsZero():
		return ""
	case t.Truncate(24 * time.Hour).Equal(t):
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339Nano)
}

// WriteCSV writes prices as ReadPrices reads them, as safe for spreadsheets as
// Export.
func WriteCSV(w io.Writer, prices []usage.Price) error {
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	if err := writeRow(w, row); err != nil {
		return err
	}
	for _, p := range prices {
		l, err := LineOf(p)
		if err != nil {
			return err
		}
		for i, c := range columns {
			row[i] = cell(*c.of(&l))
		}
		if err := writeRow(w, row); err != nil {
			return err
		}
	}
	return nil
}
