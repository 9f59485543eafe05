package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// questionKey identifies a question: the task, the client request, and everything that is
// sent, or its Identity. The turn is left out, since a turn that runs again after a
// crash has another number.
func questionKey(q Question, provider string, r Request) string {
	if q.Identity != "" {
		r.User = Text(q.Identity)
	}
	b, err := json.Marshal(struct {
		Task, Request, Provider string
		After                   int
		Sent                    Request
	}{q.On.Task, q.On.Request, provider, q.On.After, r})
	if err != nil {
		// A Schema that is not JSON: the only field that can fail. Such a request
		// has no key and is never found again.
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// record is an answer as it is stored: with its bill, so that whoever finds it can
// record the bill.
type record struct {
	Response  Response      `json:"response"`
	Completed CallCompleted `json:"completed"`
}

// findKept looks for an answer that was paid before, makes sure it is on the ledger,
// and judges it like a new one.
func (c *Client) findKept(ctx context.Context, a ask) (Answer, bool, error) {
	body, ref, ok, err := c.o.Recorder.KeptAnswer(ctx, a.On, a.key)
	if err != nil {
		return Answer{}, false, &Error{Kind: Unrecorded, Msg: "look for a kept answer", Cause: err}
	}
	if !ok || a.key == "" {
		return Answer{}, false, nil
	}
	var r record
	if err := json.Unmarshal(body, &r); err != nil || r.Completed.Call == "" {
		return Answer{}, false, nil //nolint:nilerr // of an older form: as good as none
	}
	r.Completed.AnswerRef = ref
	if err := c.complete(ctx, r.Completed); err != nil {
		return Answer{}, false, err
	}
	answer, err := a.judge(r.Response, r.Completed.Call)
	answer.Kept = true
	return answer, true, err
}

// CompletedOf reads the bill stored with an answer or with vectors. ok is false if kept is not an
// answer as KeepAnswer was given it.
func CompletedOf(kept []byte) (c CallCompleted, ok bool) {
	var r record
	err := json.Unmarshal(kept, &r)
	return r.Completed, err == nil && r.Completed.Call != ""
}

func (c *Client) keepPrompt(ctx context.Context, a ask) (string, error) {
	sent := a.request
	sent.Model = "" // the fallbacks are sent the same prompt
	body, err := json.Marshal(sent)
	if err != nil {
		return "", &Error{Kind: Rejected, Unbilled: true, Msg: "the request's schema is not JSON", Cause: err}
	}
	ref, err := c.o.Recorder.KeepPrompt(ctx, a.On, body)
	if err != nil {
		return "", &Error{Kind: Unrecorded, Msg: "keep the prompt", Cause: err}
	}
	return ref, nil
}

// keepAnswer returns "" if the answer could not be stored. The bill is recorded all
// the same; only a crash now would ask again.
func (c *Client) keepAnswer(ctx context.Context, on On, key string, record any) string {
	body, err := json.Marshal(record)
	if err != nil || key == "" {
		return ""
	}
	ctx, cancel := c.detached(ctx)
	defer cancel()
	ref, err := c.o.Recorder.KeepAnswer(ctx, on, key, body)
	if err != nil {
		return ""
	}
	return ref
}

// detached returns a context that does not end with the caller, to record what has
// happened.
func (c *Client) detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), c.o.RecordTimeout)
}
