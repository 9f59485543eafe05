package consumer

import (
	"context"
	"fmt"
)

// Forget drops what all consumers have put aside of a stream, and returns how many events
// that were: the reasons may quote what is erased from the log.
func (s Store) Forget(ctx context.Context, stream string) (int64, error) {
	tag, err := s.DB.Exec(ctx, `delete from feed.parked where stream = $1`, stream)
	if err != nil {
		return 0, fmt.Errorf("forget what was put aside of %s: %w", stream, err)
	}
	return tag.RowsAffected(), nil
}
