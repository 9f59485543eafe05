package billing

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
)

// exportBuffer is how many bytes are written at once.
const exportBuffer = 64 << 10

// maxExports bounds the exports of a process at a time: each holds a connection for
// as long as its reader takes.
const maxExports = 2

// Export writes calls as CSV: first the names of the columns, then rows as they come
// from the database, which encodes them; however many there are, memory stays flat.
// PlainCSV has them oldest first. Every field stands in quotes: a text with a semicolon
// in it would otherwise begin a cell of its own where semicolons separate. Texts that a
// spreadsheet would take for formulas begin with an apostrophe; numbers are as they are,
// in full.
//
// It is of one moment. Where others are under way it is refused as unavailable
// (EXPORTS_BUSY) before anything is written. An error after the first row leaves what was written without
// its end.
func (s *Store) Export(ctx context.Context, w io.Writer, e usage.Export) error {
	shape, known := shapes[e.Format]
	if !known {
		return invalid("format", "there is no format %q", e.Format)
	}
	if e.Zone == "" {
		zone, err := s.Zone(ctx, e.Tenant)
		if err != nil {
			return err
		}
		e.Zone = zone
	}
	if err := checkZone(e.Zone); err != nil {
		return err
	}
	select {
	case s.exporting <- struct{}{}:
		defer func() { <-s.exporting }()
	default:
		busy := domain.Errorf(domain.Unavailable, domain.CodeExportsBusy, "%d exports are under way already", maxExports)
		busy.RetryAfter = retryExport
		return busy
	}
	out := bufio.NewWriterSize(w, exportBuffer)
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, prepareExport, e.Zone); err != nil {
			return err
		}
		conn := tx.Conn().PgConn()
		sql, err := shape.sql(conn, e.Selection)
		if err != nil {
			return err
		}
		if err := writeRow(out, shape.headers()); err != nil {
			return err
		}
		if _, err := conn.CopyTo(ctx, out, sql); err != nil {
			return err
		}
		return out.Flush()
	})
	return unavailable("export", err)
}

// A month is read by its index, which is in the order wanted: sorting it would take
// as much disk as it has, and rows would come when all of it is done. The last rows
// wait for the reader when the database has sent them.
const prepareExport = `
	select set_config('TimeZone', $1, true), set_config('enable_sort', 'off', true),
		set_config('max_parallel_workers_per_gather', '0', true),
		set_config('idle_in_transaction_session_timeout', '60s', true)`

// retryExport is when an export without a slot may be retried.
const retryExport = 10 * time.Second

// shape is an export format: what is selected from which view.
type shape struct {
	view    string
	columns []exportColumn
	where   func(usage.Selection) []condition
	order   string
}

// exportColumn is a column by its header and what is in it.
type exportColumn struct{ header, sql string }

// condition is a column and its required value, "" for any.
type condition struct{ column, value string }

// sql is a COPY, which takes no arguments, so values are quoted into it.
func (s shape) sql(conn *pgconn.PgConn, sel usage.Selection) (string, error) {
	columns := make([]string, len(s.columns))
	for i, c := range s.columns {
		columns[i] = c.sql + ` as "` + c.header + `"`
	}
	var where []string
	for _, c := range s.where(sel) {
		if c.value == "" {
			continue
		}
		quoted, err := conn.EscapeString(c.value)
		if err != nil {
			return "", fmt.Errorf("quote: %w", err)
		}
		where = append(where, c.column+" '"+quoted+"'")
	}
	sql := "select " + strings.Join(columns, ", ") + " from " + s.view
	if len(where) > 0 {
		sql += " where " + strings.Join(where, " and ")
	}
	return "copy (" + sql + s.order + ") to stdout with (format csv, force_quote *)", nil
}

func (s shape) headers() []string {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.header
	}
	return names
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

