package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// maxAnswer bounds a response body: far above the longest answer a model
// gives, and low enough for many at a time.
const maxAnswer = 16 << 20

// exchange is what went over the wire in one attempt, beside what the library
// makes of it.
type exchange struct {
	// status is 0 until an answer arrived.
	status int
	// usage is the usageMetadata member of the body, nil if there is none.
	usage json.RawMessage
}

type exchangeKey struct{}

// in gives a context whose request fills the exchange.
func (x *exchange) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// tee reads bodies whole before the library does.
type tee struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t tee) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(r)
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if err != nil || !ok {
		return resp, err
	}
	x.status = resp.StatusCode
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	_ = resp.Body.Close()
	if err == nil && len(body) > maxAnswer {
		err = errors.New("the answer is larger than any a model gives")
	}
	if err != nil {
		return nil, err
	}
	x.usage = usageIn(body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func usageIn(body []byte) json.RawMessage {
	var b struct {
		Usage json.RawMessage `json:"usageMetadata"`
	}
	if json.Unmarshal(body, &b) != nil || string(b.Usage) == "null" || len(b.Usage) > maxUsage {
		return nil // a body that is not JSON is the library's to refuse
	}
	return b.Usage
}

// maxUsage bounds the account in bytes: real ones have a few hundred, and the
// ledger must be able to hold it.
const maxUsage = 16 << 10
