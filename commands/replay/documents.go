package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// Documents are what documents said in a recorded turn. They are a commands.Knowledge that
// finds what was found then and asks nobody, and the commands.Content that goes with it:
// one that knows where the turn kept the pieces and writes nothing. Whatever else is stored
// is read from Kept, if there is one.
type Documents struct {
	Kept Content

	site   said
	values []said
}

// said is one finding: for the site or, with a name, for a value that was missing.
type said struct {
	task.KnowledgeFound
	chunks []reasoning.Chunk
	body   []byte
}

// Documents returns what documents said in the turn. What the turn did not record anew is
// what the task was shown before.
func (t Turn) Documents(kept Content) Documents {
	d := Documents{Kept: kept, site: t.said(shownBefore(t.Before))}
	for _, e := range t.Decided {
		switch e, ok := e.(task.KnowledgeFound); {
		case !ok:
		case e.For == reasoning.ForMissing:
			d.values = append(d.values, t.said(e))
		default:
			d.site = t.said(e)
		}
	}
	return d
}

func shownBefore(s task.State) task.KnowledgeFound {
	return task.KnowledgeFound{Known: s.Knowledge.Known, Failed: s.Knowledge.Failed, Pieces: s.Knowledge.Pieces}
}

func (t Turn) said(e task.KnowledgeFound) said {
	out := said{KnowledgeFound: e}
	if json.Unmarshal(t.pieces[e.Pieces], &out.chunks) == nil {
		out.body, _ = json.Marshal(out.chunks) //nolint:errchkjson // it was read from JSON
	}
	return out
}

// Find implements commands.Knowledge. A value that nothing is recorded of was not found.
func (d Documents) Find(_ context.Context, _, _, what string) ([]reasoning.Chunk, bool, error) {
	found := d.site
	for _, v := range d.values {
		if strings.EqualFold(v.Value, what) {
			found = v
		}
	}
	if found.Failed {
		return nil, false, errors.New("as recorded: nobody could be asked")
	}
	return found.chunks, found.Known, nil
}

// Put implements commands.Content: it returns the recorded reference of pieces, "" of
// others.
func (d Documents) Put(_ context.Context, _, _, _ string, body []byte) (string, error) {
	for _, s := range append(d.values[:len(d.values):len(d.values)], d.site) {
		if bytes.Equal(s.body, body) {
			return s.Pieces, nil
		}
	}
	return "", nil
}

// Get implements commands.Content.
func (d Documents) Get(ctx context.Context, tenant, subject, ref string) ([]byte, error) {
	if d.Kept == nil {
		return nil, domain.Errorf(domain.NotFound, domain.CodeNotFound, "it is not recorded")
	}
	return d.Kept.Get(ctx, tenant, subject, ref)
}

// pieceRefs are the references of all pieces that the turn was shown. A turn without a page
// was shown none.
func (t Turn) pieceRefs() (refs []string) {
	if t.Observed.Page == "" {
		return nil
	}
	site := t.Before.Knowledge.Pieces
	for _, e := range t.Decided {
		switch e, ok := e.(task.KnowledgeFound); {
		case !ok:
		case e.For == reasoning.ForMissing:
			refs = append(refs, e.Pieces)
		default:
			site = e.Pieces
		}
	}
	return slices.DeleteFunc(append(refs, site), func(ref string) bool { return ref == "" })
}

// loadPieces reads what documents said, by their references.
func (t *Turn) loadPieces(get func(ref string) ([]byte, error)) {
	t.pieces = map[string][]byte{}
	for _, ref := range t.pieceRefs() {
		body, err := get(ref)
		if err != nil {
			t.unknown = fmt.Errorf("what documents said is gone: %w", err)
			return
		}
		t.pieces[ref] = body
	}
}
