package knowledge_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/projections/projtest"
)

// What the search finds in a small handbook of many things, of which a part is nearly like
// another. The floors are what it has reached: a change that falls below is one for the
// worse.
const (
	floorRecall5 = 1.0
	floorMRR     = 0.97
)

func TestSearch_FindsInAHandbook(t *testing.T) {
	t.Parallel()
	var set struct {
		Chunks []struct {
			ID   string
			Path []string
			Text string
		}
		Questions []struct{ Kind, Text, Want string }
	}
	raw, err := os.ReadFile("testdata/handbook.json")
	if err == nil {
		err = json.Unmarshal(raw, &set)
	}
	if err != nil {
		t.Fatal(err)
	}
	e := projtest.New(t)
	q := queries(e)
	l := source(e)
	for i, c := range set.Chunks {
		path := strconv.Itoa(i)
		version := l.receive(path)
		l.text(version, knowledge.TextAdded{Source: l.source, Document: l.document(path), Version: version, Chunks: []knowledge.Chunk{{Path: c.Path, Text: c.Text}}})
		l.indexed(path, 1)
	}
	texts := map[string]string{}
	for _, c := range set.Chunks {
		texts[c.Text] = c.ID
	}
	found, reciprocal, asked := 0.0, 0.0, 0.0
	for _, question := range set.Questions {
		var ids []string
		for _, text := range find(t, e, q, question.Text) {
			ids = append(ids, texts[text])
		}
		if question.Want == "" {
			if len(ids) > 0 {
				t.Errorf("%q finds %v, and there is nothing", question.Text, ids)
			}
			continue
		}
		asked++
		at := slices.Index(ids, question.Want)
		if at >= 0 {
			reciprocal += 1 / float64(at+1)
		}
		if at >= 0 && at < 5 {
			found++
		}
		if at != 0 {
			t.Logf("%s %q: %s is number %d of %v", question.Kind, question.Text, question.Want, at+1, ids[:min(len(ids), 5)])
		}
	}
	recall, mrr := found/asked, reciprocal/asked
	t.Logf("recall@5 %.3f, MRR %.3f of %.0f questions", recall, mrr, asked)
	if recall < floorRecall5 || mrr < floorMRR {
		t.Errorf("recall@5 %.3f and MRR %.3f, want %.3f and %.3f", recall, mrr, floorRecall5, floorMRR)
	}
}
