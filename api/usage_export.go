package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/usage"
)

const (
	// exportWithin bounds a whole export, writeWithin each piece of it: a client that
	// takes nothing for so long has gone.
	exportWithin = 2 * time.Hour
	writeWithin  = 30 * time.Second

	csvType = "text/csv; charset=utf-8"
)

type usageExportInput struct {
	Freshness
	UsageChoice
	Format   string `query:"format" default:"csv" enum:"csv,focus" doc:"A row for each call; or a row for each meter of a bill, as FOCUS 1.4 has it."`
	TimeZone string `query:"timeZone" maxLength:"64" doc:"IANA name, for times, day and month of csv; the tenant's if absent. FOCUS is in UTC."`
}

// usageExport sends the calls of the caller's tenant as they come: however many
// there are, nothing is held back. Once the first bytes are out an error can only be
// told by breaking off.
func (s *Server) usageExport(ctx context.Context, in *usageExportInput) (*huma.StreamResponse, error) {
	e := ledger.Export{Format: ledger.ExportFormat(in.Format), Zone: in.TimeZone}
	var err error
	if e.Selection, err = s.selection(ctx, in.UsageChoice); err != nil {
		return nil, err
	}
	if err := s.await(ctx, in.Freshness, usage.Projection); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humachi.Unwrap(hc)
		s.stream(w, r, download{csvType, "usage.csv"}, func(ctx context.Context, out http.ResponseWriter) error { return s.Billing.Export(ctx, out, e) })
	}}, nil
}

// download is what a client is to make of a streamed answer.
type download struct{ contentType, filename string }

// stream sends what write writes, piece by piece.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, file download, write func(context.Context, http.ResponseWriter) error) {
	c := callOf(r.Context())
	ctx, cancel := context.WithTimeout(c.ctx, exportWithin)
	defer cancel()
	w.Header().Set("Content-Type", file.contentType)
	w.Header().Set("Content-Disposition", `attachment; filename="`+file.filename+`"`)
	if r.Method == http.MethodHead {
		return
	}
	out := &streamWriter{ResponseWriter: w, control: http.NewResponseController(w)}
	switch err := write(ctx, out); {
	case err == nil:
	case !out.begun:
		w.Header().Del("Content-Disposition")
		s.writeError(w, r, err)
	default:
		s.log.WarnContext(c.ctx, "export broken off", "error", err, "gone", c.gone())
		panic(http.ErrAbortHandler) // the client sees that the end is missing
	}
}

// streamWriter passes an answer on as it is written.
type streamWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

// Write implements io.Writer.
func (w *streamWriter) Write(p []byte) (int, error) {
	if !w.begun {
		release(w.ResponseWriter)
		w.begun = true
	}
	// It is no fault where there is none to set, as in tests.
	_ = w.control.SetWriteDeadline(time.Now().Add(writeWithin))
	n, err := w.ResponseWriter.Write(p)
	if err == nil {
		err = w.control.Flush()
	}
	return n, err
}

// release has the writer that holds answers back let this one through.
func release(w http.ResponseWriter) {
	if held := holder(w); held != nil {
		held.release()
	}
}

// asItIs has an answer not compressed.
func asItIs(w http.ResponseWriter) {
	if held := holder(w); held != nil {
		held.plain = true
	}
}

// holder returns the writer that holds an answer back, nil if there is none.
func holder(w http.ResponseWriter) *heldWriter {
	for {
		if held, ok := w.(*heldWriter); ok {
			return held
		}
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil
		}
		w = inner.Unwrap()
	}
}
