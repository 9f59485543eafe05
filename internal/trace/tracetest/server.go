// Package tracetest is a server for the protocols of tracing systems: OTLP over HTTP,
// Langfuse's scores and Sentry's envelopes. It keeps what it accepted and refuses
// what OTLP forbids. Failures can be injected.
package tracetest

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a received span.
type Span struct {
	Trace, ID, Parent, Name string
	Kind                    string
	Failed                  bool
	Start, End              uint64
	// Attributes as text, as fmt.Sprint has them.
	Attributes map[string]string
}

// Score is a received Langfuse score.
type Score struct {
	ID, TraceID, ObservationID, Name, DataType string
	Value                                      float64
}

// Server is the receiving server. It is safe for concurrent use.
type Server struct {
	URL string

	mu        sync.Mutex
	trouble   []http.HandlerFunc
	spans     []Span
	scores    []Score
	envelopes []string
	auth      []string
	requests  int
	wire      [][]byte
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", s.takeSpans)
	mux.HandleFunc("POST /api/public/otel/v1/traces", s.takeSpans)
	mux.HandleFunc("POST /api/public/scores", s.takeScore)
	mux.HandleFunc("POST /api/1/envelope/", s.takeEnvelope)
	web := httptest.NewServer(s.troubled(mux))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	s.URL = web.URL
	return s
}

// Trouble answers the next requests, one handler each.
func (s *Server) Trouble(next ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = append(s.trouble, next...)
}

func (s *Server) troubled(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests++
		s.auth = append(s.auth, r.Header.Get("Authorization"))
		h := next.ServeHTTP
		if len(s.trouble) > 0 {
			h, s.trouble = s.trouble[0], s.trouble[1:]
		}
		s.mu.Unlock()
		h(w, r)
	})
}

func (s *Server) takeSpans(w http.ResponseWriter, r *http.Request) {
	body, err := s.body(r)
	var q collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &q)
	}
	if err == nil && r.Header.Get("Content-Type") != "application/x-protobuf" {
		err = errors.New("not said to be protobuf")
	}
	var came []Span
	for _, rs := range q.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			for _, span := range ss.GetSpans() {
				err = errors.Join(err, check(span))
				came = append(came, read(span))
			}
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spans = append(s.spans, came...)
	w.Header().Set("Content-Type", "application/x-protobuf")
	answer, _ := proto.Marshal(&collector.ExportTraceServiceResponse{})
	_, _ = w.Write(answer)
}

// check refuses what OTLP forbids.
func check(s *otlp.Span) (err error) {
	const traceLen, spanLen = 16, 8
	seen := map[string]bool{}
	for _, a := range s.GetAttributes() {
		if seen[a.GetKey()] {
			err = fmt.Errorf("attribute %s is there twice", a.GetKey())
		}
		seen[a.GetKey()] = true
	}
	switch parent := len(s.GetParentSpanId()); {
	case len(s.GetTraceId()) != traceLen, len(s.GetSpanId()) != spanLen, parent != 0 && parent != spanLen:
		return errors.New("an id has not its length")
	case s.GetEndTimeUnixNano() < s.GetStartTimeUnixNano(), s.GetStartTimeUnixNano() == 0, s.GetName() == "":
		return errors.New("a span without name or time")
	}
	return err
}

func read(s *otlp.Span) Span {
	out := Span{
		Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
		Name: s.GetName(), Kind: strings.TrimPrefix(s.GetKind().String(), "SPAN_KIND_"),
		Failed: s.GetStatus().GetCode() == otlp.Status_STATUS_CODE_ERROR,
		Start:  s.GetStartTimeUnixNano(), End: s.GetEndTimeUnixNano(), Attributes: map[string]string{},
	}
	for _, a := range s.GetAttributes() {
		out.Attributes[a.GetKey()] = text(a.GetValue())
	}
	return out
}

func text(v *common.AnyValue) string {
	switch v := v.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return v.StringValue
	case *common.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10)
	case *common.AnyValue_DoubleValue:
		return fmt.Sprint(v.DoubleValue)
	case *common.AnyValue_BoolValue:
		return strconv.FormatBool(v.BoolValue)
	case *common.AnyValue_ArrayValue:
		var all []string
		for _, each := range v.ArrayValue.GetValues() {
			all = append(all, text(each))
		}
		return strings.Join(all, ",")
	}
	return ""
}

func (s *Server) takeScore(w http.ResponseWriter, r *http.Request) {
	body, err := s.body(r)
	var score Score
	if err == nil {
		err = json.Unmarshal(body, &score)
	}
	if err != nil || score.ID == "" || score.TraceID == "" {
		http.Error(w, fmt.Sprint("no score: ", err), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scores = append(s.scores, score)
	_ = json.NewEncoder(w).Encode(map[string]string{"id": score.ID})
}

func (s *Server) takeEnvelope(w http.ResponseWriter, r *http.Request) {
	body, err := s.body(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.envelopes = append(s.envelopes, string(body))
	_, _ = w.Write([]byte("{}"))
}

func (s *Server) body(r *http.Request) ([]byte, error) {
	from := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		from = unzipped
	}
	b, err := io.ReadAll(from)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wire = append(s.wire, b)
	return b, err
}

// Spans returns the accepted spans, including repeats.
func (s *Server) Spans() []Span { return locked(s, &s.spans) }

// Scores returns the accepted scores, including repeats.
func (s *Server) Scores() []Score { return locked(s, &s.scores) }

// Envelopes returns the bodies sent to Sentry.
func (s *Server) Envelopes() []string { return locked(s, &s.envelopes) }

// Authorizations returns those of all requests.
func (s *Server) Authorizations() []string { return locked(s, &s.auth) }

// Wire returns every received body, unzipped.
func (s *Server) Wire() string {
	var b strings.Builder
	for _, body := range locked(s, &s.wire) {
		b.Write(body)
	}
	return b.String()
}

// Requests counts the received requests, refused or not.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func locked[T any](s *Server, of *[]T) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(*of)
}