var shapes = map[usage.ExportFormat]shape{
	usage.PlainCSV: {
		view: "billing.usage_call", columns: plainColumns(), order: " order by started_at, call_id",
		where: func(s usage.Selection) []condition {
			return []condition{
				{"tenant_id =", s.Tenant}, {"user_id =", s.User}, {"session_id =", s.Session}, {"task_id =", s.Task},
				{"provider =", s.Provider}, {"model =", s.Model}, {"action_type =", string(s.Purpose)},
				{"started_at >=", instant(s.From)}, {"started_at <", instant(s.To)},
			}
		},
	},
	usage.FocusCSV: {
		view: "billing.focus", columns: focusColumns(),
		where: func(s usage.Selection) []condition {
			return []condition{
				{`"BillingAccountId" =`, s.Tenant}, {`"SubAccountId" =`, s.User}, {`"x_SessionId" =`, s.Session}, {`"x_TaskId" =`, s.Task},
				{`"x_Provider" =`, s.Provider}, {`"SkuId" =`, s.Model}, {`"x_ActionType" =`, string(s.Purpose)},
				{`"ChargePeriodStart" >=`, instant(s.From)}, {`"ChargePeriodStart" <`, instant(s.To)},
			}
		},
	},
}

// plainColumns are the columns of billing.usage_call that are useful to people. Times
// and their days are in the session's time zone.
func plainColumns() (all []exportColumn) {
	add := func(format, names string) {
		for _, n := range strings.Fields(names) {
			all = append(all, exportColumn{n, strings.ReplaceAll(format, "?", n)})
		}
	}
	const text, asIs, flag = "coalesce(billing.cell(?), '')", "coalesce(?::text, '')", "?" // a null is never quoted
	add("started_at::date", "day")
	add(asIs, "started_at ended_at tenant_id")
	add(text, "user_id session_id task_id")
	add(asIs, "call_id")
	add(text, "request_id action_type role provider model response_model service_tier")
	add(asIs, "attempt state outcome duration_ms")
	add(flag, "estimated late usage_missing total_matches")
	add(asIs, "input_uncached input_cached input_tool input_audio output thinking input_tokens output_tokens total_tokens cost_usd cost_status")
	add(text, "price_version")
	add(asIs, "expected_cost_usd corrections")
	add(text, "settled_why")
	return all
}

// focusColumns are those of billing.focus, with times as the specification requires.
func focusColumns() (all []exportColumn) {
	add := func(format, names string) {
		for _, n := range strings.Fields(names) {
			all = append(all, exportColumn{n, strings.ReplaceAll(format, "?", `"`+n+`"`)})
		}
	}
	const text, asIs, amount = "coalesce(billing.cell(?), '')", "coalesce(?::text, '')", "coalesce(trim_scale(?)::text, '')"
	const at = `coalesce(to_char(? at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')`
	add(text, "BillingAccountId BillingAccountName BillingAccountType SubAccountId SubAccountName SubAccountType")
	add(at, "BillingPeriodStart BillingPeriodEnd ChargePeriodStart ChargePeriodEnd")
	add(asIs, "ChargeCategory ChargeClass ChargeFrequency")
	add(text, "ChargeDescription")
	add(asIs, "ConsumedQuantity ConsumedUnit PricingQuantity PricingUnit PricingCategory PricingCurrency")
	add(amount, "ListUnitPrice ContractedUnitPrice ListCost ContractedCost EffectiveCost BilledCost")
	add(asIs, "BillingCurrency")
	add(text, "ServiceProviderName HostProviderName InvoiceIssuerName")
	add(asIs, "InvoiceId ServiceCategory ServiceSubcategory")
	add(text, "ServiceName SkuId")
	add(asIs, "SkuMeter")
	add(text, "SkuPriceId")
	add(asIs, "SkuPriceDetails")
	add(text, "ResourceId")
	add(asIs, "ResourceType Tags")
	add(text, "x_TaskId x_SessionId x_Provider x_ActionType")
	add(asIs, "x_UsageSource x_CostStatus x_Attempt")
	return all
}
