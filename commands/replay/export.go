package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
)

// ExportFormat is the version of the form of an export. It is raised when a reader of the
// form before could not read it.
const ExportFormat = 1

// Export is a task as one value: its events, pages and model calls with their answers,
// without the values of secret fields. Screenshots are not in it: what is secret on them
// cannot be cut out. It is what import and replay read, and what a
// person opens as a page. What was erased or has expired is not in it, and Missing
// says so.
type Export struct {
	Format     int               `json:"format"`
	TaskID     string            `json:"taskId"`
	ExportedAt time.Time         `json:"exportedAt"`
	Events     []ExportedEvent   `json:"events"`
	Content    map[string]string `json:"content"`
	Calls      []ExportedCall    `json:"calls"`
	Missing    []string          `json:"missing,omitempty"`
	// Settings are those, by the names of their variables, that a replay decides by and
	// that were not the defaults where it was exported.
	Settings map[string]string `json:"settings,omitempty"`
	// StateHash is that of the state the events fold to.
	StateHash string `json:"stateHash"`
}

// ExportedEvent is an event in clear.
type ExportedEvent struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Revision   int64           `json:"revision"`
	RecordedAt time.Time       `json:"recordedAt"`
	Data       json.RawMessage `json:"data"`
}

// ExportedCall is a model call; Answer is what is kept of it.
type ExportedCall struct {
	usage.Call
	Answer string `json:"answer,omitempty"`
}

// Export returns a task as one value.
func (s Source) Export(ctx context.Context, tenant, id string, now time.Time) (Export, error) {
	t, err := s.Load(ctx, tenant, id)
	if err != nil {
		return Export{}, err
	}
	x := Export{Format: ExportFormat, TaskID: id, ExportedAt: now.UTC(), Content: map[string]string{}}
	if err := s.exportEvents(ctx, t, &x); err != nil {
		return Export{}, fmt.Errorf("export task %s: %w", id, err)
	}
	return x, nil
}

func (s Source) exportEvents(ctx context.Context, t Task, x *Export) error {
	key, err := s.Keys.Key(ctx, t.Tenant, t.ID)
	if err != nil {
		return err
	}
	recorded, err := readAll(ctx, s.Log, task.Stream(t.ID))
	if err != nil {
		return err
	}
	set, state := secret.New(t.Final.Secrets...), task.Initial()
	for _, r := range recorded {
		e, err := task.Codec.Decode(r.Type, r.Data, r.ID, key)
		if domain.IsNewer(err) {
			e, err = task.Unknown{Name: r.Type}, nil
		}
		if err != nil {
			return err
		}
		e = task.RedactForReaders(e, set)
		state = task.Evolve(state, e)
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		x.Events = append(x.Events, ExportedEvent{r.ID, r.Type, r.Revision, r.RecordedAt, data})
	}
	seen := map[string]bool{}
	for _, turn := range t.Turns {
		if turn.gone != nil {
			x.Missing = append(x.Missing, fmt.Sprintf("the page of turn %d", turn.Number))
		} else if turn.page != nil {
			x.Content[turn.Observed.Page] = string(set.CutJSON(turn.page))
		}
		if turn.unknown != nil {
			x.Missing = append(x.Missing, fmt.Sprintf("what documents said in turn %d", turn.Number))
		}
		for ref, pieces := range turn.pieces {
			x.Content[ref] = string(set.CutJSON(pieces))
		}
		if n := turn.lost(); n > 0 {
			x.Missing = append(x.Missing, fmt.Sprintf("the answers of %d model calls of turn %d", n, turn.Number))
		}
		for _, c := range turn.Calls {
			if seen[c.Started.Call] {
				continue
			}
			seen[c.Started.Call] = true
			x.Calls = append(x.Calls, ExportedCall{c, string(set.CutJSON(turn.Answers[c.Started.Call]))})
		}
	}
	delete(x.Content, "")
	x.StateHash, err = StateHash(state)
	return err
}

// StateHash is the SHA-256, in hex, of a state as JSON.
func StateHash(s task.State) (string, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Import rebuilds a task from its export. It returns a *domain.Error of kind Invalid if
// the export is of another form or cannot be read. Whether it is as it was exported,
// Verify tells.
func Import(x Export) (Task, error) {
	if x.Format != ExportFormat {
		return Task{}, domain.Errorf(domain.Invalid, domain.CodeValidation, "the export has form %d; this program reads form %d", x.Format, ExportFormat).At("format")
	}
	calls := make([]usage.Call, len(x.Calls))
	answers := map[string][]byte{}
	for i, c := range x.Calls {
		calls[i] = c.Call
		if c.Answer != "" {
			answers[c.Started.Call] = []byte(c.Answer)
		}
	}
	t := Task{ID: x.TaskID, Final: task.Initial()}
	for _, r := range x.Events {
		e, err := task.Codec.Decode(r.Type, r.Data, r.ID, nil)
		if err != nil {
			return Task{}, domain.Errorf(domain.Invalid, domain.CodeValidation, "event %d cannot be read", r.Revision).At("events").Because(err)
		}
		if claim, ok := e.(task.PageObserved); ok && t.Tenant == "" {
			t.Tenant = claim.Tenant
		}
		t.Final = task.Evolve(t.Final, e)
		t.add(r.Revision, r.RecordedAt, e, calls)
	}
	t.hideSecrets()
	for i := range t.Turns {
		t.Turns[i].fromExport(x, answers)
	}
	return t, nil
}

// Verify returns a *domain.Error of kind Invalid if the events of an export fold to
// another state than the one they were exported with: the file was changed, or it was
// written by a version that folds otherwise.
func (x Export) Verify(t Task) error {
	hash, err := StateHash(t.Final)
	if err == nil && hash != x.StateHash {
		err = domain.Errorf(domain.Invalid, domain.CodeValidation, "the events fold to another state than the one that was exported: the file was changed, or another version of the program wrote it").At("stateHash")
	}
	return err
}

var errNotExported = errors.New("it is not in the export")

func (t *Turn) fromExport(x Export, answers map[string][]byte) {
	t.Answers, t.exported = answers, true
	if ref := t.Observed.Page; ref != "" {
		body, ok := x.Content[ref]
		if !ok {
			t.gone = fmt.Errorf("%w: %w", interact.ErrNoPage, errNotExported)
			return
		}
		t.page = []byte(body)
	}
	t.loadPieces(func(ref string) ([]byte, error) {
		body, ok := x.Content[ref]
		if !ok {
			return nil, errNotExported
		}
		return []byte(body), nil
	})
}
