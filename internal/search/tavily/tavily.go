// Package tavily searches the web by Tavily's HTTP API.
//
// It promises bounded results: at most as many as were asked for, each with a web
// address, a title and a snippet of bounded length. It makes one attempt, which ends
// with its context or after Timeout. What a search was for is in no error and no log.
package tavily

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/weburl"
)

// DefaultURL is Tavily's.
const DefaultURL = "https://api.tavily.com"

// Timeout bounds one search.
const Timeout = 8 * time.Second

// Bounds of what is read and passed on.
const (
	maxAnswer  = 1 << 20
	maxResults = 10
	maxQuery   = 400 // characters; Tavily refuses longer ones
	maxTitle   = 200
	maxAddress = 2_000
	maxSnippet = 1_000
)

// Client searches. It is safe for concurrent use.
type Client struct {
	key  account.Secret
	url  string
	http *http.Client
}

// New returns a client; url "" is Tavily's.
func New(key account.Secret, url string) *Client {
	return &Client{key: key, url: strings.TrimSuffix(cmp.Or(url, DefaultURL), "/"), http: &http.Client{Timeout: Timeout}}
}

// StatusError is an answer other than 200, for example 401 for a wrong key and 429 or
// 432 for a used-up plan.
type StatusError struct{ Status int }

// Error implements error.
func (e *StatusError) Error() string { return fmt.Sprintf("the search answered %d", e.Status) }

// request is the body of POST /search.
type request struct {
	Query          string   `json:"query"`
	MaxResults     int      `json:"max_results"`
	SearchDepth    string   `json:"search_depth"`
	IncludeDomains []string `json:"include_domains,omitempty"`
}

// answer is what is used of Tavily's.
type answer struct {
	Results []struct {
		Title   string `json:"title"`
		URL     string `json:"url"`
		Content string `json:"content"`
	} `json:"results"`
}

// Find searches once. Results without a web address are left out.
func (c *Client) Find(ctx context.Context, q reasoning.WebQuery) ([]reasoning.WebResult, error) {
	wanted := min(max(q.Max, 1), maxResults)
	body, err := json.Marshal(request{
		Query: page.Cut(page.Clean(q.Text), maxQuery), MaxResults: wanted, SearchDepth: "basic", IncludeDomains: q.Domains,
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/search", bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("web search: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.key.Reveal())
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("web search: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("web search: %w", &StatusError{res.StatusCode})
	}
	var a answer
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&a); err != nil {
		return nil, fmt.Errorf("web search: the answer cannot be read: %w", err)
	}
	var out []reasoning.WebResult
	for _, r := range a.Results {
		if len(out) == wanted {
			break
		}
		if len(r.URL) <= maxAddress && weburl.IsWeb(r.URL) {
			out = append(out, reasoning.WebResult{
				Title: page.Cut(page.Clean(r.Title), maxTitle), URL: r.URL, Snippet: page.Cut(page.Clean(r.Content), maxSnippet),
			})
		}
	}
	return out, nil
}
