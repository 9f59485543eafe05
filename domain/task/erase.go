package task

import "github.com/stepledger/stepledger/domain"

// Erase makes the loss of a task's personal text known, and ends the task for ever: an
// open turn is abandoned, so that it can append nothing more, and an active task is
// interrupted. A task that was never begun or is erased already leads to no event.
// Another tenant's task is TASK_NOT_FOUND.
type Erase struct{ Tenant, Erasure string }

func (Erase) isTaskCommand() {}

// interruptedByErasure is why the turn and the task of somebody who is forgotten end.
const interruptedByErasure = "its content is erased"

func erase(c Erase, s State) ([]Event, error) {
	switch {
	case s.Exists() && s.Tenant != c.Tenant:
		return nil, domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task").At("taskId")
	case !s.Exists() || s.Erased:
		return nil, nil
	}
	return append(interrupt(Interrupt{Why: interruptedByErasure}, s), TaskErased{c.Erasure}), nil
}

// erased keeps what holds no personal text.
func erased(s State) State {
	return State{
		Status: s.Status, Tenant: s.Tenant, User: s.User, Session: s.Session, Visible: s.Visible,
		Turn: Turn{Number: s.Turn.Number}, Tokens: s.Tokens, Code: s.Code, Erased: true,
	}
}

// ErasedError refuses work on a task whose content was erased.
func ErasedError() error {
	return domain.Errorf(domain.Conflict, domain.CodeConflict, "this task's content was erased; start a new one by leaving taskId out").At("taskId")
}
