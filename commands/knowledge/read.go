package knowledge

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/codec"
	"github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/eventstore"
)

const (
	// partChunks and partBytes bound a part of a text, which is one event, and vectorBytes
	// its vectors, which are another.
	partChunks  = 32
	partBytes   = 128 << 10
	vectorBytes = 600 << 10
	// progressEvery bounds how often progress is recorded.
	progressEvery = 2 * time.Second
)

// read brings a document to its end.
func (w *worker) read(d knowledge.Document) error {
	v := d.Newest
	_, trouble := w.troubled.Load(v.Version)
	if err := w.put(knowledge.Begin{Version: v.Version, Trouble: trouble, At: w.now()}); err != nil {
		return err
	}
	if w.lost {
		return w.others(v, d.Attempt)
	}
	w.troubled.Delete(v.Version)
	now := w.at.State.Documents[d.ID]
	if now == nil || now.Newest.Version != v.Version || now.Status != knowledge.Reading {
		return nil // refused, or not wanted any more
	}
	w.hook("knowledge.reading")
	attempt := now.Attempt
	err := w.readNow(v, attempt)
	if err == nil {
		err = w.others(v, attempt)
	}
	if err != nil && !errors.Is(err, ErrElsewhere) || w.reads(v) == attempt {
		w.troubled.Store(v.Version, true) // nobody died: it is only to be begun again
	}
	return err
}

// ErrElsewhere is why a source is left alone for a while: another worker has begun to read
// the document that this one read. Two who take each other for dead would begin it in turn
// until it is given up.
var ErrElsewhere = errors.New("somebody else reads the document")

// reads is the attempt a version is being read in, 0 for none.
func (w *worker) reads(v knowledge.DocumentReceived) int {
	d := w.at.State.Documents[v.Document]
	if d == nil || d.Newest.Version != v.Version || d.Status != knowledge.Reading {
		return 0
	}
	return d.Attempt
}

// others returns ErrElsewhere where an attempt was begun after one.
func (w *worker) others(v knowledge.DocumentReceived, attempt int) error {
	if w.reads(v) > attempt {
		return ErrElsewhere
	}
	return nil
}

func (w *worker) readNow(v knowledge.DocumentReceived, attempt int) error {
	page, err := w.bytes(v)
	if err != nil {
		return w.unread(v, attempt, err)
	}
	got, err := w.extract(v, page)
	if err != nil {
		return w.unread(v, attempt, err)
	}
	w.hook("knowledge.extracted")
	if err := w.index(reading{v, attempt, page}, got); err != nil {
		return w.unread(v, attempt, err)
	}
	return nil
}

// tooLarge reports that no log takes an event: trying again would not help.
func tooLarge(err error) bool {
	var invalid *eventstore.InvalidError
	return errors.As(err, &invalid) || errors.Is(err, codec.ErrTooLarge)
}

// reading is a version that is being read.
type reading struct {
	knowledge.DocumentReceived
	attempt int
	page    seenPage
}

// bytes are those of a version, of a page the agent saw with what is known of it.
func (w *worker) bytes(v knowledge.DocumentReceived) (seenPage, error) {
	body, err := w.Content.Get(w.ctx, w.tenant, w.source, v.Bytes)
	if err != nil {
		return seenPage{}, err
	}
	if v.Task != "" {
		return openSeen(body)
	}
	return seenPage{URL: v.Path, Body: body}, nil
}

func (w *worker) extract(v knowledge.DocumentReceived, page seenPage) (knowledge.Extracted, error) {
	last := w.Clock()
	in := knowledge.Input{Body: page.Body, Media: v.Media, Name: page.URL, KeepHidden: v.Phase == knowledge.Initial}
	return w.Reader.Read(w.ctx, in, func(page, of int) {
		if now := w.Clock(); of > 1 && now.Sub(last) >= progressEvery {
			last = now
			_ = w.put(knowledge.Progress{Version: v.Version, Page: page, Of: of}) // it is for those who wait
		}
	})
}

// unread records why a document has no text. Any other error is trouble that may pass.
func (w *worker) unread(v knowledge.DocumentReceived, attempt int, err error) error {
	var refused *knowledge.RefusedError
	var empty *knowledge.EmptyError
	switch {
	case w.ctx.Err() != nil:
		return w.ctx.Err()
	case errors.As(err, &refused):
		return w.end(v, attempt, knowledge.DocumentRefused{
			Document: v.Document, Version: v.Version, Type: refused.Type, Code: refused.Code, Reason: refused.Reason, Reader: knowledge.ReaderVersion, At: w.now(),
		})
	case errors.As(err, &empty):
		return w.end(v, attempt, knowledge.DocumentEmpty{
			Document: v.Document, Version: v.Version, Type: empty.Type, Reason: empty.Reason, Pages: empty.Pages, ImagePages: empty.ImagePages, Reader: knowledge.ReaderVersion, At: w.now(),
		})
	case tooLarge(err):
		return w.end(v, attempt, knowledge.DocumentRefused{
			Document: v.Document, Version: v.Version, Code: knowledge.CodeTooLarge, Reason: "a piece of it is larger than can be kept", Reader: knowledge.ReaderVersion, At: w.now(),
		})
	case domain.KindOf(err) == domain.NotFound || errors.Is(err, domain.ErrErased):
		return w.end(v, attempt, knowledge.DocumentRefused{
			Document: v.Document, Version: v.Version, Code: knowledge.CodeBytesLost, Reason: "its bytes are not kept any more; hand it in again", Reader: knowledge.ReaderVersion, At: w.now(),
		})
	}
	return err
}

