package billing

import (
	"context"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/usage"
)

// readBook is a price book and its last row.
type readBook struct {
	last int64
	book *usage.Book
}

const lastPrice = `select coalesce(max(seq), 0) from billing.price`

// Book implements commands.Prices. Rows are only added, so the last row tells whether
// the cached book is current.
func (s *Store) Book(ctx context.Context) (*usage.Book, error) {
	var last int64
	if err := s.pool.QueryRow(ctx, lastPrice).Scan(&last); err != nil {
		return nil, unavailable("look for new prices", err)
	}
	if known := s.book.Load(); known != nil && known.last == last {
		return known.book, nil
	}
	rows, err := readPrices(ctx, s.pool)
	if err != nil {
		return nil, unavailable("read prices", err)
	}
	book, err := usage.NewBook(pricesOf(rows))
	if err != nil {
		return nil, err
	}
	read := &readBook{book: book}
	for _, r := range rows {
		read.last = max(read.last, r.Seq)
	}
	s.book.Store(read)
	return book, nil
}

// Prices returns all rows including replaced ones, oldest first.
func (s *Store) Prices(ctx context.Context) ([]usage.Price, error) {
	rows, err := readPrices(ctx, s.pool)
	return pricesOf(rows), unavailable("list prices", err)
}

// Import adds rows to the price book, all of them or none, and returns those that
// were new. Identical rows are skipped. With dry it writes nothing. It returns
// Invalid for an invalid row or one that overlaps another.
func (s *Store) Import(ctx context.Context, rows []usage.Price, dry bool) (added []usage.Price, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		known, err := lockPrices(ctx, tx)
		if err != nil {
			return err
		}
		if added, err = newRows(known, rows); err != nil || dry {
			return err
		}
		return insertPrices(ctx, tx, added)
	})
	return added, unavailable("import prices", err)
}

// Seed adds the rows of models that are not in the book. It leaves imported rows
// alone and skips rows that contradict them.
func (s *Store) Seed(ctx context.Context, rows []usage.Price) error {
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		known, err := readPrices(ctx, tx)
		if err != nil || len(unknown(pricesOf(known), rows)) == 0 {
			return err
		}
		prices, err := lockPrices(ctx, tx)
		if err != nil {
			return err
		}
		var added []usage.Price
		for _, row := range unknown(prices, rows) {
			if more, err := newRows(prices, []usage.Price{row}); err == nil {
				prices, added = append(prices, more...), append(added, more...)
			}
		}
		return insertPrices(ctx, tx, added)
	})
	return unavailable("seed prices", err)
}

// unknown returns the rows of models without any row.
func unknown(known, rows []usage.Price) (out []usage.Price) {
	type model struct{ provider, model, tier string }
	has := map[model]bool{}
	for _, p := range known {
		has[model{p.Provider, p.Model, p.ServiceTier}] = true
		for _, a := range p.Aliases {
			has[model{p.Provider, a, p.ServiceTier}] = true
		}
	}
	for _, p := range rows {
		if !has[model{p.Provider, p.Model, p.ServiceTier}] {
			out = append(out, p)
		}
	}
	return out
}

// newRows returns the rows that are not in a book yet, if they fit into it.
func newRows(known, rows []usage.Price) (added []usage.Price, err error) {
	byVersion := map[string]usage.Price{}
	for _, p := range known {
		byVersion[p.Version] = p
	}
	for _, p := range rows {
		old, there := byVersion[p.Version]
		switch {
		case !there:
			added = append(added, p)
		case !reflect.DeepEqual(asStored(old), asStored(p)):
			return nil, invalid("version", "price %s is in the book with other particulars: a change is a row with a version of its own", p.Version)
		}
	}
	if _, err := usage.NewBook(append(known[:len(known):len(known)], added...)); err != nil {
		return nil, invalid("prices", "%s", err.Error())
	}
	return added, nil
}

// asStored is a row as read back from the database.
func asStored(p usage.Price) usage.Price {
	for _, at := range []*time.Time{&p.From, &p.To, &p.Retires} {
		if !at.IsZero() {
			*at = at.UTC().Truncate(time.Microsecond)
		}
	}
	return p
}

// lockPrices reads the book and blocks other writers, but not readers, until the
// transaction ends.
func lockPrices(ctx context.Context, tx pgx.Tx) ([]usage.Price, error) {
	if _, err := tx.Exec(ctx, `lock table billing.price in share row exclusive mode`); err != nil {
		return nil, err
	}
	rows, err := readPrices(ctx, tx)
	return pricesOf(rows), err
}
