package usage

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// monthOf is the beginning of a time's month in UTC, by which tables are parted.
func monthOf(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// parted are the tables with a partition for each month, and by what.
var parted = []string{"fact", "call_rollup", "call_rollup_task"}

func partition(table string, month time.Time) string {
	return fmt.Sprintf("%s_%s", table, month.Format("2006_01"))
}

const missingMonths = `
	select m from unnest($1::timestamptz[], $2::text[]) as wanted (m, name)
	where to_regclass(name) is null
	order by m`

// ensureMonths makes the partitions that are missing. A new one is made beside
// its table and then attached: making it in place would keep readers out.
func ensureMonths(ctx context.Context, tx pgx.Tx, months []time.Time) error {
	names := make([]string, len(months))
	for i, m := range months {
		names[i] = partition(parted[0], m)
	}
	rows, err := tx.Query(ctx, missingMonths, months, names)
	if err != nil {
		return err
	}
	missing, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	for _, m := range missing {
		m = m.UTC()
		from, to := m.Format(time.RFC3339), m.AddDate(0, 1, 0).Format(time.RFC3339)
		for _, table := range parted {
			name := partition(table, m)
			_, err := tx.Exec(ctx, fmt.Sprintf(`
				create table %[1]s (like %[2]s including defaults including constraints);
				alter table %[2]s attach partition %[1]s for values from ('%[3]s') to ('%[4]s')`, name, table, from, to))
			if err != nil {
				return fmt.Errorf("make %s: %w", name, err)
			}
		}
	}
	return err
}
