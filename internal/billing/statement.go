package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
)

const statementColumns = `
	select id::text, tenant, to_char(month, 'YYYY-MM') as month, time_zone, period_start as "from", period_end as "to", currency, issued_at,
		log_id, position, trim_scale(exact)::text as exact, amount::text
	from billing.statement`

const readStatement = statementColumns + `
	where tenant = $1 and month = to_date($2, 'YYYY-MM')`

const readStatementLines = `
	select kind, to_char(month, 'YYYY-MM') as month, provider, model, calls, estimated, unpriced,
		input_uncached, input_cached, input_tool, input_audio, output, thinking,
		trim_scale(exact)::text as exact, amount::text
	from billing.statement_line
	where statement = $1
	order by line`

// Statement returns the statement issued for a tenant's month. It returns
// STATEMENT_NOT_FOUND if there is none.
func (s *Store) Statement(ctx context.Context, tenant, month string) (usage.Statement, error) {
	if err := checkMonth(month); err != nil {
		return usage.Statement{}, err
	}
	var out usage.Statement
	err := s.inTx(ctx, func(tx pgx.Tx) (err error) {
		out, err = issued(ctx, tx, tenant, month)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return out, domain.Errorf(domain.NotFound, domain.CodeStatementNotFound, "no statement was issued for %s of %s", tenant, month)
	}
	return out, unavailable("read statement", err)
}

func checkMonth(month string) error {
	if _, err := time.Parse("2006-01", month); err != nil {
		return invalid("month", "%q is no month like 2026-11", month)
	}
	return nil
}

func issued(ctx context.Context, tx pgx.Tx, tenant, month string) (usage.Statement, error) {
	rows, err := tx.Query(ctx, readStatement, tenant, month)
	if err != nil {
		return usage.Statement{}, err
	}
	out, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByNameLax[usage.Statement]) // the lines come apart
	if err != nil {
		return out, err
	}
	if rows, err = tx.Query(ctx, readStatementLines, out.ID); err != nil {
		return out, err
	}
	out.Lines, err = pgx.CollectRows(rows, pgx.RowToStructByName[usage.StatementLine])
	return out, err
}

// Statements returns the statements issued for a tenant, the newest first, without their
// lines.
func (s *Store) Statements(ctx context.Context, tenant string) ([]usage.Statement, error) {
	rows, err := s.pool.Query(ctx, statementColumns+` where tenant = $1 order by month desc`, tenant)
	if err != nil {
		return nil, unavailable("list statements", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[usage.Statement])
	return all, unavailable("list statements", err)
}

// DraftStatement returns the statement as it would be issued now, or the issued one.
func (s *Store) DraftStatement(ctx context.Context, tenant, month string) (usage.Statement, error) {
	return s.statement(ctx, tenant, month, time.Time{})
}

// IssueStatement issues the statement of a tenant's month for good; issuing it again
// returns the same. Statements are issued in order, after their month is over and
// every call of it has a bill; otherwise it returns STATEMENT_NOT_DUE, which says
// what is missing.
func (s *Store) IssueStatement(ctx context.Context, tenant, month string, now time.Time) (usage.Statement, error) {
	return s.statement(ctx, tenant, month, now)
}

func (s *Store) statement(ctx context.Context, tenant, month string, issueAt time.Time) (out usage.Statement, err error) {
	if err := checkMonth(month); err != nil {
		return out, err
	}
	// Everything is read at one moment.
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		if out, err = issued(ctx, tx, tenant, month); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if out, err = draft(ctx, tx, tenant, month); err != nil || issueAt.IsZero() {
			return err
		}
		if err := due(ctx, tx, out, issueAt); err != nil {
			return err
		}
		out.IssuedAt = issueAt
		return insert(ctx, tx, &out)
	})
	if hasCode(err, uniqueViolation) || hasCode(err, serializationFailure) { // another process issued it meanwhile
		return s.Statement(ctx, tenant, month)
	}
	return out, unavailable("statement of "+tenant, err)
}

const serializationFailure = "40001"

