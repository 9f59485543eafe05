package history

import (
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// secretsIn returns all secret values of a task's events. Secrets that become known
// only later are masked in earlier events too.
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

// mask returns an event without secrets, which only the executing client sees.
func mask(e Event, s *secret.Set) Event {
	if e.Data == nil {
		return e
	}
	e.Data = task.RedactForReaders(e.Data, s)
	return e
}
