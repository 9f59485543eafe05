package observe_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/observe"
)

// documents answer with what they were given.
type documents struct {
	chunks []reasoning.Chunk
	err    error
}

func (d documents) Find(context.Context, string, string, string) ([]reasoning.Chunk, bool, error) {
	return d.chunks, true, d.err
}

// Given documents that answer, have nothing, fail or are late, when turns ask them, then
// the answer is passed on, each is counted by how it ended, and no words are logged.
func TestKnowledge(t *testing.T) {
	t.Parallel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	found := []reasoning.Chunk{{ID: "a", Text: "private words"}, {ID: "b", Public: true}, {ID: "c", Public: true}}
	for name, tt := range map[string]struct {
		ctx     context.Context
		said    documents
		outcome string
		warned  bool
	}{
		"some":    {t.Context(), documents{chunks: found}, "ok", false},
		"nothing": {t.Context(), documents{}, "empty", false},
		"failed":  {t.Context(), documents{err: errors.New("down")}, "failed", true},
		"late":    {late, documents{err: context.DeadlineExceeded}, "late", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			r := prometheus.NewRegistry()
			k := observe.NewKnowledge(tt.said, slog.New(slog.NewTextHandler(&out, nil)), r)
			chunks, known, err := k.Find(tt.ctx, "acme", "https://private.example/", "private words")
			if len(chunks) != len(tt.said.chunks) || !known || !errors.Is(err, tt.said.err) {
				t.Errorf("%d, %v, %v", len(chunks), known, err)
			}
			want := `
# HELP stepledger_knowledge_finds_total Questions of turns to documents, by how they ended; late is one that was not answered in time.
# TYPE stepledger_knowledge_finds_total counter
stepledger_knowledge_finds_total{outcome="` + tt.outcome + `"} 1
`
			if len(chunks) > 0 {
				want += `
# HELP stepledger_knowledge_pieces_total Pieces of documents found for turns: of the organisation's own, or public.
# TYPE stepledger_knowledge_pieces_total counter
stepledger_knowledge_pieces_total{of="organisation"} 1
stepledger_knowledge_pieces_total{of="public"} 2
`
			}
			if err := testutil.GatherAndCompare(r, strings.NewReader(want), "stepledger_knowledge_finds_total", "stepledger_knowledge_pieces_total"); err != nil {
				t.Error(err)
			}
			if n, err := testutil.GatherAndCount(r, "stepledger_knowledge_find_seconds"); n != 1 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			if log := out.String(); (log != "") != tt.warned || strings.Contains(log, "private") {
				t.Errorf("logged %q", log)
			}
		})
	}
}
