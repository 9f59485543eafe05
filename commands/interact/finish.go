package interact

import (
	"context"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/task"
)

// runFinish ends the task: with what another node decided, or because the
// verdict says that the goal is achieved.
func runFinish(_ context.Context, t *turn) (outcome, error) {
	if t.state.Ended() {
		return over, nil
	}
	_, err := t.give(task.Complete{Message: t.verdict.Reason, Confidence: t.verdict.Confidence, Proof: t.verdict.Proof})
	return over, err
}

// give ends the task with a command and tells the client so.
func (t *turn) give(end task.Command) (outcome, error) {
	if err := t.do(end); err != nil {
		return "", err
	}
	t.status = statusAction
	t.answer.Thought, t.answer.StepIndex = t.state.Message, len(t.state.Steps)
	a := action.Action{Name: action.Finish, Text: t.state.Message}
	t.answer.Status = "completed"
	if t.state.Status == task.Failed {
		a.Name, t.answer.Status = action.Fail, "failed"
	}
	t.answer.Action = a.String()
	t.answer.ActionDetails = &ActionDetails{Name: string(a.Name), Text: a.Text}
	return over, nil
}

func fail(code, message string) task.Fail { return task.Fail{Code: code, Message: message} }

// failWith ends the task at a limit: the client gets an error with the limit's
// code (spec: 400), and the same one whenever it asks again.
func (t *turn) failWith(code, message string) (outcome, error) {
	if err := t.do(fail(code, message)); err != nil {
		return "", err
	}
	t.refuse(code, message)
	return over, nil
}
