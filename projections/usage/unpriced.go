package usage

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
)

// UnpricedModel is a model with bills that have no price.
type UnpricedModel struct {
	Provider string    `db:"provider" json:"provider"`
	Model    string    `db:"model" json:"model"`
	Calls    int64     `db:"calls" json:"calls"`
	First    time.Time `db:"first" json:"firstCall"`
	Last     time.Time `db:"last" json:"lastCall"`
}

const unpriced = `
	select provider, model, count(*) as calls, min(started_at) as first, max(started_at) as last
	from read.call
	where cost_status = 'unpriced'
	group by provider, model
	order by calls desc, provider, model`

// Unpriced are the models with bills that have no price, most bills first.
func (q Queries) Unpriced(ctx context.Context) ([]UnpricedModel, error) {
	rows, err := q.DB.Query(ctx, unpriced)
	if err != nil {
		return nil, fmt.Errorf("unpriced calls: %w", projections.Unavailable(err))
	}
	models, err := pgx.CollectRows(rows, pgx.RowToStructByName[UnpricedModel])
	if err != nil {
		return nil, fmt.Errorf("unpriced calls: %w", projections.Unavailable(err))
	}
	return models, nil
}

const usedModels = `
	select distinct provider, model
	from read.call_rollup_model
	where quarter > $1::timestamptz - interval '15 minutes'
	order by provider, model`

// Models are those that calls were made to since a time.
func (q Queries) Models(ctx context.Context, since time.Time) ([]usage.Ware, error) {
	rows, err := q.DB.Query(ctx, usedModels, since)
	if err != nil {
		return nil, fmt.Errorf("models in use: %w", projections.Unavailable(err))
	}
	models, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (usage.Ware, error) {
		w := usage.Ware{Models: make([]string, 1)}
		return w, row.Scan(&w.Provider, &w.Models[0])
	})
	if err != nil {
		return nil, fmt.Errorf("models in use: %w", projections.Unavailable(err))
	}
	return models, nil
}

// BilledFilter chooses bills to price anew. Empty fields let everything through;
// From is inclusive, To exclusive.
type BilledFilter struct {
	// UnpricedOnly leaves out bills that have a price.
	UnpricedOnly            bool
	Tenant, Provider, Model string
	From, To                time.Time
}

// BilledCall names a call that has a bill.
type BilledCall struct {
	ID        string    `db:"call_id"`
	Tenant    string    `db:"tenant"`
	Subject   string    `db:"subject"`
	StartedAt time.Time `db:"started_at"`
}

const billed = `
	select call_id, tenant, subject, started_at
	from read.call`

// Billed are calls with a bill that a filter chooses, tenant by tenant in the order
// they were made, after one of them; the zero BilledCall stands before the first.
func (q Queries) Billed(ctx context.Context, f BilledFilter, after BilledCall, limit int) ([]BilledCall, error) {
	c := conditions{args: pgx.NamedArgs{"limit": limit}, all: []string{"state <> 'open'"}}
	if f.UnpricedOnly { // written out, for the index of these
		c.all = append(c.all, "cost_status = 'unpriced'")
	}
	c.selection(usage.Selection{Tenant: f.Tenant, Provider: f.Provider, Model: f.Model, From: f.From, To: f.To})
	if after != (BilledCall{}) {
		c.add("(tenant, started_at, call_id) > (@afterTenant, @afterTime, @after)", "after", after.ID)
		c.args["afterTenant"], c.args["afterTime"] = after.Tenant, after.StartedAt
	}
	rows, err := q.DB.Query(ctx, billed+c.where()+" order by tenant, started_at, call_id limit @limit", c.args)
	if err != nil {
		return nil, fmt.Errorf("billed calls: %w", projections.Unavailable(err))
	}
	calls, err := pgx.CollectRows(rows, pgx.RowToStructByName[BilledCall])
	if err != nil {
		return nil, fmt.Errorf("billed calls: %w", projections.Unavailable(err))
	}
	return calls, nil
}
