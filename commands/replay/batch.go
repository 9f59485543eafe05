package replay

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/stepledger/stepledger/domain"
)

// Ref names a task of a tenant, or the file of an exported one.
type Ref struct{ Tenant, ID, File string }

// name is what a reader knows the task by.
func (r Ref) name() string { return cmp.Or(r.File, r.ID) }

// Flip is a turn whose verdict, action or status is another now.
type Flip struct {
	TaskID string `json:"taskId"`
	// File is that of an exported task.
	File string `json:"file,omitempty"`
	Result
}

// Batch is what became of many tasks.
type Batch struct {
	Tasks int `json:"tasks"`
	Turns int `json:"turns"`
	// Same are turns with the same events; Skipped could not be replayed; Asked are turns
	// that put questions nothing is recorded of.
	Same    int `json:"same"`
	Skipped int `json:"skipped"`
	Asked   int `json:"asked"`
	// Missed are those questions.
	Missed []Question `json:"missed,omitempty"`
	// Flips are in the order of the tasks given.
	Flips []Flip `json:"flips"`
	// Unreadable are tasks, by id or file, that could not be read at all, with the reason.
	Unreadable map[string]string `json:"unreadable,omitempty"`
}

// RunAll replays tasks, as many at a time as there are workers. Load reads a task, and says
// who decides it.
func RunAll(ctx context.Context, refs []Ref, load func(context.Context, Ref) (Task, Minds, error), workers int) (Batch, error) {
	reports, errs := make([]Report, len(refs)), make([]error, len(refs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, workers) {
		wg.Go(func() {
			for i := range next {
				t, minds, err := load(ctx, refs[i])
				if err == nil {
					reports[i], err = Run(ctx, t, minds)
				}
				errs[i] = err
			}
		})
	}
	for i := range refs {
		next <- i
	}
	close(next)
	wg.Wait()
	out := Batch{Tasks: len(refs), Flips: []Flip{}, Unreadable: map[string]string{}}
	for i, r := range reports {
		if err := errs[i]; err != nil {
			if domain.KindOf(err) == domain.Unavailable && !domain.IsNewer(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
				return out, err
			}
			out.Unreadable[refs[i].name()] = err.Error()
		}
		out.add(refs[i], r)
	}
	return out, nil
}

func (b *Batch) add(of Ref, r Report) {
	for _, t := range r.Turns {
		b.Turns++
		switch {
		case t.Skipped != "":
			b.Skipped++
		case t.Same:
			b.Same++
		}
		if len(t.Missed) > 0 {
			b.Asked++
		}
		b.Missed = append(b.Missed, t.Missed...)
		if t.Flips() {
			b.Flips = append(b.Flips, Flip{r.TaskID, of.File, t})
		}
	}
}

// Kinds are what flipped, by what it was and is: "verdict succeeded -> failed".
func (b Batch) Kinds() []string {
	count := map[string]int{}
	for _, f := range b.Flips {
		for name, p := range map[string]Pair{"verdict": f.Verdict, "status": f.Status} {
			if p.flips() {
				count[name+" "+p.Was+" -> "+p.Now]++
			}
		}
		if f.Action.flips() {
			count["action"]++
		}
	}
	var out []string
	for kind := range count {
		out = append(out, kind)
	}
	slices.Sort(out)
	return out
}
