package interact

import (
	"errors"

	"github.com/stepledger/stepledger/domain"
)

// stop ends the task at a limit. One that goes in circles ends with fail(), in
// words for the user: each of its steps was allowed, they only led nowhere (spec:
// velocity check, which ends with a message). The others are errors.
func (t *turn) stop(err error) (outcome, error) {
	var limit *domain.Error
	switch {
	case !errors.As(err, &limit):
		return "", err
	case limit.Code == domain.CodeVelocity, limit.Code == domain.CodeLoop:
		message := "I stopped because I was going in circles: " + limit.Msg +
			". Please do this part yourself, or start again and tell me more about it."
		return t.give(fail(limit.Code, t.told(message, "")))
	}
	return t.failWith(limit.Code, "I tried, but "+limit.Msg+".")
}
