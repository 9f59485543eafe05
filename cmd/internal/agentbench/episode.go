package agentbench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/runner"
)

// Trial is one episode to come.
type Trial struct {
	// Set and Task name it, Seed tells the episodes of one task apart.
	Set, Task string
	Seed      int
	// Actions and Time are what the episode may use up.
	Actions int
	Time    time.Duration
	play    play
}

// play is how a trial is begun and judged; it belongs to one episode.
type play interface {
	// begin shows the task in the tab and returns its words. site is a host name of
	// the episode's own for this machine.
	begin(ctx context.Context, tab *browser.Tab, site string) (words string, err error)
	// over reports, after each action, that the page has ended the episode.
	over(ctx context.Context, tab *browser.Tab) (bool, error)
	// judge says what came of it.
	judge(ctx context.Context, tab *browser.Tab) (Truth, error)
	// end frees what begin has taken, also after a begin that failed.
	end()
}

// Truth is what came of an episode, whatever the agent says.
type Truth struct {
	Solved bool `json:"solved"`
	// Over: the page has ended the episode.
	Over bool `json:"over,omitempty"`
	// Reward is the page's; Reason is its reason, or the verifier's.
	Reward float64 `json:"reward,omitempty"`
	Reason string  `json:"reason,omitempty"`
	// Changed are the parts of an application's state that are not what they were.
	Changed []string `json:"changed,omitempty"`
}

// Ways an episode ends. The first that holds counts.
const (
	Solved    = "solved"
	Wrong     = "wrong"      // the page ended it without a reward
	FalseDone = "false done" // the agent says it is done, and it is not
	Asked     = "asked"
	Failed    = "failed"
	UsedUp    = "used up" // its actions
	TimedOut  = "timed out"
	Lost      = "lost" // the page could not be begun, judged or reached
)

// Step is what the agent did, with what the page refused of it.
type Step struct {
	Thought string   `json:"thought"`
	Actions []string `json:"actions"`
	Element string   `json:"element,omitempty"`
	Again   string   `json:"again,omitempty"` // the strategy of a correction
	Refused string   `json:"refused,omitempty"`
	// Verdict is what the agent makes of it: outcome and reason.
	Verdict string `json:"verdict,omitempty"`
}

// Episode is how a trial went.
type Episode struct {
	Set   string `json:"set"`
	Task  string `json:"task"`
	Seed  int    `json:"seed"`
	Words string `json:"instruction"`
	Steps []Step `json:"steps"`
	// End is one of the constants above, Status what the agent says itself.
	End    string        `json:"end"`
	Status runner.Status `json:"status"`
	// Message is the agent's last, or its question; Error what was lost.
	Message string `json:"message,omitempty"`
	Error   string `json:"error,omitempty"`
	// Requests went to the server; Actions were executed.
	Requests int     `json:"requests"`
	Actions  int     `json:"actions"`
	Truth    Truth   `json:"truth"`
	Seconds  float64 `json:"seconds"`
}

// unread counts the words of the instruction that its reading left as holes.
func (e Episode) unread() (unread, all int) { return instruction.Read(e.Words).UnreadWords() }

var (
	errOver   = errors.New("the page has ended the episode")
	errUsedUp = errors.New("the actions allowed were used up")
	errTime   = errors.New("the time of the episode was used up")
)

// watched is the page of an episode: it counts the actions and stops the run once the
// page has ended the episode.
type watched struct {
	*browser.Tab
	trial    Trial
	stop     context.CancelCauseFunc
	executed int
}

// Execute implements browser.Page.
func (w *watched) Execute(ctx context.Context, a action.Action) (browser.Report, error) {
	if w.executed == w.trial.Actions {
		w.stop(errUsedUp)
		return browser.Report{}, ctx.Err()
	}
	w.executed++
	r, err := w.Tab.Execute(ctx, a)
	if err != nil {
		return r, err
	}
	over, err := w.trial.play.over(ctx, w.Tab)
	if over {
		w.stop(errOver)
		err = ctx.Err()
	}
	return r, err
}

// judgeWithin bounds what comes after the agent's part of an episode.
const judgeWithin = 15 * time.Second

// run plays a trial on a tab of its own.
func (b *Bench) run(ctx context.Context, t Trial, site string) Episode {
	e := Episode{Set: t.Set, Task: t.Task, Seed: t.Seed}
	began := time.Now()
	if err := b.playOn(ctx, t, site, &e); err != nil {
		e.End, e.Error = Lost, err.Error()
	}
	e.Seconds = time.Since(began).Round(time.Millisecond).Seconds()
	return e
}

func (b *Bench) playOn(ctx context.Context, t Trial, site string, e *Episode) error {
	timed, cancel := context.WithTimeoutCause(ctx, t.Time, errTime)
	defer cancel()
	tab, err := b.Chromium.NewTab(timed)
	if err != nil {
		return err
	}
	defer tab.Close()
	defer t.play.end()
	if e.Words, err = t.play.begin(timed, tab, site); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	running, stop := context.WithCancelCause(timed)
	defer stop(nil)
	w := &watched{Tab: tab, trial: t, stop: stop}
	result, lost := runner.Run(running, runner.Options{
		Server: b.Server, Token: b.Token, Query: e.Words, Page: w, OnEvent: e.note, OnTurn: e.refused,
	})
	e.Status, e.Requests, e.Actions = result.Status, result.Turns, w.executed
	switch result.Status {
	case runner.Asked:
		e.Message = result.Question
	case runner.Completed, runner.Failed:
		e.Message = result.Message
	}
	judging, cancel := context.WithTimeout(ctx, judgeWithin)
	defer cancel()
	if e.Truth, err = t.play.judge(judging, tab); err != nil {
		return errors.Join(fmt.Errorf("judge: %w", err), lost)
	}
	e.End = ending(e.Truth, e.Status, context.Cause(running))
	if e.End == Lost {
		return lost
	}
	return nil
}

// note keeps what is told of a run.
func (e *Episode) note(event runner.Event) {
	switch event := event.(type) {
	case runner.Step:
		s := Step{Thought: event.Thought, Actions: event.Actions, Element: event.Element}
		if event.Correction != nil {
			s.Again = event.Correction.Strategy
		}
		e.Steps = append(e.Steps, s)
	case runner.Verdict:
		if len(e.Steps) > 0 {
			e.Steps[len(e.Steps)-1].Verdict = event.Outcome + ": " + event.Reason
		}
	}
}

// refused keeps what the page did not allow of the last step.
func (e *Episode) refused(t browser.Turn) {
	if t.Report.Error != nil && len(e.Steps) > 0 {
		e.Steps[len(e.Steps)-1].Refused = t.Report.Error.Code
	}
}

// ending is the first of the ways to end that holds. A run was stopped by cause.
func ending(truth Truth, status runner.Status, cause error) string {
	switch {
	case truth.Solved:
		return Solved
	case truth.Over:
		return Wrong
	case status == runner.Completed:
		return FalseDone
	case status == runner.Asked:
		return Asked
	case status == runner.Failed:
		return Failed
	case errors.Is(cause, errUsedUp):
		return UsedUp
	case errors.Is(cause, errTime):
		return TimedOut
	}
	return Lost
}
