package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain/action"
)

// Execute does one action and waits until the page is stable. If the page does not
// allow the action the report has status failure; an error means that the browser is
// gone or ctx has ended. Actions that end a task or run on the server succeed without
// doing anything. An action that opens a dialog of the page ends with that; while it is
// open, only clicks on its buttons and a text for its field are not refused.
func (t *Tab) Execute(ctx context.Context, a action.Action) (Report, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	start := time.Now()
	r := Report{Status: StatusSuccess}
	if a.EndsTask() || a.OnServer() {
		return r, nil
	}
	if err := t.execute(ctx, a, &r); err != nil {
		// The text is left out, since it may be a password.
		return r, fmt.Errorf("execute %s %s: %w", a.Name, a.Target, err)
	}
	r.Duration = time.Since(start)
	return r, nil
}

func (t *Tab) execute(ctx context.Context, a action.Action, r *Report) error {
	if d, open := t.shows().dialog.present(); open {
		return t.answer(ctx, a, d, r)
	}
	t.begun, t.armed = false, counts{}
	t.opened.forget()
	window := t.shows()
	before, err := t.arm(ctx, a.Target, r)
	if err == nil {
		t.armed = before
		err = t.perform(ctx, a, r)
	}
	if err := t.refusedOrLost(t.interrupted(err), a, r); err != nil {
		return err
	}
	return t.conclude(ctx, window, before, r)
}

// refusedOrLost puts an *ActionError into the report and returns every other error.
func (t *Tab) refusedOrLost(err error, a action.Action, r *Report) error {
	var refused *ActionError
	if errors.Is(err, errFrameGone) {
		err = refuse(CodeNotFound, "the frame with it has gone")
	}
	if !errors.As(err, &refused) {
		return err
	}
	r.Status, r.Error = StatusFailure, refused
	r.Error.Action, r.Error.ElementID = t.printable(a), a.Target
	return nil
}

// printable is an action as it may be sent back, without what was typed into a secret
// field.
func (t *Tab) printable(a action.Action) string {
	if a.Name == action.SetValue && slices.Contains(t.shown[a.Target].State, "secret") {
		a.Text = "[secret]"
	}
	return a.String()
}

// conclude waits for stability, unless nothing was done, and adds what was observed
// to the report.
func (t *Tab) conclude(ctx context.Context, window *window, before counts, r *Report) error {
	if r.Status == StatusSuccess {
		took, err := t.settle(ctx)
		if err != nil {
			return err
		}
		r.DOMChanges.StabilizationTime = took.Milliseconds()
	}
	after, err := t.disarm(ctx, before)
	if err != nil {
		return err
	}
	if err := t.reportWindow(ctx, window); err != nil {
		return err
	}
	pending := t.witness.pending()
	t.witness.endAction()
	url, err := t.URL(ctx)
	if err != nil {
		return err
	}
	r.URL = url
	r.DidURLChange = r.URL != r.PreviousURL
	r.DidNetworkOccur = t.witness.traffic() > 0
	if aim := after.of[before.aim]; aim.Document == before.of[before.aim].Document {
		r.TargetChanged, r.DirectMutations = aim.Touched, aim.Direct
	}
	r.FailedRequests, r.PendingRequests, r.ScriptErrors = t.witness.failures(), pending, t.witness.scriptErrors()
	r.RecentEvents = lines(t.witness.sinceMark(), time.Now())
	countChanges(before, after, r)
	return nil
}

// perform does the action. It returns an *ActionError if the page does not allow it.
func (t *Tab) perform(ctx context.Context, a action.Action, r *Report) error {
	if err := a.Validate(); err != nil {
		return refuse(CodeInvalidAction, "%v", err)
	}
	switch a.Name {
	case action.Click:
		return t.click(ctx, a.Target, r)
	case action.SetValue:
		return t.setValue(ctx, a.Target, a.Text, r)
	case action.Press:
		return t.press(ctx, a.Text)
	case action.Hover:
		return t.hover(ctx, a.Target, r)
	case action.Type:
		return t.typeText(ctx, a.Text)
	case action.Scroll:
		return t.scroll(ctx, a.Target, a.Text, r)
	case action.Drag:
		return t.drag(ctx, a.Target, a.To, r)
	case action.Upload:
		return t.upload(ctx, a.Target, a.Text, r)
	case action.Wait:
		return pause(ctx, time.Duration(a.Seconds*float64(time.Second)))
	case action.Navigate:
		return t.navigate(ctx, a.Text)
	case action.GoBack:
		return t.goBack(ctx)
	}
	return refuse(CodeInvalidAction, "this browser does not know %s", a.Name)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
