package knowledge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/knowledge"
)

// Seen is a page the agent saw, for a source that keeps the pages of its site.
type Seen struct {
	Tenant, Source string
	URL, HTML      string
	Task           string
	Turn           int
	// Trigger is the action that brought it, "" for a page as it came.
	Trigger string
}

// seenPage is such a page in the content store. Its address is not in the stream of its
// source: it is forgotten with the task.
type seenPage struct {
	URL     string `json:"url"`
	Trigger string `json:"trigger,omitempty"`
	Body    []byte `json:"body"`
}

func openSeen(body []byte) (seenPage, error) {
	var p seenPage
	if err := json.Unmarshal(body, &p); err != nil {
		return p, &knowledge.RefusedError{Code: "damaged", Reason: "the page was not kept as it should be"}
	}
	return p, nil
}

// See takes a page in: as the page itself if it is as it came, else as a document of its
// own beside it. It may be repeated.
func (m Manage) See(ctx context.Context, p Seen) error {
	url, err := m.Sites.Normalize(p.URL)
	if err != nil {
		return err
	}
	_, key, err := m.load(ctx, p.Tenant, p.Source, Sources.Start())
	if err != nil {
		return err
	}
	body, err := json.Marshal(seenPage{url, p.Trigger, []byte(p.HTML)})
	if err != nil {
		return err
	}
	if len(body) > knowledge.MaxBytes {
		return nil // no page worth reading is as long
	}
	receive := knowledge.Receive{
		Key: url, Size: len(p.HTML), Media: "text/html", Phase: knowledge.Initial, Task: p.Task, Turn: p.Turn, By: byWorker, At: m.Clock().UTC(),
	}
	if p.Trigger != "" {
		receive.Key, receive.Phase, receive.Page = url+"\n"+p.Trigger, knowledge.PostInteraction, knowledge.DocumentID(p.Source, url)
	}
	if receive.Bytes, err = m.Content.Put(ctx, p.Tenant, p.Source, kindDocument, body); err != nil {
		return fmt.Errorf("keep a page: %w", err)
	}
	_, err = Sources.Transact(ctx, m.Log, knowledge.SourceStream(p.Source), key, m.writing(p.Tenant, byWorker, p.Source), receive)
	if err != nil {
		return fmt.Errorf("keep a page: %w", err)
	}
	m.wake()
	return nil
}

// ForgetTask deletes what was seen in a task from a source. It may be repeated.
func (m Manage) ForgetTask(ctx context.Context, tenant, by, source, task string) error {
	_, err := m.put(ctx, tenant, by, source, knowledge.RemoveTask{Task: task, By: by, At: m.Clock().UTC()})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	return err
}

// compare leaves of the chunks of a page's later state what its earlier ones have not.
func (w *worker) compare(v reading, chunks []knowledge.Chunk) ([]knowledge.Chunk, []knowledge.ChunkRef, error) {
	if v.Phase != knowledge.PostInteraction {
		return chunks, nil, nil
	}
	old := map[knowledge.ChunkRef]knowledge.Chunk{}
	for _, d := range w.at.State.Documents {
		current := d.Current.Version
		if current == "" || current == v.Version || d.ID != v.Page && d.Newest.Page != v.Page {
			continue
		}
		if err := w.textOf(current, old); err != nil {
			return nil, nil, err
		}
	}
	fresh, superseded := knowledge.Compare(old, chunks)
	return fresh, superseded, nil
}

// textOf adds the chunks of a version.
func (w *worker) textOf(version string, to map[knowledge.ChunkRef]knowledge.Chunk) error {
	return readText(w.ctx, w.Deps, w.tenant, version, func(e knowledge.TextEvent) {
		if added, ok := e.(knowledge.TextAdded); ok {
			for _, c := range added.Chunks {
				to[knowledge.ChunkRef{Version: version, Ord: c.Ord}] = c
			}
		}
	})
}
