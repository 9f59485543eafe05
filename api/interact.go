package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/stepledger/stepledger/commands/interact"
)

type interactInput struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" pattern:"^[ -~]*$" doc:"Of the client's making, up to 200 printable characters: the same request again gets the same answer. requestId in the body does the same."`
}

type interactReply struct {
	ETag     string `header:"ETag" doc:"The revision of the task's stream, quoted."`
	Position string `header:"X-Event-Position" doc:"The log position after the turn; for atLeast."`
	Body     envelope[stored[interact.Answer]]
}

// interact checks the request and hands it over. The answer is sent as it was
// stored with the turn; one that was stored before, be it an error, does not
// count against the limit of requests, though its bytes do against theirs.
func (s *Server) interact(ctx context.Context, in *interactInput, body []byte) (*interactReply, error) {
	r, err := ReadInteract(body, in.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	c := callOf(ctx)
	r.Tenant, r.User, r.ReceivedAt = c.who.TenantID, c.who.UserID, c.began
	res, err := s.Interactor.Interact(ctx, r)
	if res.Replayed {
		s.refund(c)
	}
	if err != nil {
		c.showPlace(res)
		return nil, err
	}
	if s.debugs(c) && !res.Replayed {
		if res.Answer, err = s.withRAGDebug(ctx, r.Capture.URL, res); err != nil {
			return nil, err
		}
	}
	return &interactReply{
		ETag:     tag(res.Revision, res.Log),
		Position: strconv.FormatInt(res.Position, 10),
		Body:     envelope[stored[interact.Answer]]{true, stored[interact.Answer](res.Answer)},
	}, nil
}

// withRAGDebug is the answer with where its turn looked for knowledge. The pattern is left
// out where the tenant cannot be asked: the turn is done all the same.
func (s *Server) withRAGDebug(ctx context.Context, url string, res interact.Result) (json.RawMessage, error) {
	var a interact.Answer
	if err := json.Unmarshal(res.Answer, &a); err != nil {
		return nil, fmt.Errorf("stored answer: %w", err)
	}
	ctx, cancel := s.bounded(context.WithoutCancel(ctx)) // a turn may have used up the handler's time
	defer cancel()
	host := hostOf(url)
	pattern, err := s.matchedPattern(ctx, host)
	if err != nil {
		s.log.WarnContext(ctx, "the tenant's host patterns are not known", "error", err)
	}
	a.RAGDebug = &interact.RAGDebug{Domain: host, MatchedPattern: pattern, HasOrgKnowledge: a.HasOrgKnowledge, ChunkCount: len(res.Turn.Shown), Citations: res.Turn.Shown}
	return json.Marshal(a)
}

// ReadInteract returns the command's request for a body of interact, without caller
// and time. header is the Idempotency-Key.
func ReadInteract(body []byte, header string) (interact.Request, error) {
	var b InteractBody
	if err := decodeBody(body, &b, documentLimits); err != nil {
		return interact.Request{}, err
	}
	r, err := b.request(header)
	sum := sha256.Sum256(body)
	r.BodyHash = hex.EncodeToString(sum[:])
	return r, err
}

// showPlace sets the headers with an answer's position in the log.
func (c *call) showPlace(r interact.Result) {
	if r.Position == 0 {
		return
	}
	c.header.Set("ETag", tag(r.Revision, r.Log))
	c.header.Set("X-Event-Position", strconv.FormatInt(r.Position, 10))
}
