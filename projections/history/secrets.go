package history

import (
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// secretsIn returns all secret values of a task's events, and the events it opened for
// it, by revision: they have nothing that is stored apart, so they are whole. Secrets
// that become known only later are masked in earlier events too.
func secretsIn(events []eventstore.Recorded, key domain.Sealer) (values []string, opened map[int64]task.Event, err error) {
	opened = map[int64]task.Event{}
	for _, r := range events {
		switch r.Type {
		case task.NamePageObserved, task.NameUserInputProvided, task.NameTaskHandedBack, task.NameTurnEnded:
		default:
			continue
		}
		e, err := task.Codec.Glance(r.Type, r.Data, r.ID, key)
		if err != nil {
			return nil, nil, err
		}
		opened[r.Revision] = e
		values = append(values, task.SecretsOf(e)...)
	}
	return values, opened, nil
}
