package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/internal/browser"
)

const (
	// callWithin bounds a request that is no turn.
	callWithin = 15 * time.Second
	// maxReply bounds what is read of its answer.
	maxReply = 1 << 20
)

// Login exchanges an email address and a password for a token. What the server said
// is a *browser.ServerError.
func Login(ctx context.Context, client *http.Client, server, email string, password account.Secret) (string, error) {
	body, err := json.Marshal(map[string]string{"email": email, "password": password.Reveal()})
	if err != nil {
		return "", err
	}
	var data struct {
		AccessToken string `json:"accessToken"`
	}
	if err := call(ctx, client, http.MethodPost, at(server, "/api/v1/auth/login"), "", body, &data); err != nil {
		return "", fmt.Errorf("log in as %s: %w", email, err)
	}
	return data.AccessToken, nil
}

// identity says whose token it is.
type identity struct {
	User     struct{ ID string }
	TenantID string
}

// authenticate finds out at once whether the server is there and takes the token.
func (r *run) authenticate(ctx context.Context) error {
	return call(ctx, r.HTTP, http.MethodGet, at(r.Server, "/api/v1/auth/session"), r.Token, nil, &r.who)
}

// findTask finds the task of a run that was stopped before the first answer: the
// server may have it all the same, and goes on with the turn.
func (r *run) findTask(ctx context.Context) {
	r.result.TaskID = task.IDFor(r.who.TenantID, r.who.User.ID, r.key)
	if r.readCost(ctx) != nil {
		r.result.TaskID = ""
	}
}

// readCost asks the ledger what the task has cost. Without an answer, which is the
// error, the tokens are those of the answers, and the money is not known.
func (r *run) readCost(ctx context.Context) error {
	// A run that was stopped still tells what it has cost.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), costWithin)
	defer cancel()
	var data struct {
		Totals struct {
			InputTokens, OutputTokens, UnpricedCalls int64
			CostUSD                                  string
		}
	}
	query := url.Values{"taskId": {r.result.TaskID}}
	err := call(ctx, r.HTTP, http.MethodGet, at(r.Server, "/api/usage/summary?"+query.Encode()), r.Token, nil, &data)
	c, t := &r.result.Cost, data.Totals
	if err != nil {
		if c.InputTokens+c.OutputTokens > 0 {
			c.USD = ""
		}
		return err
	}
	// The read model may be a moment behind the answers.
	c.InputTokens, c.OutputTokens = max(c.InputTokens, t.InputTokens), max(c.OutputTokens, t.OutputTokens)
	c.USD, c.UnpricedCalls = t.CostUSD, t.UnpricedCalls
	return nil
}

// costWithin bounds the question what a task has cost.
const costWithin = 3 * time.Second

func at(server, path string) string { return strings.TrimSuffix(server, "/") + path }

// call asks for something that is no turn, once.
func call(ctx context.Context, client *http.Client, method, address, token string, body []byte, data any) error {
	ctx, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := cmp.Or(client, http.DefaultClient).Do(req)
	if err != nil {
		return fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer res.Body.Close()
	var envelope struct {
		Success bool            `json:"success"`
		Data    json.RawMessage `json:"data"`
		Code    string          `json:"code"`
		Message string          `json:"message"`
	}
	err = json.NewDecoder(io.LimitReader(res.Body, maxReply)).Decode(&envelope)
	switch {
	case res.StatusCode != http.StatusOK || err == nil && !envelope.Success:
		message := cmp.Or(envelope.Message, http.StatusText(res.StatusCode))
		return &browser.ServerError{Status: res.StatusCode, Code: envelope.Code, Message: message}
	case err != nil:
		return fmt.Errorf("the answer of %s is not a Stepledger's: %w", req.URL.Path, err)
	case data == nil:
		return nil
	}
	return json.Unmarshal(envelope.Data, data)
}

// limits are the codes with which a server ends a task.
var limits = []string{
	domain.CodeMaxSteps, domain.CodeMaxTokens, domain.CodeMaxRetries, domain.CodeMaxFailures, domain.CodeVelocity, domain.CodeLoop, domain.CodeGaveUp, domain.CodeNoReply,
}

// limitReached reports a task that the server ended.
func limitReached(err error) bool {
	said, ok := errors.AsType[*browser.ServerError](err)
	return ok && slices.Contains(limits, said.Code)
}

func messageOf(err error) string {
	said, _ := errors.AsType[*browser.ServerError](err)
	return said.Message + " (" + said.Code + ")"
}
