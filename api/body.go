package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Caps on bodies, in bytes.
const (
	smallBody = 64 << 10
	// interactBody has room for the largest full page (5 million UTF-16 units,
	// up to 15 MB of UTF-8) with its escapes and a screenshot.
	interactBody = 25 << 20
)

// bodyTimeout is how long a client may take to send a body: 25 MB at 7 Mbit/s.
const bodyTimeout = 30 * time.Second

// readBody reads a JSON body that is at most limit bytes long.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if err := checkMediaType(r.Header); err != nil {
		return nil, err
	}
	tooLarge := domain.Errorf(domain.TooLarge, codeBadRequest, "the body is longer than %d bytes", limit)
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	setReadDeadline(w, time.Now().Add(s.bodyTimeout))
	// What a client announces it need not send: no more than this in advance.
	buf := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 0), 1<<20)+bytes.MinRead))
	n, err := buf.ReadFrom(io.LimitReader(r.Body, limit+1))
	switch {
	case err != nil:
		return nil, domain.Errorf(domain.Invalid, codeBadRequest, "the body could not be read to its end").Because(err)
	case n > limit:
		return nil, tooLarge
	}
	// The deadline has to go again: the server reads on in the background to
	// notice a client that hangs up, and would take an expired one for that. It
	// stays where the body did not end: the server wants to read the rest of it.
	setReadDeadline(w, time.Time{})
	return buf.Bytes(), nil
}

func checkMediaType(h http.Header) error {
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err != nil || media != "application/json" || charset != "" && charset != "utf-8" {
		return domain.Errorf(domain.Unsupported, codeBadRequest, "the body has to be application/json in UTF-8").At("Content-Type")
	}
	if encoding := h.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return domain.Errorf(domain.Unsupported, codeBadRequest, "the body must not be compressed").At("Content-Encoding")
	}
	return nil
}

// decode reads the call's body into a value.
func decode(ctx context.Context, into any) error { return decodeBody(callOf(ctx).body, into) }

// decodeBody reads a body into a value. What is no JSON object is
// INVALID_REQUEST; a field of the wrong type is a VALIDATION_ERROR naming it.
// Unknown fields are ignored: clients are newer than servers at times.
func decodeBody(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		e := domain.Errorf(domain.Invalid, codeBadRequest, "the body is not JSON: %s", syntax.Error())
		e.Details = map[string]any{"offset": syntax.Offset}
		return e
	case !bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")):
		return domain.Errorf(domain.Invalid, codeBadRequest, "the body is not a JSON object")
	case errors.As(err, &wrong):
		return invalid(jsonPath(wrong.Field), "this must not be a JSON %s", wrong.Value)
	case err != nil:
		return domain.Errorf(domain.Invalid, codeBadRequest, "the body cannot be decoded").Because(err)
	}
	return nil
}

// jsonPath drops the Go names of embedded structs from the path of a field:
// they begin with a capital letter, and no field of the contract does.
func jsonPath(field string) string {
	parts := strings.Split(field, ".")
	for len(parts) > 1 && parts[0] != "" && parts[0][0] >= 'A' && parts[0][0] <= 'Z' {
		parts = parts[1:]
	}
	return strings.Join(parts, ".")
}

// units is the length of a text as the client counts it: in UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// longerThan compares a text's length in UTF-16 units with a limit, without
// counting where the bytes already answer: no unit takes less than one.
func longerThan(s string, limit int) bool { return len(s) > limit && units(s) > limit }

// cut shortens a text to a number of UTF-16 units, between characters.
func cut(s string, limit int) string {
	if !longerThan(s, limit) {
		return s
	}
	n := 0
	for i, r := range s {
		if n++; r > 0xffff {
			n++
		}
		if n > limit {
			return s[:i]
		}
	}
	return s
}

// uuid normalises an id from a path, a query or a body.
func uuid(field, s string) (string, error) {
	if !domain.ValidUUID(s) {
		return "", invalid(field, "this is not a UUID")
	}
	return domain.NormalUUID(s), nil
}

// optionalUUID is uuid for a field that may be empty.
func optionalUUID(field, s string) (string, error) {
	if s == "" {
		return "", nil
	}
	return uuid(field, s)
}