// A month begins where the one before it ended, though the zone may have changed.
const period = `
	select zone, coalesce(before.period_end, first at time zone zone) as period_start,
		(first + interval '1 month') at time zone zone as period_end,
		coalesce(log.log_id, '') as log_id, coalesce(log.position, 0) as position
	from (select to_date(@month, 'YYYY-MM')::timestamp as first) month
		cross join (
			select coalesce((select time_zone from billing.tenant where tenant = @tenant), 'UTC') as zone
		) tenant
		left join billing.statement before on before.tenant = @tenant and before.month = first - interval '1 month'
		left join read.checkpoint log on log.projection = 'usage' and log.live`

func draft(ctx context.Context, tx pgx.Tx, tenant, month string) (usage.Statement, error) {
	st := usage.Statement{Tenant: tenant, Month: month, Currency: "USD"}
	err := tx.QueryRow(ctx, period, pgx.NamedArgs{"tenant": tenant, "month": month}).
		Scan(&st.TimeZone, &st.From, &st.To, &st.LogID, &st.Position)
	if err != nil {
		return st, err
	}
	rows, err := tx.Query(ctx, draftLines, pgx.NamedArgs{"tenant": tenant, "month": month, "from": st.From, "to": st.To})
	if err != nil {
		return st, err
	}
	if st.Lines, err = pgx.CollectRows(rows, pgx.RowToStructByName[usage.StatementLine]); err != nil {
		return st, err
	}
	return st, total(ctx, tx, &st)
}

// Corrections are what the earlier months come to now, less what was stated for
// them, on their own statements and on later ones.
const draftLines = `
	with now as (
		select 2 as place, '` + usage.LineUsage + `' as kind, to_date(@month, 'YYYY-MM') as month, ` + lineSums + `
		from read.call_rollup_model r
		where r.tenant = @tenant and quarter >= @from and quarter < @to
		group by provider, model
		union all
		select 1, '` + usage.LineCorrection + `', s.month, ` + lineSums + `
		from billing.statement s
			join read.call_rollup_model r on r.tenant = s.tenant and quarter >= s.period_start and quarter < s.period_end
		where s.tenant = @tenant and s.month < to_date(@month, 'YYYY-MM')
		group by s.month, provider, model
		union all
		select 1, '` + usage.LineCorrection + `', l.month, provider, model, -calls, -estimated, -unpriced,
			-input_uncached, -input_cached, -input_tool, -input_audio, -output, -thinking, -l.exact
		from billing.statement_line l
			join billing.statement s on s.id = l.statement
		where s.tenant = @tenant and l.kind <> '` + usage.LineRounding + `'
	)
	select kind, to_char(month, 'YYYY-MM') as month, provider, model,
		sum(calls)::bigint as calls, sum(estimated)::bigint as estimated, sum(unpriced)::bigint as unpriced,
		sum(input_uncached)::bigint as input_uncached, sum(input_cached)::bigint as input_cached,
		sum(input_tool)::bigint as input_tool, sum(input_audio)::bigint as input_audio,
		sum(output)::bigint as output, sum(thinking)::bigint as thinking,
		trim_scale(sum(exact))::text as exact, round(sum(exact), 2)::text as amount
	from now
	group by place, kind, month, provider, model
	having sum(calls) <> 0 or sum(estimated) <> 0 or sum(unpriced) <> 0 or sum(exact) <> 0
		or sum(input_uncached) <> 0 or sum(input_cached) <> 0 or sum(input_tool) <> 0
		or sum(input_audio) <> 0 or sum(output) <> 0 or sum(thinking) <> 0
	order by place desc, now.month, provider, model`

const lineSums = `provider, model, sum(r.calls)::bigint as calls, sum(estimated_calls)::bigint as estimated,
			sum(unpriced_calls)::bigint as unpriced, sum(r.input_uncached)::bigint as input_uncached,
			sum(r.input_cached)::bigint as input_cached, sum(r.input_tool)::bigint as input_tool,
			sum(r.input_audio)::bigint as input_audio, sum(r.output)::bigint as output,
			sum(r.thinking)::bigint as thinking, sum(cost) as exact`

const addUp = `
	select trim_scale(coalesce(sum(exact), 0))::text, round(coalesce(sum(exact), 0), 2)::text,
		(round(coalesce(sum(exact), 0), 2) - coalesce(sum(amount), 0))::text
	from unnest($1::text[]::numeric[], $2::text[]::numeric[]) as line (exact, amount)`

