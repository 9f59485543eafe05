package task_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

// Given what a task was shown, when something is found, then it is recorded only where it
// is not the same: other pieces, or that nobody could be asked.
func TestFindKnowledge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)
	wards := reasoning.Citation{DocumentID: "d1", VersionID: "v1", ChunkID: "v1.3", Document: "Wards", At: at}
	fees := reasoning.Citation{DocumentID: "d2", VersionID: "v9", ChunkID: "v9.1", Document: "Fees", At: at}
	moved, elsewhere := wards, wards
	moved.VersionID, moved.ChunkID = "v2", "v2.3"
	elsewhere.At = at.In(time.FixedZone("", 3600))
	shown := task.KnowledgeFound{For: reasoning.ForContext, Known: true, Chunks: []string{"v1.3"}, Pieces: "ref", Citations: []reasoning.Citation{wards}}
	for name, tt := range map[string]struct {
		before, found task.KnowledgeFound
		want          bool
	}{
		"nothing, as before":         {task.KnowledgeFound{}, task.KnowledgeFound{}, false},
		"something":                  {task.KnowledgeFound{}, shown, true},
		"that the site is known":     {task.KnowledgeFound{}, task.KnowledgeFound{Known: true}, true},
		"the same":                   {shown, task.KnowledgeFound{Known: true, Citations: []reasoning.Citation{elsewhere}}, false},
		"a newer version":            {shown, task.KnowledgeFound{Known: true, Citations: []reasoning.Citation{moved}}, true},
		"one more":                   {shown, task.KnowledgeFound{Known: true, Citations: []reasoning.Citation{wards, fees}}, true},
		"nothing any more":           {shown, task.KnowledgeFound{}, true},
		"nobody who could be asked":  {shown, task.KnowledgeFound{Failed: true}, true},
		"still nobody who could be":  {task.KnowledgeFound{Failed: true}, task.KnowledgeFound{Failed: true}, false},
		"the same, for another need": {shown, task.KnowledgeFound{For: reasoning.ForMissing, Value: "ward", Known: true, Citations: []reasoning.Citation{wards}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := put(t, fold(observedFor(1, first)), task.FindKnowledge{Found: tt.before})
			events, s := put(t, s, task.FindKnowledge{Found: tt.found})
			if (len(events) == 1) != tt.want {
				t.Fatalf("%d events: %+v", len(events), events)
			}
			if !tt.want {
				return
			}
			want := tt.found
			want.Turn = s.Turn.Number
			if diff := cmp.Diff([]task.Event{want}, events); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(task.Knowledge{Known: want.Known, Failed: want.Failed, Citations: want.Citations, Pieces: want.Pieces}, s.Knowledge); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A secret in a title is cut out of the event; the digits of a PIN that an id happens to
// have are not.
func TestKnowledgeFound_WithoutSecrets(t *testing.T) {
	t.Parallel()
	e := task.RedactForStorage(task.KnowledgeFound{
		Chunks: []string{"a4711b.1"}, Value: "PIN 4711",
		Citations: []reasoning.Citation{{DocumentID: "d4711", VersionID: "a4711b", ChunkID: "a4711b.1", Document: "PIN 4711", Section: "hunter2"}},
	}, secret.New("4711", "hunter2"))
	want := task.KnowledgeFound{
		Chunks: []string{"a4711b.1"}, Value: "PIN [secret]",
		Citations: []reasoning.Citation{{DocumentID: "d4711", VersionID: "a4711b", ChunkID: "a4711b.1", Document: "PIN [secret]", Section: "[secret]"}},
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
}
