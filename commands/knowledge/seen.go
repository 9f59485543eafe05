package knowledge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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
		return p, &knowledge.RefusedError{Code: knowledge.CodeDamaged, Reason: "the page was not kept as it should be"}
	}
	return p, nil
}

// See takes a page in: as the page itself if it is as it came, else as a document of its
// own beside it. It may be repeated.
func (m Manage) See(ctx context.Context, p Seen) error {
	url, err := m.Sites.Normalize(p.URL)
	if err != nil {
		return notNow(err)
	}
	v, key, err := m.load(ctx, p.Tenant, p.Source, Sources.Start())
	if err != nil {
		return notNow(err)
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
	if wanted, err := knowledge.Decide(receive, v.State); err != nil || len(wanted) == 0 {
		return notNow(err) // before anything is stored
	}
	if receive.Bytes, err = m.Content.Put(ctx, p.Tenant, p.Source, kindDocument, body); err != nil {
		return notNow(fmt.Errorf("keep a page: %w", err))
	}
	_, err = Sources.Transact(ctx, m.Log, knowledge.SourceStream(p.Source), key, m.writing(p.Tenant, byWorker, p.Source), receive)
	if err != nil {
		return notNow(fmt.Errorf("keep a page: %w", err))
	}
	m.wake()
	return nil
}

// notNow passes over what is wrong with the page or the source: a page nobody keeps is no
// trouble.
func notNow(err error) error {
	switch kind := domain.KindOf(err); {
	case kind == domain.NotFound, kind == domain.Invalid, kind == domain.Conflict, errors.Is(err, domain.ErrErased):
		return nil
	}
	return err
}

// ForgetTask deletes what was seen in a task from a source. It may be repeated.
func (m Manage) ForgetTask(ctx context.Context, tenant, by, source, task string) error {
	_, err := m.take(ctx, tenant, by, source, knowledge.RemoveTask{Task: task, By: by, At: m.Clock().UTC()})
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
	for _, current := range w.statesOf(v.Page, v.Version) {
		if err := w.textOf(current, old); err != nil {
			return nil, nil, err
		}
	}
	fresh, superseded := knowledge.Compare(old, chunks)
	return fresh, superseded, nil
}

// maxStates bounds the states of a page that a new one is compared with.
const maxStates = 20

// statesOf are the current versions of a page and of its newest later states.
func (w *worker) statesOf(page, but string) (versions []string) {
	var states []*knowledge.Document
	for _, d := range w.at.State.Documents {
		if d.Current.Version != "" && d.Current.Version != but && (d.ID == page || d.Newest.Page == page) {
			states = append(states, d)
		}
	}
	slices.SortFunc(states, func(a, b *knowledge.Document) int {
		return cmp.Or(boolFirst(a.ID == page, b.ID == page), b.Current.At.Compare(a.Current.At), cmp.Compare(a.ID, b.ID))
	})
	for _, d := range states[:min(len(states), maxStates)] {
		versions = append(versions, d.Current.Version)
	}
	return versions
}

// boolFirst orders what is so before what is not.
func boolFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
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
