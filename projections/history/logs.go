package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
)

// LogType is what an entry of the debug log is about.
type LogType string

// The types. An event has one; what went wrong (a task that failed, a turn whose answer is
// an error, a model call without an answer) is an error, whatever it is otherwise.
const (
	RequestLog      LogType = "request"      // a request came, was answered or given up
	TaskLog         LogType = "task"         // began, ended, was interrupted or resumed
	PlanLog         LogType = "plan"         // plans, their parts, and their checks
	ActionLog       LogType = "action"       // actions decided, predicted, objected to
	VerificationLog LogType = "verification" // verdicts
	CorrectionLog   LogType = "correction"   // actions in place of failed ones
	UserLog         LogType = "user"         // questions and replies
	SearchLog       LogType = "search"       // what was looked for beside the page
	ModelLog        LogType = "model"        // model calls
	ErrorLog        LogType = "error"
)

// LogTypes are all of them.
var LogTypes = []LogType{RequestLog, TaskLog, PlanLog, ActionLog, VerificationLog, CorrectionLog, UserLog, SearchLog, ModelLog, ErrorLog}

// LogKept is how far back the debug log goes. Older events are in their tasks.
const LogKept = 7 * 24 * time.Hour

var logTypes = map[string]LogType{
	task.NamePageObserved: RequestLog, task.NameTurnEnded: RequestLog, task.NameTurnAbandoned: RequestLog,
	task.NameTaskStarted: TaskLog, task.NameTaskCompleted: TaskLog, task.NameTaskFailed: ErrorLog, task.NameTaskInterrupted: TaskLog, task.NameTaskResumed: TaskLog,
	task.NameTaskErased: TaskLog,
	task.NamePlanMade:   PlanLog, task.NamePlanChecked: PlanLog, task.NameSubTaskStarted: PlanLog, task.NameSubTaskCompleted: PlanLog,
	task.NameSubTaskFailed: PlanLog, task.NameOutputChecked: PlanLog, task.NameSynthesisChecked: PlanLog,
	task.NameActionGenerated: ActionLog, task.NameOutcomePredicted: ActionLog, task.NameActionCriticised: ActionLog, task.NameFinishBlocked: ActionLog,
	task.NameActionVerified: VerificationLog, task.NameChainFailed: VerificationLog,
	task.NameCorrectionIssued:   CorrectionLog,
	task.NameUserInputRequested: UserLog, task.NameUserInputProvided: UserLog, task.NameTaskPaused: UserLog, task.NameTaskHandedBack: UserLog,
	task.NameContextAnalyzed: SearchLog, task.NameWebSearched: SearchLog, task.NameInformationChecked: SearchLog, task.NameKnowledgeFound: SearchLog,
}

// LogTypeOf returns the type of an event's entry.
func LogTypeOf(name string, e task.Event) LogType {
	if end, ok := e.(task.TurnEnded); ok && end.Status == "error" {
		return ErrorLog
	}
	return logTypes[name]
}

// LogEntry is an event or a model call of a task. It has the one or the other.
type LogEntry struct {
	At     time.Time  `json:"timestamp"`
	Type   LogType    `json:"logType"`
	TaskID string     `json:"taskId"`
	Turn   int        `json:"turn,omitempty"`
	Event  *Event     `json:"event,omitempty"`
	Call   *ModelCall `json:"call,omitempty"`
}

// LogFilter chooses entries. Those of From on and before To; no To is now. Type "" is all.
type LogFilter struct {
	Type     LogType
	From, To time.Time
	Limit    int
}

// Logs returns the newest entries of tasks that a filter chooses, newest first, and whether
// there are more. They are read from the tasks themselves, which should be few. A task of
// another tenant is TASK_NOT_FOUND.
func (r Reader) Logs(ctx context.Context, tenant string, ids []string, f LogFilter) (entries []LogEntry, more bool, err error) {
	for _, id := range ids {
		of, err := r.logOf(ctx, tenant, id, f)
		if err != nil {
			return nil, false, fmt.Errorf("log of task %s: %w", id, projections.Unavailable(err))
		}
		entries = append(entries, of...)
	}
	slices.SortStableFunc(entries, newestFirst)
	kept := min(len(entries), f.Limit)
	return entries[:kept], len(entries) > kept, nil
}

func newestFirst(a, b LogEntry) int { return b.At.Compare(a.At) }

// logOf returns the newest entries of a task, one more than were asked for if there are so
// many.
func (r Reader) logOf(ctx context.Context, tenant, id string, f LogFilter) (entries []LogEntry, err error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return nil, err
	}
	calls, err := r.ledger(ctx, h.id)
	if err != nil {
		return nil, err
	}
	for _, c := range callsOf(calls) {
		entry := LogEntry{At: c.StartedAt, Type: ModelLog, TaskID: h.id, Turn: c.Turn, Call: &c}
		if c.EndedAt != nil {
			entry.At = *c.EndedAt
		}
		if c.Outcome != "" && c.Outcome != string(usage.OK) {
			entry.Type = ErrorLog
		}
		if f.chooses(entry.At) && f.wants(entry.Type) {
			entries = append(entries, entry)
		}
	}
	events, err := h.logged(f)
	if err != nil {
		return nil, err
	}
	entries = append(events, entries...)
	slices.SortStableFunc(entries, newestFirst)
	return entries[:min(len(entries), f.Limit+1)], nil
}

// logged returns the newest events of a task that a filter chooses, newest first.
func (h stream) logged(f LogFilter) (entries []LogEntry, err error) {
	all, err := h.candidates(Filter{}, nil)
	if err != nil {
		return nil, err
	}
	for _, c := range slices.Backward(all) {
		if !f.chooses(c.RecordedAt) || !f.mayBe(c.Type) {
			continue
		}
		e, err := h.glance(c.Recorded)
		if err != nil {
			return nil, err
		}
		e.Turn = c.turn
		kind := LogTypeOf(e.Type, e.Data)
		if !f.wants(kind) {
			continue
		}
		if entries = append(entries, LogEntry{At: e.RecordedAt, Type: kind, TaskID: h.id, Turn: e.Turn, Event: &e}); len(entries) > f.Limit {
			break
		}
	}
	return entries, nil
}

func (f LogFilter) chooses(at time.Time) bool {
	return !at.Before(f.From) && (f.To.IsZero() || at.Before(f.To))
}

func (f LogFilter) wants(t LogType) bool { return f.Type == "" || f.Type == t }

// mayBe goes by the name alone: the end of a turn is an error only by what it says.
func (f LogFilter) mayBe(name string) bool {
	return f.wants(logTypes[name]) || f.Type == ErrorLog && name == task.NameTurnEnded
}
