package interact_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

func (r *rig) control() commands.ControlTask {
	return commands.ControlTask{Log: r.log, Keys: keys{}, IDs: domain.NewUUID}
}

// A turn that is at work when its user stops or cancels the task comes to nothing, and
// sending its request again does not undo that.
func TestControl_WhileATurnIsAtWork(t *testing.T) {
	t.Parallel()
	type control = func(commands.ControlTask, *testing.T, string, string, string) (commands.Controlled, error)
	stop := func(c commands.ControlTask, t *testing.T, tenant, user, id string) (commands.Controlled, error) {
		return c.StopTask(t.Context(), tenant, user, id)
	}
	cancel := func(c commands.ControlTask, t *testing.T, tenant, user, id string) (commands.Controlled, error) {
		return c.CancelTask(t.Context(), tenant, user, id)
	}
	for name, tt := range map[string]struct {
		do     control
		code   string
		status task.Status
		then   []string
	}{
		"stop":   {stop, domain.CodeTaskStopped, task.Interrupted, []string{task.NameTurnAbandoned, task.NameTaskInterrupted}},
		"cancel": {cancel, domain.CodeTaskCompleted, task.Failed, []string{task.NameTurnAbandoned, task.NameTaskFailed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			working, goOn := make(chan struct{}), make(chan struct{})
			armed := make(chan struct{})
			var once sync.Once
			r := newRig(t, func(d *interact.Deps) {
				d.Hook = func(point string) {
					select {
					case <-armed:
					default:
						return
					}
					if point == "turn.decided" {
						once.Do(func() { close(working); <-goOn })
					}
				}
			})
			r.reasons.acts, r.reasons.verdicts = []any{click("14"), click("3"), click("3")}, []any{worked, worked}
			req := request(t, form, "a")
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			id := answerOf(t, res).TaskID
			close(armed)
			next := following(t, id, "b")
			was := names(r.eventsOf(t, id))
			var wg sync.WaitGroup
			var running error
			wg.Go(func() { _, running = r.Interact(t.Context(), next) })
			<-working
			for range 2 {
				at, err := tt.do(r.control(), t, req.Tenant, req.User, id)
				if err != nil || at.Status != tt.status {
					t.Fatalf("%+v, %v", at, err)
				}
			}
			close(goOn)
			wg.Wait()
			wantCode(t, running, domain.Conflict, tt.code)
			_, again := r.Interact(t.Context(), next)
			wantCode(t, again, domain.Conflict, tt.code)
			if e := asError(t, again); e.RetryAfter != 0 {
				t.Errorf("the client is told to come back: %+v", e)
			}
			want := append(append(was, task.NamePageObserved), tt.then...)
			if diff := cmp.Diff(want, names(r.eventsOf(t, id))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A stopped task goes on with a next request, or once it was resumed with the one that was
// refused; a cancelled one does not.
func TestControl_GoingOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts, r.reasons.verdicts = []any{click("14"), click("3"), click("14")}, []any{worked, worked, worked}
	id := begin(t, r).TaskID
	req := request(t, form, "a")
	if _, err := r.control().StopTask(t.Context(), req.Tenant, req.User, id); err != nil {
		t.Fatal(err)
	}
	res, err := r.Interact(t.Context(), following(t, id, "b"))
	if err != nil || answerOf(t, res).Action != `click("3")` {
		t.Fatalf("a next request: %s, %v", res.Answer, err)
	}
	for _, status := range []task.Status{task.Interrupted, task.Active} {
		do := r.control().StopTask
		if status == task.Active {
			do = r.control().ResumeTask
		}
		if at, err := do(t.Context(), req.Tenant, req.User, id); err != nil || at.Status != status || at.Position == 0 {
			t.Fatalf("%+v, %v", at, err)
		}
	}
	if res, err = r.Interact(t.Context(), following(t, id, "c")); err != nil || answerOf(t, res).Action != `click("14")` {
		t.Fatalf("after it was resumed: %s, %v", res.Answer, err)
	}
	if _, err := r.control().StopTask(t.Context(), req.Tenant, "somebody else", id); domain.KindOf(err) != domain.NotFound {
		t.Errorf("another user: %v", err)
	}
	if _, err := r.control().CancelTask(t.Context(), req.Tenant, req.User, id); err != nil {
		t.Fatal(err)
	}
	_, err = r.Interact(t.Context(), following(t, id, "d"))
	wantCode(t, err, domain.Conflict, domain.CodeTaskCompleted)
	_, err = r.control().ResumeTask(t.Context(), req.Tenant, req.User, id)
	wantCode(t, err, domain.Conflict, domain.CodeTaskCompleted)
}
