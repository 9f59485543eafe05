package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections/history"
)

// event is history.Event as it is sent.
type event struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Revision   int64           `json:"revision"`
	RecordedAt time.Time       `json:"recordedAt"`
	Actor      string          `json:"actor"`
	Turn       int             `json:"turn"`
	Importance string          `json:"importance"`
	Data       json.RawMessage `json:"data"`
}

// maxShown is the length of data up to which a turn shows its events in place. A page
// that was observed has hundreds of kB of it.
const maxShown = 4 << 10

// Short reports whether an event is shown in place.
func (e event) Short() bool { return len(e.Data) <= maxShown }

// turn is history.Turn with its events as they are sent.
type turn struct {
	history.Turn
	Events []event `json:"events"`
}

// turns is history.Turns likewise.
type turns struct {
	TaskID     string              `json:"taskId"`
	Head       int64               `json:"head"`
	Last       int                 `json:"last"`
	Paused     *history.Hold       `json:"paused"`
	Turns      []turn              `json:"turns"`
	Totals     history.CallTotals  `json:"totals"`
	OtherCalls []history.ModelCall `json:"otherCalls"`
}

// taskState is what of a task's state the head of its pages shows.
type taskState struct {
	Status, Query, URL, Code, Message string
}

// taskHead is the head of every page of a task.
type taskHead struct {
	TaskID, Tab string
	Revision    int64
	taskState
}

// near is how many turns are listed before and after the one that is shown.
const near = 8

type taskView struct {
	Head taskHead
	turns
	// Now is the turn that is shown, nil if the task has none. First and Final are the
	// ends of the slider.
	Now *turn
}

// task shows a turn of a task: that of the query, or the last.
func (p *Pages) task(r *request) error {
	n, err := number(r.URL.Query().Get("turn"))
	if err != nil {
		return err
	}
	return p.showTurn(r, n)
}

// turn leads to the page of a task at a turn; the script asks for its part.
func (p *Pages) turn(r *request) error {
	n, err := number(r.PathValue("turn"))
	if err != nil {
		return err
	}
	if r.part() {
		return p.showTurn(r, n)
	}
	http.Redirect(r.w, r.Request, fmt.Sprintf("/tasks/%s?turn=%d", url.PathEscape(r.PathValue("task")), n), http.StatusSeeOther)
	return nil
}

func (p *Pages) showTurn(r *request, n int) error {
	id := r.PathValue("task")
	v := taskView{}
	if !r.part() {
		var err error
		if v.Head, err = p.head(r, "turns"); err != nil {
			return err
		}
	}
	if n == 0 {
		if err := p.get(r, &v.turns, url.Values{"limit": {"1"}}, "debug", "tasks", id, "turns"); err != nil {
			return err
		}
		n = max(1, v.Last)
	}
	asked := url.Values{"from": {strconv.Itoa(max(1, n-near))}, "limit": {strconv.Itoa(2*near + 1)}}
	if err := p.get(r, &v.turns, asked, "debug", "tasks", id, "turns"); err != nil {
		return err
	}
	for i := range v.Turns {
		if v.Turns[i].Turn.Turn == n {
			v.Now = &v.Turns[i]
		}
	}
	if v.Now == nil && v.Last > 0 {
		return &apiError{http.StatusNotFound, domain.CodeTaskNotFound, fmt.Sprintf("The task has no turn %d; its last is %d.", n, v.Last)}
	}
	return p.show(r, "task", "tasks", v.Head.Query, v)
}

// head reads what stands above every page of a task.
func (p *Pages) head(r *request, tab string) (taskHead, error) {
	id := r.PathValue("task")
	var s struct {
		TaskID   string
		Revision int64
		State    taskState
	}
	if err := p.get(r, &s, nil, "debug", "tasks", id, "state"); err != nil {
		return taskHead{}, err
	}
	return taskHead{s.TaskID, tab, s.Revision, s.State}, nil
}

// number reads a number of a turn; "" is 0.
func number(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, &apiError{http.StatusBadRequest, domain.CodeValidation, "Turns are numbered from 1."}
	}
	return n, nil
}

// turnPage is the captured page itself, with the policy the API gives it.
func (p *Pages) turnPage(r *request) error {
	a := answer{header: http.Header{}}
	path := target(nil, "debug", "tasks", r.PathValue("task"), "turns", r.PathValue("turn"), "page")
	if err := p.ask(r.Request, r.token, http.MethodGet, path, nil, &a); err != nil {
		return err
	}
	if a.status != http.StatusOK {
		r.w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'self'")
		refused := &apiError{}
		_ = json.Unmarshal(a.body.Bytes(), refused) // without a message it says nothing
		return p.write(r, a.status, "nopage", view{Title: "No page", Data: refused})
	}
	for _, name := range []string{"Content-Type", "Content-Security-Policy"} {
		r.w.Header().Set(name, a.header.Get(name))
	}
	// A page of a turn stays as it is; only this browser may keep it, for as long as
	// somebody goes to and fro.
	r.w.Header().Set("Cache-Control", "private, max-age=300")
	_, _ = r.w.Write(a.body.Bytes()) // the reader may be gone
	return nil
}

type callView struct {
	Head taskHead
	history.CallTexts
	// Schema is the part of the prompt that says which form the answer has to have.
	PromptTexts, Schema, AnswerTexts []leaf
}

func (p *Pages) call(r *request) error {
	v := callView{}
	var err error
	if v.Head, err = p.head(r, "turns"); err != nil {
		return err
	}
	if err := p.get(r, &v.CallTexts, nil, "debug", "tasks", r.PathValue("task"), "calls", r.PathValue("call")); err != nil {
		return err
	}
	v.AnswerTexts = leaves(v.Answer.Content)
	for _, l := range leaves(v.Prompt.Content) {
		if strings.HasPrefix(l.Path, "schema/") {
			v.Schema = append(v.Schema, l)
		} else {
			v.PromptTexts = append(v.PromptTexts, l)
		}
	}
	return p.show(r, "call", "tasks", "Model call "+v.Call.CallID, v)
}
