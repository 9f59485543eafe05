package interact

import (
	"context"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/task"
)

// runFinish ends the task, unless another node already has, because the verdict says
// that the goal is achieved.
func runFinish(_ context.Context, t *turn) (outcome, error) {
	if t.state.Ended() {
		return over, nil
	}
	if _, inPart := t.state.Part(); inPart {
		if err := t.do(task.CompletePart{}); err != nil {
			return "", err
		}
	}
	_, err := t.endTask(task.Complete{Message: t.verdict.Reason, Confidence: t.verdict.Confidence, Proof: t.verdict.Proof})
	return over, err
}

// endTask ends the task with a command and makes finish() or fail() the answer.
func (t *turn) endTask(end task.Command) (outcome, error) {
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

// endWithError ends the task at a limit. The client gets an error with the limit's
// code (spec: 400), now and for every later request.
func (t *turn) endWithError(code, message string) (outcome, error) {
	if err := t.do(fail(code, message)); err != nil {
		return "", err
	}
	t.answerError(code, message)
	return over, nil
}