// total sums the lines. If the sum of the rounded lines differs from the rounded sum,
// which is what is due, a line is added for the difference.
func total(ctx context.Context, tx pgx.Tx, st *usage.Statement) error {
	var exact, amounts []string
	for _, l := range st.Lines {
		exact, amounts = append(exact, l.Exact), append(amounts, l.Amount)
	}
	var rest string
	if err := tx.QueryRow(ctx, addUp, exact, amounts).Scan(&st.Exact, &st.Amount, &rest); err != nil {
		return err
	}
	if rest != "0.00" && rest != "0" {
		st.Lines = append(st.Lines, usage.StatementLine{Kind: usage.LineRounding, Month: st.Month, Exact: "0", Amount: rest})
	}
	return nil
}

const missing = `
	select
		(select coalesce(sum(open_calls), 0)::bigint from read.call_rollup_quarter
			where tenant = @tenant and quarter >= @from and quarter < @to),
		(select to_char(min(quarter) at time zone @zone, 'YYYY-MM') from read.call_rollup_quarter r
			where tenant = @tenant and quarter < @from and not exists (
				select from billing.statement s
				where s.tenant = r.tenant and quarter >= s.period_start and quarter < s.period_end)),
		(select to_char(max(month), 'YYYY-MM') from billing.statement
			where tenant = @tenant and month > to_date(@month, 'YYYY-MM'))`

// due returns what a statement still waits for.
func due(ctx context.Context, tx pgx.Tx, st usage.Statement, now time.Time) error {
	var open int64
	var earlier, later *string
	args := pgx.NamedArgs{"tenant": st.Tenant, "month": st.Month, "from": st.From, "to": st.To, "zone": st.TimeZone}
	if err := tx.QueryRow(ctx, missing, args).Scan(&open, &earlier, &later); err != nil {
		return err
	}
	switch {
	case now.Before(st.To):
		return notDue("the month ends at %s", st.To.Format(time.RFC3339))
	case open > 0:
		return notDue("%d calls of the month have no bill yet", open)
	case earlier != nil:
		return notDue("%s has usage and no statement", *earlier)
	case later != nil:
		return notDue("%s is issued already, which comes after it", *later)
	}
	return nil
}

func notDue(format string, args ...any) error {
	return domain.Errorf(domain.Conflict, domain.CodeStatementNotDue, format, args...)
}

const (
	insertStatement = `
		insert into billing.statement
			(tenant, month, time_zone, period_start, period_end, currency, issued_at, log_id, position, exact, amount)
		values (@tenant, to_date(@month, 'YYYY-MM'), @zone, @from, @to, @currency, @issued, @log, @position,
			@exact::text::numeric, @amount::text::numeric)
		returning id::text`
	insertLine = `
		insert into billing.statement_line (statement, line, kind, month, provider, model, calls, estimated, unpriced,
			input_uncached, input_cached, input_tool, input_audio, output, thinking, exact, amount)
		values (@statement::text::uuid, @line, @kind, to_date(@month, 'YYYY-MM'), @provider, @model, @calls, @estimated, @unpriced,
			@inputUncached, @inputCached, @inputTool, @inputAudio, @output, @thinking,
			@exact::text::numeric, @amount::text::numeric)`
)

func insert(ctx context.Context, tx pgx.Tx, st *usage.Statement) error {
	err := tx.QueryRow(ctx, insertStatement, pgx.NamedArgs{
		"tenant": st.Tenant, "month": st.Month, "zone": st.TimeZone, "from": st.From, "to": st.To,
		"currency": st.Currency, "issued": st.IssuedAt, "log": st.LogID, "position": st.Position,
		"exact": st.Exact, "amount": st.Amount,
	}).Scan(&st.ID)
	if err != nil {
		return err
	}
	var b pgx.Batch
	for i, l := range st.Lines {
		b.Queue(insertLine, pgx.NamedArgs{
			"statement": st.ID, "line": i + 1, "kind": l.Kind, "month": l.Month, "provider": l.Provider, "model": l.Model,
			"calls": l.Calls, "estimated": l.Estimated, "unpriced": l.Unpriced,
			"inputUncached": l.InputUncached, "inputCached": l.InputCached, "inputTool": l.InputTool,
			"inputAudio": l.InputAudio, "output": l.Output, "thinking": l.Thinking,
			"exact": l.Exact, "amount": l.Amount,
		})
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("lines: %w", err)
	}
	return nil
}
