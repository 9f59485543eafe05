package billing

import (
	"context"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/usage"
)

// readBook is a price book and the last row that is in it.
type readBook struct {
	last int64
	book *usage.Book
}

const lastPrice = `select coalesce(max(seq), 0) from billing.price`

// Book implements commands.Prices. Rows are only ever added, so the last one
// tells whether the book at hand is the newest.
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

// Prices are all rows there are, those that were replaced too, oldest first.
func (s *Store) Prices(ctx context.Context) ([]usage.Price, error) {
	rows, err := readPrices(ctx, s.pool)
	return pricesOf(rows), unavailable("list prices", err)
}

// Import adds rows to the price book, all of them or none. Rows that are there
// already, word for word, are left out; it gives the ones that were added. With
// dry it writes nothing and says what it would. The error is Invalid for a row
// that cannot be, or that holds at the same time as another.
func (s *Store) Import(ctx context.Context, rows []usage.Price, dry bool) (added []usage.Price, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		known, err := lockPrices(ctx, tx)
		if err != nil {
			return err
		}
		if added, err = news(known, rows); err != nil || dry {
			return err
		}
		return insertPrices(ctx, tx, added)
	})
	return added, unavailable("import prices", err)
}

// Seed adds the rows of models the book does not know at all. What somebody has
// imported is left alone, and so is a row that contradicts it.
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
			if more, err := news(prices, []usage.Price{row}); err == nil {
				prices, added = append(prices, more...), append(added, more...)
			}
		}
		return insertPrices(ctx, tx, added)
	})
	return unavailable("seed prices", err)
}

// unknown are the rows of models without any.
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

// news are the rows that are not in a book yet, if they fit into it.
func news(known, rows []usage.Price) (added []usage.Price, err error) {
	byVersion := map[string]usage.Price{}
	for _, p := range known {
		byVersion[p.Version] = p
	}
	for _, p := range rows {
		old, there := byVersion[p.Version]
		switch {
		case !there:
			added = append(added, p)
		case !reflect.DeepEqual(normal(old), normal(p)):
			return nil, invalid("version", "price %s is in the book with other particulars: a change is a row with a version of its own", p.Version)
		}
	}
	if _, err := usage.NewBook(append(known[:len(known):len(known)], added...)); err != nil {
		return nil, invalid("prices", "%s", err.Error())
	}
	return added, nil
}

// normal is a row as it reads back from the database.
func normal(p usage.Price) usage.Price {
	for _, at := range []*time.Time{&p.From, &p.To, &p.Retires} {
		if !at.IsZero() {
			*at = at.UTC().Truncate(time.Microsecond)
		}
	}
	return p
}

// lockPrices reads the book and keeps others from adding to it until the
// transaction ends. Readers are not in the way.
func lockPrices(ctx context.Context, tx pgx.Tx) ([]usage.Price, error) {
	if _, err := tx.Exec(ctx, `lock table billing.price in share row exclusive mode`); err != nil {
		return nil, err
	}
	rows, err := readPrices(ctx, tx)
	return pricesOf(rows), err
}
