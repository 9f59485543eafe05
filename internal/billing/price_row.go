package billing

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/usage"
)

// priceRow is a row of billing.price.
type priceRow struct {
	Seq         int64      `db:"seq"`
	Version     string     `db:"version"`
	Provider    string     `db:"provider"`
	Model       string     `db:"model"`
	ServiceTier string     `db:"service_tier"`
	Aliases     []string   `db:"aliases"`
	Input       *string    `db:"input"`
	Cached      *string    `db:"cached"`
	Audio       *string    `db:"audio"`
	Output      *string    `db:"output"`
	HasLong     bool       `db:"has_long"`
	LongAbove   *int64     `db:"long_above"`
	LongInput   *string    `db:"long_input"`
	LongCached  *string    `db:"long_cached"`
	LongAudio   *string    `db:"long_audio"`
	LongOutput  *string    `db:"long_output"`
	ValidFrom   time.Time  `db:"valid_from"`
	ValidTo     *time.Time `db:"valid_to"`
	Retires     *time.Time `db:"retires"`
	Source      string     `db:"source"`
	Replaces    *string    `db:"replaces"`

	rates usage.Rates
	long  usage.LongTier
}

const allPrices = `
	select seq, version, provider, model, service_tier, aliases,
		input::text, cached::text, audio::text, output::text, has_long, long_above,
		long_input::text, long_cached::text, long_audio::text, long_output::text,
		valid_from, valid_to, retires, source, replaces
	from billing.price
	order by seq`

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func readPrices(ctx context.Context, db querier) ([]priceRow, error) {
	found, err := db.Query(ctx, allPrices)
	if err != nil {
		return nil, err
	}
	rows, err := pgx.CollectRows(found, pgx.RowToStructByName[priceRow])
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if err := rows[i].readRates(); err != nil {
			return nil, fmt.Errorf("price %s: %w", rows[i].Version, err)
		}
	}
	return rows, nil
}

func (r *priceRow) readRates() error {
	for _, rate := range []struct {
		text *string
		to   **usage.Pico
	}{
		{r.Input, &r.rates.Input}, {r.Cached, &r.rates.Cached}, {r.Audio, &r.rates.Audio}, {r.Output, &r.rates.Output},
		{r.LongInput, &r.long.Input}, {r.LongCached, &r.long.Cached}, {r.LongAudio, &r.long.Audio}, {r.LongOutput, &r.long.Output},
	} {
		if rate.text == nil {
			continue
		}
		p, err := usage.ParsePico(*rate.text)
		if err != nil {
			return err
		}
		*rate.to = &p
	}
	return nil
}

func pricesOf(rows []priceRow) []usage.Price {
	out := make([]usage.Price, len(rows))
	for i, r := range rows {
		p := usage.Price{
			Version: r.Version, Provider: r.Provider, Model: r.Model, ServiceTier: r.ServiceTier, Aliases: r.Aliases,
			Rates: r.rates, From: r.ValidFrom.UTC(), To: timeOf(r.ValidTo), Retires: timeOf(r.Retires), Source: r.Source,
		}
		if len(r.Aliases) == 0 {
			p.Aliases = nil
		}
		if r.LongAbove != nil {
			p.Long = &rows[i].long
			p.Long.Above = *r.LongAbove
		}
		if r.Replaces != nil {
			p.Replaces = *r.Replaces
		}
		out[i] = p
	}
	return out
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

const insertPrice = `
	insert into billing.price (version, provider, model, service_tier, aliases, input, cached, audio, output,
		has_long, long_above, long_input, long_cached, long_audio, long_output, valid_from, valid_to, retires, source, replaces)
	values (@version, @provider, @model, @tier, @aliases,
		@input::text::numeric, @cached::text::numeric, @audio::text::numeric, @output::text::numeric,
		@longAbove::bigint is not null, @longAbove, @longInput::text::numeric, @longCached::text::numeric, @longAudio::text::numeric, @longOutput::text::numeric,
		@from, @to, @retires, @source, nullif(@replaces, ''))`

func insertPrices(ctx context.Context, tx pgx.Tx, prices []usage.Price) error {
	b := &pgx.Batch{}
	for _, p := range prices {
		var long usage.Rates
		var above *int64
		if p.Long != nil {
			long, above = p.Long.Rates, &p.Long.Above
		}
		b.Queue(insertPrice, pgx.NamedArgs{
			"version": p.Version, "provider": p.Provider, "model": p.Model, "tier": p.ServiceTier,
			"aliases": append([]string{}, p.Aliases...),
			"input":   decimal(p.Rates.Input), "cached": decimal(p.Rates.Cached),
			"audio": decimal(p.Rates.Audio), "output": decimal(p.Rates.Output),
			"longAbove": above, "longInput": decimal(long.Input), "longCached": decimal(long.Cached),
			"longAudio": decimal(long.Audio), "longOutput": decimal(long.Output),
			"from": p.From, "to": optional(p.To), "retires": optional(p.Retires), "source": p.Source, "replaces": p.Replaces,
		})
	}
	return tx.SendBatch(ctx, b).Close()
}

func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
