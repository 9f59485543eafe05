package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	otlp "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/stepledger/stepledger/domain/account"
)

var errAddress = errors.New("the address begins with http:// or https:// and has a host")

// spanSink sends spans by OTLP over HTTP.
type spanSink struct {
	*endpoint
	address string
	version string // of this service
}

func newSpanSink(name, base, path, version string, headers http.Header) (spanSink, error) {
	to, err := address(base, path)
	return spanSink{newEndpoint(name, headers), to, version}, err
}

// parseHeaders parses the form of OTEL_EXPORTER_OTLP_HEADERS: key=value, separated by
// commas, values percent-encoded. The error contains no value.
func parseHeaders(list account.Secret) (http.Header, error) {
	h := http.Header{}
	for pair := range strings.SplitSeq(list.Reveal(), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !ok || err != nil || key == "" {
			return nil, errors.New("headers are key=value,key=value with values percent-encoded")
		}
		h.Set(key, plain)
	}
	return h, nil
}

func basicAuth(user string, password account.Secret) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password.Reveal()))
}

// send sends a span and returns when it was accepted.
func (s spanSink) send(ctx context.Context, span *otlp.Span) error {
	body, err := proto.Marshal(s.request(span))
	if err != nil {
		return fmt.Errorf("encode a span: %w", err)
	}
	said, err := s.post(ctx, s.address, "application/x-protobuf", zipped(body), http.Header{"Content-Encoding": {"gzip"}})
	if err != nil {
		return err
	}
	var answer collector.ExportTraceServiceResponse
	if err := proto.Unmarshal(said, &answer); err != nil {
		return nil //nolint:nilerr // it was taken; some answer in JSON
	}
	if p := answer.GetPartialSuccess(); p.GetRejectedSpans() > 0 {
		why := p.GetErrorMessage()
		return fmt.Errorf("%s rejects it: %q", s.name, why[:min(len(why), maxReason)])
	}
	return nil
}

func (s spanSink) request(span *otlp.Span) *collector.ExportTraceServiceRequest {
	var us attributes
	us.text("service.name", "stepledger")
	us.text("service.version", s.version)
	return &collector.ExportTraceServiceRequest{ResourceSpans: []*otlp.ResourceSpans{{
		Resource: &resource.Resource{Attributes: us},
		ScopeSpans: []*otlp.ScopeSpans{{
			Scope: &common.InstrumentationScope{Name: "stepledger", Version: s.version}, Spans: []*otlp.Span{span},
		}},
	}}}
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}
