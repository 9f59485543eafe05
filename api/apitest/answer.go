package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// faults lists what is wrong with the answer to an attempt.
func (a attempt) faults(doc *Document, codes map[string]bool, got answer) (faults []string) {
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	switch success := got.status >= 200 && got.status < 300; {
	case got.status == http.StatusInternalServerError || got.status > 500 && got.status != http.StatusServiceUnavailable:
		add("a fault of the server")
	case got.status == http.StatusServiceUnavailable && a.path != "/api/health":
		add("the server was unavailable")
	case a.status != 0 && got.status != a.status:
		add("status %d, want %d", got.status, a.status)
	case a.want == served && !success:
		add("a valid request is not served")
	case a.want == refused && success:
		add("it is accepted")
	case a.want == acceptable && isBadInput(got.status):
		add("it fits the description and is refused")
	}
	if got.header.Get("X-Request-Id") == "" {
		add("there is no X-Request-Id")
	}
	if got.status >= 400 && a.path != "/api/health" {
		faults = append(faults, a.envelopeFaults(codes, got)...)
	}
	if a.method != "GET" && a.method != "POST" || a.status == http.StatusMethodNotAllowed {
		if got.header.Get("Allow") == "" {
			add("there is no Allow")
		}
		return faults // no operation
	}
	return append(faults, descriptionFaults(doc, a.call, got)...)
}

func isBadInput(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnsupportedMediaType
}

// fieldCodes are those of errors that are a field's.
var fieldCodes = []string{"VALIDATION_ERROR", "INVALID_ACTION_FORMAT"}

// envelopeFaults are those of an error: its shape, its code, the field it names.
func (a attempt) envelopeFaults(codes map[string]bool, got answer) (faults []string) {
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	var e struct {
		Success    *bool
		Code       string
		Message    string
		RetryAfter int
		Details    struct{ Field, Reason string }
	}
	if err := json.Unmarshal(got.body, &e); err != nil {
		return []string{"the error is no JSON: " + err.Error()}
	}
	if e.Success == nil || *e.Success || e.Message == "" {
		add("the error has no envelope")
	}
	if !codes[e.Code] {
		add("nobody knows the code %q", e.Code)
	}
	if a.code != "" && e.Code != a.code {
		add("code %s, want %s", e.Code, a.code)
	}
	about := withoutIndexes(e.Details.Field)
	if a.field != "" && slices.Contains(fieldCodes, e.Code) && !isAbout(about, withoutIndexes(a.field)) {
		add("it blames %q, not %s", e.Details.Field, a.field)
	}
	if slices.Contains(fieldCodes, e.Code) && e.Details.Reason == "" {
		add("it gives no reason")
	}
	retry := got.header.Get("Retry-After")
	if hinted := got.status == http.StatusTooManyRequests || got.status == http.StatusServiceUnavailable; hinted && retry == "" {
		add("there is no Retry-After")
	}
	if e.RetryAfter != 0 && retry != strconv.Itoa(e.RetryAfter) {
		add("retryAfter is %d, Retry-After %q", e.RetryAfter, retry)
	}
	if got.status == http.StatusUnauthorized && got.header.Get("WWW-Authenticate") != "Bearer" {
		add("WWW-Authenticate is %q", got.header.Get("WWW-Authenticate"))
	}
	return faults
}

// isAbout reports whether an error that names one field is about another: the same, or
// one of the two is inside of the other.
func isAbout(named, field string) bool {
	return named == field || named != "" && (strings.HasPrefix(field, named+".") || strings.HasPrefix(named, field+"."))
}

// descriptionFaults are where an answer is not what the description says.
func descriptionFaults(doc *Document, c call, got answer) (faults []string) {
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	op := doc.operation(c)
	r := doc.response(op, strconv.Itoa(got.status))
	if r == nil {
		return []string{fmt.Sprintf("the description has no status %d", got.status)}
	}
	if len(op.Security) > 0 {
		for name, h := range r.Headers {
			if fault := headerFault(doc.header(h), got.header.Get(name)); fault != "" && name != "X-Projection-Lag" {
				add("the header %s %s", name, fault)
			}
		}
	}
	if len(r.Content) == 0 {
		if len(got.body) > 0 {
			add("the description has no body")
		}
		return faults
	}
	media, _, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	content, ok := r.Content[media]
	if err != nil || !ok {
		add("the media type is %q, want one of %v", got.header.Get("Content-Type"), slices.Sorted(maps.Keys(r.Content)))
		return faults
	}
	if media != jsonMedia {
		return faults
	}
	v, err := decodeJSON(got.body)
	if err != nil {
		add("the body is no JSON: %v", err)
		return faults
	}
	for _, m := range doc.misfits(content.Schema, v) {
		add("the answer does not fit: %s", m)
	}
	return faults
}

// headerFault says what is wrong with a header, "" for nothing.
func headerFault(h *Header, text string) string {
	switch {
	case text == "":
		return "is missing"
	case slices.Contains(h.Schema.Type, "integer"):
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return "is no integer"
		}
	}
	return ""
}
