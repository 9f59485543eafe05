package postgres

import (
	"context"
	"errors"

	"github.com/stepledger/stepledger/eventstore"
)

// commitBatches is a lane: take a batch, run it, answer, again. While one lane's
// batch is on its way to the disk, the next is already at the server, waiting for
// the lock.
func (s *Store) commitBatches() {
	for {
		batch := s.queue.take()
		if batch == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), s.o.Timeout)
		s.commit(ctx, batch)
		cancel()
		s.queue.release(batch...)
	}
}

// commit runs a batch and answers each of its requests. Those the statement left
// out are judged; those the judgement finds nothing against run again, because
// the log has moved on in between.
//
// The first try goes by what is remembered of the streams. From then on the log
// is looked at, so that writers of other processes cannot keep a request from
// ever getting through.
func (s *Store) commit(ctx context.Context, batch []*request) {
	for look := false; len(batch) > 0; look = true {
		s.at("append.begin")
		placed, told, err := s.add(ctx, batch, look)
		var along *alongError
		alone := len(batch) == 1
		switch clash := isDuplicate(err); {
		case errors.Is(err, errRemoved):
			continue
		case alone && errors.As(err, &along):
		case clash && (alone || !look):
		case !alone && isRefusal(err):
			// One of them offends the server. Alone it drags no others along.
			for i := range batch {
				s.commit(ctx, batch[i:i+1])
			}
			return
		case err != nil:
			answerAll(batch, err)
			return
		}
		batch = s.judge(ctx, s.answerPlaced(batch, placed, told))
		if alone && along != nil && len(batch) == 1 { // it is no repeat, so what was refused is
			batch[0].done <- answer{err: s.whyRefused(ctx, batch[0], along.refused)}
			return
		}
	}
}

// answerPlaced answers the requests that were added and returns the others.
func (s *Store) answerPlaced(batch []*request, placed map[string]eventstore.Receipt, told bool) (left []*request) {
	if len(placed) > 0 {
		s.at("append.committed")
		s.announce(lastOf(placed), told)
	}
	for _, r := range batch {
		if receipt, ok := placed[r.stream]; ok {
			r.done <- answer{receipt: receipt}
		} else {
			left = append(left, r)
		}
	}
	return left
}

func lastOf(placed map[string]eventstore.Receipt) (position int64) {
	for _, r := range placed {
		position = max(position, r.Position)
	}
	return position
}

// judge answers the requests that were not added; it returns those that should
// have been. Where events of a stream are archived that an append was not compared with,
// its caller is to do that: a lane does not wait for the archive.
func (s *Store) judge(ctx context.Context, left []*request) (again []*request) {
	if len(left) == 0 {
		return nil
	}
	found, err := s.look(ctx, left)
	if err != nil {
		answerAll(left, err)
		return nil
	}
	for i, r := range left {
		if found[i].archived > r.archived.upto && len(found[i].Known) < len(r.events) && !found[i].Ended {
			r.done <- answer{err: errInArchive}
			continue
		}
		receipt, isNew, err := eventstore.Judge(r.stream, r.expected, r.events, found[i].Found)
		if isNew {
			again = append(again, r)
			continue
		}
		if err == nil {
			receipt.Log, _ = s.name(ctx, found[i].word)
		}
		r.done <- answer{receipt, err}
	}
	return again
}

func answerAll(batch []*request, err error) {
	for _, r := range batch {
		r.done <- answer{err: err}
	}
}
