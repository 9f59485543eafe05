package main

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom/domtest"
)

// hostileTurns are first requests that are as large as they may be and made to cost
// more: tasks of thousands of pieces, on pages of thousands of fields and buttons.
func hostileTurns() (bodies []map[string]any) {
	for _, shape := range domtest.Hostile {
		var query string
		switch shape.Suffix {
		case "labels", "radios", "values":
			query = "fill the form: " + strings.Repeat("a; ", 3_300)
		case "buttons":
			query = "delete " + strings.Repeat("save 5 a ", 1_000)
		case "options":
			query = strings.Repeat("select a from b; ", 95)
		case "percent":
			query = "press the button"
		default:
			continue
		}
		bodies = append(bodies, map[string]any{"url": "https://clinic.example/", "query": query, "domMode": "full", "dom": shape.Page(page.MaxDOM - 50_000)})
	}
	return bodies
}

// TestHostileTurns: six at once are answered, none is left open, and each task goes on
// with what the user says then.
func TestHostileTurns(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	var wg sync.WaitGroup
	for _, body := range hostileTurns() {
		wg.Go(func() {
			r, err := s.client.interact(t.Context(), domain.NewUUID(), body)
			if err != nil {
				t.Error(err)
				return
			}
			if r.status != http.StatusOK {
				t.Errorf("%.20q…: %d %.200s", body["query"], r.status, r.body)
				return
			}
			a := data[interact.Answer](t, r)
			again := map[string]any{"url": body["url"], "taskId": a.TaskID, "dom": `<label>Name<input id=n></label>`, "query": "enter 'Jas' as the name"}
			if r, err = s.client.interact(t.Context(), domain.NewUUID(), again); err != nil || r.status != http.StatusOK {
				t.Errorf("%.20q…, after a reply: %d %.200s %v", body["query"], r.status, r.body, err)
			}
		})
	}
	wg.Wait()
}

// BenchmarkHostileTurn: the same, one after the other, beside one parse of the page and
// two durable inserts.
func BenchmarkHostileTurn(b *testing.B) {
	for range b.N {
		s := newServer(b, hooks{})
		ref := newReference(b, s.url)
		var ours, theirs samples
		for _, body := range hostileTurns() {
			ref.page, _ = body["dom"].(string)
			ours.took = append(ours.took, nil)
			theirs.took = append(theirs.took, nil)
			for range 5 {
				start := time.Now()
				if r, err := s.client.interact(b.Context(), domain.NewUUID(), body); err != nil || r.status != http.StatusOK {
					b.Fatalf("%.20q…: %d %v", body["query"], r.status, err)
				}
				last := len(ours.took) - 1
				ours.took[last] = append(ours.took[last], time.Since(start))
				theirs.took[last] = append(theirs.took[last], ref.op(0))
			}
		}
		bar("turn.hostile_p50", ours.quantile(0.50), theirs.quantile(0.50), "ms")
		bar("turn.hostile_worst", ours.worst(), theirs.worst(), "ms")
	}
}

// worst is the largest of the rounds' medians, in milliseconds.
func (s *samples) worst() (most float64) {
	for _, took := range s.took {
		most = max(most, (&samples{took: [][]time.Duration{took}}).quantile(0.50))
	}
	return most
}
