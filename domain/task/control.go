package task

import "github.com/stepledger/stepledger/domain"

// What a user does with a task of their own. Each leaves a task as it is that is so already,
// and none is held up by a turn that is at work: that turn is given up, and its answer comes
// to nothing.

// Stop interrupts a task until its user goes on with it.
type Stop struct{ Tenant, User string }

// Cancel ends a task for good.
type Cancel struct{ Tenant, User string }

// Resume lets an interrupted task go on. A next request does that too, but for the one that
// was at work when its user stopped the task: it may only be repeated because no answer
// came.
type Resume struct{ Tenant, User string }

func (Stop) isTaskCommand()   {}
func (Cancel) isTaskCommand() {}
func (Resume) isTaskCommand() {}

// Texts of what a user did.
const (
	stoppedByUser   = "its user stopped it"
	cancelledByUser = "The task was cancelled."
)

func stop(c Stop, s State) ([]Event, error) {
	switch err := mayControl(s, c.Tenant, c.User); {
	case err != nil:
		return nil, err
	case s.Status == Interrupted && s.StoppedBy != "":
		return nil, nil
	}
	// Of a task that is interrupted already, this says by whom.
	return append(s.giveUp(stoppedByUser), TaskInterrupted{stoppedByUser, c.User}), nil
}

func cancel(c Cancel, s State) ([]Event, error) {
	if s.Tenant == c.Tenant && s.User == c.User && s.Code == domain.CodeCancelled {
		return nil, nil
	}
	if err := mayControl(s, c.Tenant, c.User); err != nil {
		return nil, err
	}
	return append(s.giveUp(stoppedByUser), withTaskStarted(s, TaskFailed{s.Turn.Number, domain.CodeCancelled, cancelledByUser})...), nil
}

func resume(c Resume, s State) ([]Event, error) {
	switch err := mayControl(s, c.Tenant, c.User); {
	case err != nil:
		return nil, err
	case s.Status != Interrupted:
		return nil, nil
	}
	return []Event{TaskResumed{s.Turn.Number}}, nil
}

// giveUp ends the turn that is open.
func (s State) giveUp(why string) []Event {
	if !s.Turn.Open {
		return nil
	}
	return []Event{TurnAbandoned{s.Turn.Number, why}}
}

// mayControl refuses a task that is not the user's, or has ended.
func mayControl(s State, tenant, user string) error {
	if !s.Exists() || s.Tenant != tenant || s.User != user {
		return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task").At("taskId")
	}
	if s.Ended() {
		return domain.Errorf(domain.Conflict, domain.CodeTaskCompleted, "this task is %s: it cannot be stopped, cancelled or resumed", s.Status).At("taskId")
	}
	return nil
}

// StoppedAtWork reports whether a request was at work when its user stopped the task.
// Without a key that cannot be told from a next request on the same page.
func (s State) StoppedAtWork(r Request) bool {
	return s.Status == Interrupted && s.StoppedBy != "" && r.Key != "" && s.Turn.Request.Key == r.Key
}

// StoppedError refuses the request that was at work when its user stopped the task.
func StoppedError() error {
	return domain.Errorf(domain.Conflict, domain.CodeTaskStopped,
		"this task was stopped by its user while this request was worked on; resume it, or send a new request to go on").At("taskId")
}
