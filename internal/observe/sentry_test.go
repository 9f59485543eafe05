package observe_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/observe"
	"github.com/stepledger/stepledger/internal/trace/tracetest"
)

// reporter is a logger that reports to a server.
func reporter(t *testing.T, s *tracetest.Server) (log *slog.Logger, text *bytes.Buffer, flush func()) {
	t.Helper()
	text = &bytes.Buffer{}
	dsn := account.Secret(strings.Replace(s.URL, "http://", "http://public@", 1) + "/1")
	h, flush, err := observe.ReportErrors(slog.NewTextHandler(text, nil), dsn, "v1")
	if err != nil {
		t.Fatal(err)
	}
	return slog.New(h), text, flush
}

func TestReportErrors_OnlyErrorsAndNothingOfAnybodys(t *testing.T) {
	t.Parallel()
	server := tracetest.New(t)
	log, text, flush := reporter(t, server)
	const id = "task-11111111-1111-4111-8111-111111111111"
	log.Warn("only a warning", "error", errors.New("a warning's"))
	log.With("tenant", "acme").Error("projection stopped", "stream", id, "query", "Jas", "error", errors.New(
		`read "Jas was here" of jo@acme.example at postgres://jo:hunter2@db.example/x?p=hunter2: api key: hunter2, AIzaSyA1234567890abcdefghijklmnop, code DATABASE_ERROR`))
	flush()
	got := strings.Join(server.Envelopes(), "\n")
	for _, want := range []string{"projection stopped", id, "acme", "DATABASE_ERROR", "db.example", "stepledger@v1", "sentry_test.go"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	for _, never := range []string{"warning", "Jas", "jo@", "hunter2", "AIzaSy"} {
		if strings.Contains(got, never) {
			t.Errorf("%s is in %s", never, got)
		}
	}
	if logged := text.String(); strings.Count(logged, "\n") != 2 || !strings.Contains(logged, "Jas was here") {
		t.Errorf("the log itself has %s", logged)
	}
}

// The server takes the first report and never answers: more than fit are logged,
// nobody waits.
func TestReportErrors_AServerThatNeverAnswersHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	server := tracetest.New(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	server.Trouble(func(http.ResponseWriter, *http.Request) { <-release })
	log, text, _ := reporter(t, server)
	const many = 1000
	for range many {
		log.Error("failed", "error", errors.New("why"))
	}
	if n := strings.Count(text.String(), "\n"); n != many {
		t.Errorf("%d of %d were logged", n, many)
	}
}

func TestReportErrors_ABadDSNIsNotShown(t *testing.T) {
	t.Parallel()
	for _, dsn := range []account.Secret{"hunter2", "https://host/hunter2"} {
		if _, _, err := observe.ReportErrors(slog.DiscardHandler, dsn, ""); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("it says %v", err)
		}
	}
}
