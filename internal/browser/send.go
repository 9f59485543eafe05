package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain"
)

const (
	// attemptTimeout is longer than the server's lease on a turn (120 s).
	attemptTimeout = 150 * time.Second
	// maxBackoff between two attempts.
	maxBackoff = 5 * time.Second
	// maxAnswer bounds what is read of an answer.
	maxAnswer = 16 << 20
)

// ServerError is an error answer of the server.
type ServerError struct {
	Status     int
	Code       string
	Message    string
	RetryAfter time.Duration
}

// Error implements error.
func (e *ServerError) Error() string {
	return fmt.Sprintf("the server answered %d %s: %s", e.Status, e.Code, e.Message)
}

// errNoAnswer is returned for a request without a usable answer: refused, cut off,
// garbled.
var errNoAnswer = errors.New("the server did not answer")

// send posts a body until it is answered. Every repetition has the same bytes
// and the same Idempotency-Key, so a server that was killed in the middle runs
// the turn once, or sends the answer it had stored.
func (c *Client) send(ctx context.Context, key string, body []byte) (answer Answer, resent int, err error) {
	deadline := time.Now().Add(cmp.Or(c.RetryFor, 2*time.Minute))
	backoff := cmp.Or(c.Backoff, 200*time.Millisecond)
	for {
		answer, err = c.post(ctx, key, body)
		wait, again := retryAfter(err, backoff)
		if !again || ctx.Err() != nil || time.Now().Add(wait).After(deadline) {
			return answer, resent, err
		}
		if err := pause(ctx, wait); err != nil {
			return Answer{}, resent, err
		}
		backoff = min(2*backoff, maxBackoff)
		resent++
	}
}

// retryAfter reports whether and when to repeat a request: if the server was
// unavailable or overloaded, is running this turn, or said when to come back.
func retryAfter(err error, backoff time.Duration) (wait time.Duration, again bool) {
	var said *ServerError
	switch {
	case errors.Is(err, errNoAnswer):
		return backoff, true
	case !errors.As(err, &said):
		return 0, false
	case said.Code == domain.CodeTaskPaused: // however long that takes: see ask
		return 0, false
	case said.Status == http.StatusConflict:
		return said.RetryAfter, said.RetryAfter > 0
	case said.Status >= 500 || said.Status == http.StatusTooManyRequests:
		return cmp.Or(said.RetryAfter, backoff), true
	}
	return 0, false
}

// post sends the body once.
func (c *Client) post(ctx context.Context, key string, body []byte) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	url := strings.TrimSuffix(c.BaseURL, "/") + "/api/agent/interact"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return Answer{}, fmt.Errorf("interact: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.Token)
	req.Header.Set("Idempotency-Key", key)
	// net/http would repeat a request with this header by itself when a kept
	// connection breaks. Repeating is up to send, which counts and backs off.
	req.GetBody = nil
	res, err := cmp.Or(c.HTTP, http.DefaultClient).Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	defer res.Body.Close()
	return decode(res)
}

// decode decodes the contract's envelope.
func decode(res *http.Response) (Answer, error) {
	var envelope struct {
		Success    bool    `json:"success"`
		Data       Answer  `json:"data"`
		Code       string  `json:"code"`
		Message    string  `json:"message"`
		RetryAfter float64 `json:"retryAfter"` // seconds
	}
	err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&envelope)
	if res.StatusCode == http.StatusOK {
		switch {
		case err != nil:
			return Answer{}, fmt.Errorf("%w: the answer is no JSON: %w", errNoAnswer, err)
		case !envelope.Success:
			return Answer{}, &ServerError{Status: res.StatusCode, Code: envelope.Code, Message: envelope.Message}
		}
		return envelope.Data, nil
	}
	said := &ServerError{Status: res.StatusCode, Code: envelope.Code, Message: envelope.Message}
	if err != nil { // a proxy's page rather than the server's JSON
		said.Message = http.StatusText(res.StatusCode)
	}
	said.RetryAfter = time.Duration(envelope.RetryAfter * float64(time.Second))
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
		said.RetryAfter = time.Duration(seconds) * time.Second
	}
	return Answer{}, said
}
