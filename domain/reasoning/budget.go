package reasoning

import (
	"context"
	"sync"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// TooComplex is the error of an answer that was not worked out in the time there was
// for it. The same page and task would take as long again.
func TooComplex() *domain.Error {
	return domain.Errorf(domain.Invalid, domain.CodeTooComplex,
		"this page and this task together take too long to work through: send a smaller part of the page, or a shorter task")
}

type budgetKey struct{}

// budget is what is left of a turn's time to think.
type budget struct {
	mu   sync.Mutex
	left time.Duration
}

// WithBudget bounds how long may be thought about what is asked under the context, all
// answers together. What models and databases take is not counted. Zero is no bound.
func WithBudget(ctx context.Context, d time.Duration) context.Context {
	if d == 0 {
		return ctx
	}
	return context.WithValue(ctx, budgetKey{}, &budget{left: d})
}

// Think gives the context under which one answer is worked out: it ends with the
// budget, if there is one. Done takes what it took off the budget; of an error because
// the budget was used up it makes TooComplex, and leaves all others alone.
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
