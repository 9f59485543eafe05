package trace

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// langfuse exports scores besides spans.
type langfuse struct {
	spans
	scores string // the address
}

// score is what POST /api/public/scores takes. The same id is the same score.
type score struct {
	ID            string  `json:"id"`
	TraceID       string  `json:"traceId"`
	ObservationID string  `json:"observationId,omitempty"`
	Name          string  `json:"name"`
	Value         float64 `json:"value"`
	DataType      string  `json:"dataType"`
}

func (l langfuse) handle(ctx context.Context, e eventstore.Recorded) error {
	if err := l.spans.handle(ctx, e); err != nil {
		return err
	}
	scores, err := l.scored(ctx, e)
	if err != nil {
		return err
	}
	for _, s := range scores {
		body, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("encode a score: %w", err)
		}
		if _, err := l.to.post(ctx, l.scores, "application/json", body, nil); err != nil {
			return err
		}
	}
	return nil
}

// scored returns the scores of an event: a verdict scores its turn and, if its action
// was a correction, that; an end scores the task.
func (l langfuse) scored(ctx context.Context, e eventstore.Recorded) ([]score, error) {
	if eventstore.Category(e.Stream) != eventstore.Category(task.Stream("")) {
		return nil, nil
	}
	event, err := decodeTask(e)
	if err != nil {
		return nil, err
	}
	switch event := event.(type) {
	case task.ActionVerified:
		if event.Undecided {
			return nil, nil
		}
		turn := hex.EncodeToString(TurnID(subject(e.Stream), event.Turn))
		out := []score{
			boolean(e, turn, "verification_success", event.Succeeded),
			numeric(e, turn, "verification_confidence", event.Confidence),
		}
		corrected, err := l.corrected(ctx, e)
		if corrected {
			out = append(out, boolean(e, turn, "correction_success", event.Succeeded))
		}
		return out, err
	case task.TaskCompleted:
		return []score{boolean(e, "", "task_completed", true), numeric(e, "", "task_confidence", event.Confidence)}, nil
	case task.TaskFailed:
		return []score{boolean(e, "", "task_completed", false)}, nil
	}
	return nil, nil
}

// corrected reports whether a verdict's action was a correction.
func (l langfuse) corrected(ctx context.Context, verdict eventstore.Recorded) (is bool, err error) {
	err = walkBack(ctx, l.log, verdict, func(_ eventstore.Recorded, event task.Event) bool {
		switch event.(type) {
		case task.CorrectionIssued:
			is = true
			return false
		case task.ActionGenerated:
			return false
		}
		return true
	})
	return is, err
}

func boolean(e eventstore.Recorded, observation, name string, yes bool) score {
	s := numeric(e, observation, name, 0)
	s.DataType = "BOOLEAN"
	if yes {
		s.Value = 1
	}
	return s
}

func numeric(e eventstore.Recorded, observation, name string, v float64) score {
	return score{
		ID: domain.DeriveUUID("score", e.ID, name), TraceID: hex.EncodeToString(TraceID(subject(e.Stream))),
		ObservationID: observation, Name: name, Value: v, DataType: "NUMERIC",
	}
}
