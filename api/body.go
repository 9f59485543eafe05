package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/api/strictjson"
	"github.com/stepledger/stepledger/domain"
)

// Caps on bodies, in bytes, of what they are once they are opened.
const (
	smallBody = 64 << 10
	// interactBody is enough for the largest full page (5 million UTF-16 units, up to
	// 15 MB of UTF-8) with its escapes and a screenshot.
	interactBody = 25 << 20
)

// inAdvance holds nearly every page there is.
const inAdvance = 1 << 20

// bodyTimeout is how long a client may take to send a body: 25 MB at 7 Mbit/s.
const bodyTimeout = 30 * time.Second

// readBody reads a JSON body of at most limit bytes, compressed or not, and opens it. They count against the bytes of
// all bodies under way until the request is answered.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if err := checkMediaType(r.Header); err != nil {
		return nil, err
	}
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	setReadDeadline(w, time.Now().Add(s.bodyTimeout))
	c := callOf(r.Context())
	body, done, err := s.opened(c, r, limit)
	if err != nil {
		return nil, err
	}
	defer done()
	// Content-Length is only announced: allocate no more than this before anything comes.
	buf, err := s.grow(c, nil, min(max(r.ContentLength, 0), inAdvance)+bytes.MinRead)
	for err == nil {
		var n int
		n, err = body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return nil, tooLarge(limit)
		case err == nil && len(buf) == cap(buf):
			size := min(2*int64(cap(buf)), limit+bytes.MinRead)
			if whole := r.ContentLength + bytes.MinRead; whole > int64(cap(buf)) {
				size = whole
			}
			buf, err = s.grow(c, buf, size)
		}
	}
	if busy := new(domain.Error); errors.As(err, &busy) {
		return nil, busy
	}
	if errors.Is(err, errLong) {
		return nil, tooLarge(limit)
	}
	if !errors.Is(err, io.EOF) {
		return nil, unreadable(err)
	}
	// Remove the deadline: the server keeps reading in the background to notice a
	// client that hangs up, and would take an expired deadline for that. If the body
	// did not end it stays, because the server then reads the rest.
	setReadDeadline(w, time.Time{})
	return buf, nil
}

// grow returns a larger buffer if the budget allows it.
func (s *Server) grow(c *call, buf []byte, size int64) ([]byte, error) {
	if err := s.bodies.take(c, size-int64(cap(buf))); err != nil {
		return nil, err
	}
	larger := make([]byte, len(buf), size)
	copy(larger, buf)
	return larger, nil
}

func tooLarge(limit int64) error {
	return domain.Errorf(domain.TooLarge, domain.CodeInvalidRequest, "the body is longer than %d bytes", limit)
}

func checkMediaType(h http.Header) error {
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err != nil || media != "application/json" || charset != "" && charset != "utf-8" {
		return domain.Errorf(domain.Unsupported, domain.CodeInvalidRequest, "the body has to be application/json in UTF-8").At("Content-Type")
	}
	return nil
}

// Limits of a JSON body. A decoded value takes up to 200 bytes, so 25 MB of empty
// objects would become 1.6 GB; they are counted first. A tree of 20,000 nodes, the
// most that is read, has a quarter of these values.
var documentLimits = strictjson.Limits{Depth: 100, Items: 50_000, Values: 1_000_000, Fold: 100}

// decodeBody reads a body into a value. What is no JSON object in UTF-8, or names a
// field twice, is INVALID_REQUEST; a field of the wrong type is a VALIDATION_ERROR
// naming it. Unknown fields are ignored: clients are newer than servers at times.
func decodeBody(raw []byte, into any, l strictjson.Limits) error {
	err := strictjson.Unmarshal(raw, into, l)
	var fault *strictjson.Fault
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &fault):
		return faulty(fault, l)
	case errors.As(err, &syntax):
		e := domain.Errorf(domain.Invalid, domain.CodeInvalidRequest, "the body is not JSON: %s", syntax.Error())
		e.Details = map[string]any{"offset": syntax.Offset}
		return e
	case !bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")):
		return domain.Errorf(domain.Invalid, domain.CodeInvalidRequest, "the body is not a JSON object")
	case errors.As(err, &wrong):
		kind, number, _ := strings.Cut(wrong.Value, " ")
		if number != "" { // it is not repeated: it may be megabytes long
			return invalid(jsonPath(wrong.Field), "this number has a fraction, or is too large")
		}
		return invalid(jsonPath(wrong.Field), "this must not be a JSON %s", kind)
	case err != nil:
		return domain.Errorf(domain.Invalid, domain.CodeInvalidRequest, "the body cannot be decoded").Because(err)
	}
	return nil
}

// faulty says what of a document is not taken.
func faulty(fault *strictjson.Fault, l strictjson.Limits) error {
	invalid := func(format string, args ...any) error {
		return domain.Errorf(domain.Invalid, domain.CodeInvalidRequest, format, args...).At(fault.Path)
	}
	switch fault.Reason {
	case strictjson.NotUTF8:
		return invalid("the text here is not UTF-8")
	case strictjson.Duplicate:
		return invalid("this field is given twice")
	case strictjson.TooDeep:
		return invalid("values are nested more than %d deep", l.Depth)
	case strictjson.TooMany:
		return domain.Errorf(domain.TooLarge, domain.CodeInvalidRequest,
			"more than %d values in one list or object, or %d in the body", l.Items, l.Values).At(fault.Path)
	}
	return fault
}

// jsonPath removes the names of embedded Go structs from a field's path, wherever they
// stand. They begin with a capital letter, which no field of the contract does.
func jsonPath(field string) string {
	parts := strings.Split(field, ".")
	last := len(parts) - 1
	embedded := func(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }
	return strings.Join(append(slices.DeleteFunc(parts[:last:last], embedded), parts[last]), ".")
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
