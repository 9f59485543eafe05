package reasoning

import (
	"context"
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// TooComplex returns the error of a question that could not be answered in time. The
// same page and task would take as long again.
func TooComplex() *domain.Error {
	return domain.Errorf(domain.Invalid, domain.CodeTooComplex,
		"the page and the task together are too complex: send a smaller part of the page, or a shorter task")
}

type budgetKey struct{}

// budget is the rest of a turn's time to think.
type budget struct {
	mu   sync.Mutex
	left time.Duration
}

// WithBudget bounds the time to think for all questions asked under the context
// together. Time spent in models and databases is not counted. Zero means no bound.
func WithBudget(ctx context.Context, d time.Duration) context.Context {
	if d == 0 {
		return ctx
	}
	return context.WithValue(ctx, budgetKey{}, &budget{left: d})
}

// Think returns the context for working out one answer; it ends with the budget, if
// there is one. done takes the time used off the budget and turns an error caused by
// the end of the budget into TooComplex. It returns other errors unchanged.
func Think(ctx context.Context) (thinking context.Context, done func(error) error) {
	b, ok := ctx.Value(budgetKey{}).(*budget)
	if !ok {
		return ctx, func(err error) error { return err }
	}
	b.mu.Lock()
	left := b.left
	b.mu.Unlock()
	began := time.Now()
	thinking, cancel := context.WithTimeout(ctx, left)
	return thinking, func(err error) error {
		over := thinking.Err() != nil && ctx.Err() == nil
		cancel()
		b.mu.Lock()
		b.left = max(0, b.left-time.Since(began))
		b.mu.Unlock()
		if err != nil && over {
			return TooComplex().Because(err)
		}
		return err
	}
}
