package api

import (
	"context"
	"strconv"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/projections/tasks"
)

// PauseBody is the body of pauseTask.
type PauseBody struct {
	Kind string `json:"kind,omitempty" enum:"pause,takeover" doc:"What the caller does with it: stop it (the default), or work on its page by hand. After a takeover no action from before it is judged to have failed by what the page shows."`
	Note string `json:"note,omitempty" maxLength:"2000" doc:"Why, for whoever looks at the task. Secrets in it are not kept."`
}

// ResumeBody is the body of resumeTask.
type ResumeBody struct {
	Note string `json:"note,omitempty" maxLength:"2000" doc:"What the agent should know. It counts as the user's words, and answers a question that is open."`
}

// HeldBy is who holds a task.
type HeldBy struct {
	Kind  string    `json:"kind" enum:"pause,takeover"`
	By    string    `json:"by" doc:"The id of a user of the tenant."`
	Since time.Time `json:"since"`
}

// PausedData says who holds a task.
type PausedData struct {
	TaskID   string  `json:"taskId" format:"uuid"`
	Paused   *HeldBy `json:"paused,omitempty" doc:"Absent where nobody holds it."`
	TurnOpen bool    `json:"turnOpen" doc:"A request that came before is still worked on; it is answered as usual."`
	Revision int64   `json:"revision" doc:"That of the task's newest event."`
}

type pausedReply struct {
	Position string `header:"X-Event-Position" doc:"Log position of that event; for atLeast."`
	Body     envelope[PausedData]
}

// pauseTask is for the tasks of the caller's tenant, whoever's they are.
func (s *Server) pauseTask(ctx context.Context, in *taskInput, body []byte) (*pausedReply, error) {
	var b PauseBody
	id, note, err := heldRequest(in, body, &b, func() string { return b.Note })
	if err != nil {
		return nil, err
	}
	kind := task.PauseKind(b.Kind)
	switch kind {
	case "":
		kind = task.Paused
	case task.Paused, task.TakenOver:
	default:
		return nil, invalid("kind", "kind is none of %s, %s", task.Paused, task.TakenOver)
	}
	who := caller(ctx)
	h, err := s.Pauser.PauseTask(ctx, who.TenantID, who.UserID, id, kind, note)
	if err != nil {
		return nil, err
	}
	return pausedAnswer(id, h), nil
}

// resumeTask hands a task back, whoever holds it.
func (s *Server) resumeTask(ctx context.Context, in *taskInput, body []byte) (*pausedReply, error) {
	var b ResumeBody
	id, note, err := heldRequest(in, body, &b, func() string { return b.Note })
	if err != nil {
		return nil, err
	}
	who := caller(ctx)
	h, err := s.Pauser.ResumeTask(ctx, who.TenantID, who.UserID, id, note)
	if err != nil {
		return nil, err
	}
	return pausedAnswer(id, h), nil
}

// maxNote bounds a note, in UTF-16 units.
const maxNote = 2_000

// heldRequest reads what both routes have.
func heldRequest(in *taskInput, body []byte, into any, noteOf func() string) (id, note string, err error) {
	if id, err = uuid("taskId", in.TaskID); err != nil {
		return "", "", err
	}
	if err := decodeBody(body, into, documentLimits); err != nil {
		return "", "", err
	}
	if note = norm.NFC.String(noteOf()); longerThan(note, maxNote) {
		return "", "", invalid("note", "the note is longer than %d characters", maxNote)
	}
	return id, note, nil
}

func pausedAnswer(id string, h commands.Held) *pausedReply {
	d := PausedData{TaskID: id, TurnOpen: h.TurnOpen, Revision: h.Revision}
	if p := h.Pause; p != nil {
		d.Paused = &HeldBy{string(p.Kind), p.By, p.At.UTC()}
	}
	return &pausedReply{strconv.FormatInt(h.Position, 10), envelope[PausedData]{true, d}}
}

// heldBy is who holds a task of a list.
func heldBy(v tasks.View) *HeldBy {
	if v.PausedAt == nil {
		return nil
	}
	return &HeldBy{v.PausedKind, v.PausedBy, v.PausedAt.UTC()}
}
