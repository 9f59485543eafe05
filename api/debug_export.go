package api

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/stepledger/stepledger/commands/replay"
)

// ExportData is a task with all that is recorded of it, without secrets. `task import` and
// `task replay` read it. It is written an item at a time, see writeExport.
type ExportData struct {
	Format     int                    `json:"format" doc:"The version of this form."`
	TaskID     string                 `json:"taskId" format:"uuid"`
	ExportedAt time.Time              `json:"exportedAt"`
	Missing    []string               `json:"missing" nullable:"false" doc:"What was erased or has expired."`
	StateHash  string                 `json:"stateHash" doc:"SHA-256 of the state the events fold to."`
	Events     []replay.ExportedEvent `json:"events" nullable:"false" doc:"In clear, oldest first."`
	Calls      []map[string]any       `json:"calls" nullable:"false" doc:"Model calls with what is kept of their answers."`
	Content    map[string]string      `json:"content" doc:"Pages by reference, as they were captured."`
}

type exportInput struct {
	TaskID string `path:"taskId" format:"uuid"`
}

// sessionExport sends a task as it comes. The route is named as the specification has it:
// the session of the debugger, which is about one task.
func (s *Server) sessionExport(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	id, err := uuid("taskId", in.TaskID)
	if err != nil {
		return nil, err
	}
	x, err := s.Exporter.Export(ctx, caller(ctx).TenantID, id, s.Now())
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		file := download{"application/json", "task-" + id + ".json"}
		s.stream(w, r, file, func(_ context.Context, out http.ResponseWriter) error { return writeExport(out, x) })
	}}, nil
}

// writeExport writes an export in its envelope, an item at a time: the whole of it would
// be in memory twice.
func writeExport(w io.Writer, x replay.Export) error {
	out := pieces{w: w}
	out.text(`{"success":true,"data":{`)
	for _, head := range []struct {
		name  string
		value any
	}{
		{"format", x.Format}, {"taskId", x.TaskID}, {"exportedAt", x.ExportedAt}, {"missing", append([]string{}, x.Missing...)}, {"stateHash", x.StateHash},
	} {
		out.value(head.name)
		out.text(`:`)
		out.value(head.value)
		out.text(`,`)
	}
	out.text(`"events":[`)
	for i, e := range x.Events {
		out.item(i, e)
	}
	out.text(`],"calls":[`)
	for i, c := range x.Calls {
		out.item(i, c)
	}
	out.text(`],"content":{`)
	for i, ref := range slices.Sorted(maps.Keys(x.Content)) {
		out.item(i, ref)
		out.text(`:`)
		out.value(x.Content[ref])
	}
	out.text("}}}\n")
	return out.err
}

// pieces writes JSON piece by piece until one fails.
type pieces struct {
	w   io.Writer
	err error
}

func (p *pieces) text(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

func (p *pieces) value(v any) {
	b, err := json.Marshal(v)
	if p.err == nil {
		p.err = err
	}
	p.text(string(b))
}

func (p *pieces) item(i int, v any) {
	if i > 0 {
		p.text(",")
	}
	p.value(v)
}
