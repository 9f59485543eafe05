package interact

import (
	"errors"

	"github.com/stepledger/stepledger/domain"
)

// endAtLimit ends the task at a limit. A task that goes in circles ends with fail()
// and a message for the user, because each of its steps was allowed (spec: velocity
// check). Every other limit ends it with an error.
func (t *turn) endAtLimit(err error) (outcome, error) {
	var limit *domain.Error
	switch {
	case !errors.As(err, &limit):
		return "", err
	case limit.Code == domain.CodeVelocity, limit.Code == domain.CodeLoop:
		message := "I stopped because I was going in circles: " + limit.Msg +
			". Please do this part yourself, or start again and tell me more about it."
		return t.endTask(fail(limit.Code, t.endMessage(message, "")))
	}
	return t.endWithError(limit.Code, "I tried, but "+limit.Msg+".")
}
