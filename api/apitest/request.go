package apitest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// request is one that can be sent, and shown as a command.
type request struct {
	call
	// segments replace the parameters of the path.
	segments map[string]string
	// query is what stands behind the question mark, encoded.
	query  string
	header http.Header
	// body is nil where none is sent.
	body []byte
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// sendWithin is longer than any answer may take: reads that wait for a position of the
// log give up after five seconds.
const sendWithin = 30 * time.Second

func (r request) target() string {
	target := r.path
	for name, text := range r.segments {
		target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(text))
	}
	if r.query != "" {
		target += "?" + r.query
	}
	return target
}

func (r request) send(ctx context.Context, base string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, base+r.target(), body)
	if err != nil {
		return answer{}, err
	}
	maps.Copy(req.Header, r.header)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, text}, err
}

// curl shows a request as a command for a shell. The token is $TOKEN, and of a long
// body the beginning is shown.
func (r request) curl(base string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "curl -i -X %s %s", r.method, quote(base+r.target()))
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		for _, v := range r.header[name] {
			if name == "Authorization" {
				fmt.Fprintf(&b, ` -H "Authorization: Bearer $TOKEN"`)
				continue
			}
			fmt.Fprintf(&b, " -H %s", quote(name+": "+v))
		}
	}
	if r.body != nil {
		fmt.Fprintf(&b, " --data-binary %s", quote(string(shortened(r.body))))
	}
	return b.String()
}

// longestShown is how much of a body is shown.
const longestShown = 1500

func shortened(text []byte) []byte {
	if len(text) <= longestShown {
		return text
	}
	return fmt.Appendf(slices.Clone(text[:longestShown]), "…(%d bytes)", len(text))
}

// quote is a text as one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
