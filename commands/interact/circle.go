package interact

import (
	"errors"

	"github.com/stepledger/stepledger/domain"
)

// stop ends a task that goes in circles with fail(), in words for the user: each
// of its steps was allowed, they only led nowhere (spec: velocity check, which
// ends with a message and not with an error).
func (t *turn) stop(circle error) (outcome, error) {
	var limit *domain.Error
	if !errors.As(circle, &limit) {
		return "", circle
	}
	message := "I stopped because I was going in circles: " + limit.Msg +
		". Please do this part yourself, or start again and tell me more about it."
	return t.give(fail(limit.Code, t.told(message, "")))
}
