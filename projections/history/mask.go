package history

import (
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/task"
)

// secretMask stands where a value was typed into a secret field.
const secretMask = "[secret]"

// mask takes secret values out of an event. Only the executing client ever
// sees them; the answers in TurnEnded hold a placeholder already.
func mask(e task.Event) task.Event {
	switch e := e.(type) {
	case task.TurnEnded:
		e.Secret = ""
		return e
	case task.ActionGenerated:
		e.Action = maskAction(e.Action, e.Target)
		return e
	case task.CorrectionIssued:
		e.FailedAction = maskAction(e.FailedAction, e.FailedTarget)
		e.RetryAction = maskAction(e.RetryAction, e.RetryTarget)
		return e
	}
	return e
}

func maskAction(printed string, t task.Target) string {
	a, err := action.Parse(printed)
	if err != nil || !t.Secret || a.Text == "" {
		return printed
	}
	a.Text = secretMask
	return a.String()
}
