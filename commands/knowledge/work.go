package knowledge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
)

// Worker does the work of sources, a step after the other. Any number of workers may do
// that of the same source; all but one then work in vain.
type Worker struct {
	Deps
	troubled *sync.Map // versions whose reading came to nothing for a reason that may pass
	slots    chan struct{}
}

// NewWorker returns a Worker that does so many steps at the same time, of as many sources.
// It is safe for concurrent use.
func NewWorker(d Deps, slots int) Worker { return Worker{d, &sync.Map{}, make(chan struct{}, slots)} }

// worker is the work of one source.
type worker struct {
	Worker
	ctx    context.Context
	tenant string
	source string
	key    domain.Sealer
	at     version
	// lost says that somebody else was first when something was put last.
	lost bool
	// pause is for how long a site wants to be left alone, pauses how often it said so of
	// the page that is next.
	pause  time.Duration
	pauses int
}

// turn is how long a source is worked on before others have theirs.
const turn = time.Minute

// Work does what there is to do for a source, until nothing is left or its turn is over. The
// error is trouble that may pass, or ErrElsewhere; the rest is done by whoever calls Work next.
func (w Worker) Work(ctx context.Context, tenant, source string) error {
	at, key, err := w.load(ctx, tenant, source, Sources.Start())
	if err != nil {
		return fmt.Errorf("source %s: %w", source, err)
	}
	s := &worker{Worker: w, ctx: ctx, tenant: tenant, source: source, key: key, at: at}
	for began := time.Now(); time.Since(began) < turn; {
		next := s.at.State.Next(s.Clock())
		if next.None() {
			return nil
		}
		if err := s.step(next); err != nil {
			return fmt.Errorf("source %s: %w", source, err)
		}
		if err := s.wait(); err != nil {
			return err
		}
	}
	return nil
}

// lookWhilePaused is how often a source whose site is left alone is looked at: it may be
// removed meanwhile.
const lookWhilePaused = 5 * time.Second

// wait leaves a site alone for as long as it wants. Meanwhile others work.
func (w *worker) wait() error {
	for w.pause > 0 && !w.at.State.Removed {
		part := min(w.pause, lookWhilePaused)
		select {
		case <-time.After(part):
		case <-w.ctx.Done():
			return w.ctx.Err()
		}
		if w.pause -= part; w.pause > 0 {
			if err := w.catchUp(); err != nil {
				return err
			}
		}
	}
	w.pause = 0
	return w.ctx.Err()
}

// step waits for its turn among all sources: none of them keeps the others waiting for
// longer than a step.
func (w *worker) step(next knowledge.Work) error {
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
		return w.do(next)
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

func (w *worker) do(next knowledge.Work) error {
	switch {
	case next.ForgetSource:
		return w.forgetSource()
	case len(next.Forget) > 0:
		return w.forget(next)
	case next.Read != nil:
		return w.read(*next.Read)
	case next.Visit != nil:
		return w.visit(*next.Visit)
	case next.Finish:
		return w.put(knowledge.FinishCrawl{Generation: w.at.State.Crawl.Generation, Failed: w.failed(), At: w.now()})
	case len(next.Reread) > 0:
		return w.put(knowledge.Reread{Documents: next.Reread, At: w.now()})
	default:
		return w.put(knowledge.Recrawl{At: w.now()})
	}
}

// put decides on the source as it is held. If somebody else was first, the source is
// folded to its end, and whatever is then to be done is done next.
func (w *worker) put(c knowledge.Command) error {
	w.lost = false
	events, err := knowledge.Decide(c, w.at.State)
	if domain.KindOf(err) == domain.NotFound {
		return w.catchUp() // removed meanwhile
	}
	if err != nil {
		return err
	}
	stream := knowledge.SourceStream(w.source)
	next, err := Sources.Append(w.ctx, w.Log, stream, w.key, w.at, w.writing(w.tenant, byWorker, w.source), events)
	if w.lost = commands.LostRace(err); w.lost {
		return w.catchUp()
	}
	if err != nil {
		return err
	}
	w.at = next
	return nil
}

// byWorker acts where no user does.
const byWorker = "system"

func (w *worker) catchUp() error {
	next, err := Sources.Load(w.ctx, w.Log, knowledge.SourceStream(w.source), w.key, w.at)
	if err != nil {
		return err
	}
	w.at = next
	return nil
}

// forget destroys the keys of old versions, and bytes nobody else has.
func (w *worker) forget(next knowledge.Work) error {
	for _, v := range next.Forget {
		if err := w.Content.Drop(w.ctx, w.tenant, v); err != nil {
			return err
		}
	}
	for _, ref := range next.Unused {
		if err := w.Content.Delete(w.ctx, w.tenant, w.source, ref); err != nil {
			return err
		}
	}
	w.hook("knowledge.dropped")
	return w.put(knowledge.Forget{Versions: next.Forget, At: w.now()})
}

// forgetSource destroys all keys, the source's own last: its names are needed until then.
func (w *worker) forgetSource() error {
	for _, v := range w.at.State.Versions() {
		if err := w.Content.Drop(w.ctx, w.tenant, v); err != nil {
			return err
		}
	}
	w.hook("knowledge.dropping")
	if err := w.Content.Drop(w.ctx, w.tenant, w.source); err != nil {
		return err
	}
	w.hook("knowledge.dropped")
	return w.put(knowledge.ForgetSource{At: w.now()})
}