// end records how an attempt ended, also where something else of the source changed
// meanwhile: only what was compared with other documents has to be compared anew.
func (w *worker) end(v knowledge.DocumentReceived, attempt int, e knowledge.Event) error {
	for {
		err := w.put(knowledge.End{Event: e})
		if err != nil || !w.lost || w.reads(v) != attempt || v.Phase == knowledge.PostInteraction {
			return err
		}
	}
}

// index stores the text and makes it findable.
func (w *worker) index(v reading, got knowledge.Extracted) error {
	chunks, supersedes, err := w.compare(v, knowledge.Split(got))
	if err != nil {
		return err
	}
	if len(chunks) == 0 {
		return w.end(v.DocumentReceived, v.attempt, knowledge.DocumentEmpty{
			Document: v.Document, Version: v.Version, Type: got.Type, Reason: v.nothing(), Pages: got.Pages, ImagePages: got.ImagePages, Reader: knowledge.ReaderVersion, At: w.now(),
		})
	}
	parts := split(chunks)
	if err := w.store(v, got.Title, parts); err != nil {
		return err
	}
	w.hook("knowledge.texted")
	err = w.end(v.DocumentReceived, v.attempt, knowledge.DocumentIndexed{
		Document: v.Document, Version: v.Version, Type: got.Type, Language: cmp.Or(got.Language, w.at.State.Language), Pages: got.Pages, ImagePages: got.ImagePages,
		Attempt: v.attempt, Parts: len(parts), Chunks: len(chunks), Supersedes: supersedes, Reader: knowledge.ReaderVersion, At: w.now(),
	})
	w.hook("knowledge.indexed")
	return err
}

// nothing is why a version is empty.
func (v reading) nothing() string {
	if v.Phase == knowledge.PostInteraction {
		return "the action brought nothing that was not there before"
	}
	return "there is no text in it"
}

// split cuts a text into parts, each at most one event.
func split(chunks []knowledge.Chunk) [][]knowledge.Chunk {
	var parts [][]knowledge.Chunk
	from, size := 0, 0
	for i, c := range chunks {
		n := len(c.Text) + len(c.Heading())
		if i > from && (i-from == partChunks || size+n > partBytes) {
			parts = append(parts, chunks[from:i])
			from, size = i, 0
		}
		size += n
	}
	return append(parts, chunks[from:])
}

// store appends the parts of a text to its own stream.
func (w *worker) store(v reading, title string, parts [][]knowledge.Chunk) error {
	key, err := w.Keys.NewKey(w.ctx, w.tenant, v.Version)
	if err != nil {
		return err
	}
	for i, chunks := range parts {
		events := []knowledge.TextEvent{knowledge.TextAdded{
			Source: w.source, Document: v.Document, Version: v.Version, Attempt: v.attempt, Part: i,
			Path: v.page.URL, Title: title, Trigger: v.page.Trigger, Chunks: chunks,
		}}
		if vectors, ok := w.embed(v, i, chunks); ok {
			events = append(events, vectors)
		}
		if err := w.append(v.Version, key, events); err != nil {
			return err
		}
		w.hook("knowledge.part")
	}
	return nil
}

// append appends to a version's text. A reading that died, or another worker's, may have
// left parts of its own; DocumentIndexed says whose count.
func (w *worker) append(version string, key domain.Sealer, events []knowledge.TextEvent) error {
	meta := w.writing(w.tenant, byWorker, w.source)
	proposed := make([]eventstore.Proposed, len(events))
	for i, e := range events {
		id := w.IDs()
		name, data, err := knowledge.TextCodec.Encode(e, id, key)
		if err != nil {
			return fmt.Errorf("text of version %s: %w", version, err)
		}
		proposed[i] = eventstore.Proposed{ID: id, Type: name, Data: data, Meta: meta.Meta.Encode()}
	}
	_, err := w.Log.Append(w.ctx, knowledge.TextStream(version), eventstore.Any, proposed)
	return err
}

// embed makes the vectors of a part. Without them it is found by its words. They are kept
// under the version, and are gone with it.
func (w *worker) embed(v reading, part int, chunks []knowledge.Chunk) (out knowledge.VectorsAdded, ok bool) {
	if w.Embedder == nil {
		return out, false
	}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Heading() + "\n" + c.Text
	}
	vectors, model, err := w.Embedder.Embed(w.ctx, Texts{Tenant: w.tenant, Subject: v.Version, Key: fmt.Sprint("part ", part), Texts: texts})
	if err != nil || len(vectors) != len(texts) {
		return out, false
	}
	out = knowledge.VectorsAdded{
		Source: w.source, Document: v.Document, Version: v.Version, Attempt: v.attempt, Part: part, Model: model, Dimensions: len(vectors[0]),
	}
	for _, vector := range vectors {
		if len(vector) != out.Dimensions {
			return out, false
		}
		out.Vectors = knowledge.AppendVector(out.Vectors, vector)
	}
	return out, len(out.Vectors) <= vectorBytes
}
