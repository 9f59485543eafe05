package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/stepledger/stepledger/domain/scope"
)

// apiError is an error the API answered with.
type apiError struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message) }

// answer is a response as it is being written.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// ask calls the API in this process, in the name of who looks. The response goes to w.
func (p *Pages) ask(r *http.Request, token, method, target string, body io.Reader, w http.ResponseWriter) error {
	// The call is one of its own: it ends with the page's request and has nothing else
	// of it, a router's state least of all.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(r.Context(), cancel)()
	call, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return err
	}
	call.RemoteAddr, call.Host, call.TLS = r.RemoteAddr, r.Host, r.TLS
	if from := r.Header.Values("X-Forwarded-For"); len(from) > 0 {
		call.Header["X-Forwarded-For"] = from // limits count the address of who looks
	}
	if page := scope.Of(r.Context()).IDs(); page.Request != "" {
		call.Header.Set("X-Request-Id", page.Request) // one id for the page and all it asks
	}
	if token != "" {
		call.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		call.Header.Set("Content-Type", "application/json")
	}
	p.api.ServeHTTP(w, call)
	return nil
}

// forbidden reports that the API refused for the role of who looks.
func forbidden(err error) bool {
	var refused *apiError
	return errors.As(err, &refused) && refused.Status == http.StatusForbidden
}

// fetch calls the API and decodes the data it answers with. Other answers are *apiError.
func (p *Pages) fetch(r *http.Request, token, method, target string, body io.Reader, into any) error {
	a := answer{header: http.Header{}}
	if err := p.ask(r, token, method, target, body, &a); err != nil {
		return err
	}
	if a.status >= http.StatusBadRequest {
		return refusal(&a)
	}
	if into == nil {
		return nil
	}
	envelope := struct{ Data any }{into}
	if err := json.Unmarshal(a.body.Bytes(), &envelope); err != nil {
		return fmt.Errorf("answer of %s %s: %w", method, target, err)
	}
	return nil
}

// refusedInput is the error of an answer that finds fault with what somebody typed, to be
// shown where they typed it; nil for any other.
func refusedInput(err error) *apiError {
	var refused *apiError
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		return refused
	}
	return nil
}

func refusal(a *answer) error {
	e := &apiError{Status: a.status}
	if err := json.Unmarshal(a.body.Bytes(), e); err != nil || e.Message == "" {
		e.Message = http.StatusText(a.status)
	}
	return e
}

// get reads from the API.
func (p *Pages) get(r *request, into any, query url.Values, path ...string) error {
	return p.fetch(r.Request, r.token, http.MethodGet, target(query, path...), nil, into)
}

// target is a path with its segments escaped, and a query without what is empty.
func target(query url.Values, path ...string) string {
	escaped := []string{"/api"}
	for _, segment := range path {
		escaped = append(escaped, url.PathEscape(segment))
	}
	t := strings.Join(escaped, "/")
	q := url.Values{}
	for name, values := range query {
		for _, v := range values {
			if v != "" {
				q.Add(name, v)
			}
		}
	}
	if len(q) > 0 {
		t += "?" + q.Encode()
	}
	return t
}
