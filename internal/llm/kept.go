package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// key is what makes two questions the same one: the task, the client request
// that led to it, and everything that is sent, or what the asker says of it. The
// turn is left out: a turn run again after a crash has another number.
func key(q Question, provider string, r Request) string {
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

// record is an answer as it is kept: with its bill, so that the bill can be
// noted by whoever finds it.
type record struct {
	Response  Response      `json:"response"`
	Completed CallCompleted `json:"completed"`
}

// kept looks for an answer paid for before, makes sure that it is on the
// ledger, and judges it as if it had just come.
func (c *Client) kept(ctx context.Context, a ask) (Answer, bool, error) {
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

// CompletedOf reads the bill that is kept with an answer. ok is false for what
// is not an answer as KeepAnswer was given it.
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

// keepAnswer returns "" when the answer could not be kept: the bill is noted
// all the same, and the only loss is that a crash now would ask again.
func (c *Client) keepAnswer(ctx context.Context, a ask, r record) string {
	body, err := json.Marshal(r)
	if err != nil || a.key == "" {
		return ""
	}
	ctx, cancel := c.detached(ctx)
	defer cancel()
	ref, err := c.o.Recorder.KeepAnswer(ctx, a.On, a.key, body)
	if err != nil {
		return ""
	}
	return ref
}

// detached is a context for noting what has happened: the caller's leaving
// does not undo it.
func (c *Client) detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), c.o.RecordTimeout)
}
