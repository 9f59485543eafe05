package history

import (
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// secretsIn are the values a task's events make known as secret, whenever they do:
// an event is shown without what only a later one tells of.
func secretsIn(events []eventstore.Recorded, key domain.Sealer) ([]string, error) {
	var values []string
	for _, r := range events {
		switch r.Type {
		case task.NamePageObserved, task.NameUserInputProvided, task.NameTurnEnded:
		default:
			continue
		}
		e, err := task.Codec.Glance(r.Type, r.Data, r.ID, key)
		if err != nil {
			return nil, err
		}
		values = append(values, task.SecretsOf(e)...)
	}
	return values, nil
}

// mask is an event without secrets. Only the executing client ever sees them.
func mask(e Event, s *secret.Set) Event {
	e.Data = task.Public(e.Data, s)
	return e
}
