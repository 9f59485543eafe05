package eventstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// An epoch of a log is its history between two restores: what stands at a position in
// one may stand there no more, or differently, in the next. The first is named by the
// log's id alone. Later ones have a number and a word drawn at random, because a log may
// be restored twice to before its second epoch.
type Epoch struct {
	// Number counts from 1, Word is empty in the first.
	Number int
	Word   string
	// BeganAt is the position up to which the epoch goes on with what was before.
	BeganAt int64
}

// ID names the epoch of a log.
func (e Epoch) ID(log string) string {
	if e.Number <= 1 {
		return log
	}
	return fmt.Sprintf("%s.%d.%s", log, e.Number, e.Word)
}

// EpochNumber is the number of the epoch that the id of a log names, as Feed.ID gives it.
func EpochNumber(id string) int {
	parts := strings.Split(id, ".")
	if len(parts) != 3 {
		return 1
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		return 1
	}
	return n
}

// PastOf implements Feed.Past for a log with these epochs, oldest first, of which the last
// has come to head.
func PastOf(log string, epochs []Epoch, head int64, id string) int64 {
	past := head
	for i := len(epochs) - 1; i >= 0; i-- {
		if epochs[i].ID(log) == id {
			return past
		}
		past = min(past, epochs[i].BeganAt)
	}
	return 0
}

// GoesOn reports whether a follower that has all up to a position of the log named by id
// may go on from there in this one, under the name now. Otherwise it has what is not in
// this log, and has to begin anew.
func GoesOn(ctx context.Context, f Feed, id string, position int64) (now string, ok bool, err error) {
	if now, err = f.ID(ctx); err != nil {
		return "", false, err
	}
	past, err := f.Past(ctx, id)
	return now, err == nil && position <= past, err
}
