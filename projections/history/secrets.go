package history

import (
	"bytes"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// secretsIn returns all secret values of a task's events, and the events it opened for
// it, by index; nil are those it did not. They have nothing that is stored apart, so they
// are whole. Secrets that become known only later are masked in earlier events too.
func secretsIn(events []eventstore.Recorded, key domain.Sealer) (values []string, opened []task.Event, err error) {
	opened = make([]task.Event, len(events))
	err = inParallel(len(events), func(i int) error {
		r := events[i]
		switch may, err := mayHoldSecrets(r, key); {
		case err != nil:
			return err
		case !may:
			return nil
		}
		var err error
		if opened[i], err = task.Codec.Glance(r.Type, r.Data, r.ID, key); domain.IsNewer(err) {
			opened[i], err = nil, nil // nothing of it is shown
		}
		return err
	})
	for _, e := range opened {
		if e != nil {
			values = append(values, task.SecretsOf(e)...)
		}
	}
	return values, opened, err
}

// mayHoldSecrets reports whether an event has to be read for the secrets in it. The end of
// a turn seldom has one, which is seen without reading its answer.
func mayHoldSecrets(r eventstore.Recorded, key domain.Sealer) (bool, error) {
	switch r.Type {
	case task.NamePageObserved, task.NameUserInputProvided, task.NameTaskHandedBack:
		return true, nil
	case task.NameTurnEnded:
		parts, err := task.Codec.Plain(r.Type, r.Data, r.ID, key)
		if domain.IsNewer(err) {
			return false, nil
		}
		for _, p := range parts {
			if bytes.Contains(p, []byte(`"secret":`)) {
				return true, err
			}
		}
		return false, err
	}
	return false, nil
}
