package history

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Filter chooses events of a task. Empty fields select everything; an event has to
// match all others.
type Filter struct {
	// From is the revision to begin at, Limit how many events there are in a part (0:
	// DefaultLimit).
	From  int64
	Limit int
	// Types are stored names, whole or without "task." and the version.
	Types []string
	// Text occurs in one of the event's texts, in any case. Secrets are masked and
	// erased text is gone before it is looked for.
	Text string
	// Field is a JSON pointer into the event's data, the first slash may be left out,
	// and Value what is there: a text, or anything else as JSON.
	Field, Value string
	// Verdict is the outcome of a verdict, Rule the rule that gave it or objected.
	Verdict reasoning.Outcome
	Rule    string
	// Importance is the least.
	Importance Importance
	// Turn is the turn an event belongs to; 0 means all.
	Turn int
	// MinCost chooses turns whose model calls cost at least so much; nil means all.
	MinCost *usage.Pico
}

// mayMatch goes by what is known before anything is opened. Costly are the turns that
// cost enough, nil if all do.
func (f Filter) mayMatch(r eventstore.Recorded, turn int, costly map[int]bool) bool {
	return r.Revision >= f.From && f.wantsType(r.Type) && (f.Turn == 0 || turn == f.Turn) && (costly == nil || costly[turn])
}

func (f Filter) wantsType(name string) bool {
	return len(f.Types) == 0 || slices.ContainsFunc(f.Types, func(t string) bool {
		return t == name || "task."+t+".v1" == name
	})
}

// matches goes by what is in the event.
func (f Filter) matches(e Event) (bool, error) {
	if f.Importance != "" && rank[e.Importance] < rank[f.Importance] {
		return false, nil
	}
	if f.Verdict != "" {
		if v, ok := e.Data.(task.ActionVerified); !ok || v.Outcome() != f.Verdict {
			return false, nil
		}
	}
	if f.Rule != "" && f.Rule != ruleOf(e.Data) {
		return false, nil
	}
	if f.Text == "" && f.Field == "" {
		return true, nil
	}
	b, err := json.Marshal(e.Data)
	if err != nil {
		return false, err
	}
	if f.Field != "" && !hasValue(b, f.Field, f.Value) {
		return false, nil
	}
	if f.Text == "" {
		return true, nil
	}
	return hasText(b, f.Text)
}

func ruleOf(e task.Event) string {
	switch e := e.(type) {
	case task.ActionVerified:
		return e.Rule
	case task.ActionCriticised:
		return e.Rule
	}
	return ""
}

// textBytes is the text as it stands in a payload that has it, in lower case; nil if
// payloads need not be looked through, or do not tell: what is put in place of secrets and
// of erased text is in none.
func (f Filter) textBytes() []byte {
	text := strings.ToLower(f.Text)
	for _, put := range []string{secret.Mask, domain.Erased} {
		put = strings.ToLower(put)
		if strings.Contains(put, text) || strings.Contains(text, put[:1]) || strings.Contains(text, put[len(put)-1:]) {
			return nil
		}
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return encoded[1 : len(encoded)-1]
}

// hasText reports whether a text in a JSON value contains another. Most values are
// told at a glance: they do not contain it anywhere.
func hasText(b json.RawMessage, text string) (bool, error) {
	encoded, err := json.Marshal(strings.ToLower(text))
	if err != nil {
		return false, err
	}
	if !bytes.Contains(bytes.ToLower(b), encoded[1:len(encoded)-1]) {
		return false, nil
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return false, err
	}
	return textIn(v, strings.ToLower(text)), nil
}

func textIn(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(strings.ToLower(v), text)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return textIn(item, text) })
	case map[string]any:
		for _, item := range v {
			if textIn(item, text) {
				return true
			}
		}
	}
	return false
}

// hasValue follows a pointer into a JSON value.
func hasValue(b json.RawMessage, pointer, want string) bool {
	for _, name := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		inner, err := children(b)
		if err != nil {
			return false
		}
		b = inner[unescaped(name)]
	}
	var text string
	if json.Unmarshal(b, &text) == nil {
		return text == want
	}
	return len(b) > 0 && bytes.Equal(b, []byte(want))
}

var pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")

func unescaped(name string) string { return pointerUnescapes.Replace(name) }

// turnsThatCost returns the turns whose calls cost at least so much, nil if all turns
// are wanted.
func (r Reader) turnsThatCost(ctx context.Context, id string, least *usage.Pico) (map[int]bool, error) {
	if least == nil {
		return nil, nil
	}
	ledger, err := r.ledger(ctx, id)
	if err != nil {
		return nil, err
	}
	sums := map[int]usage.Pico{}
	for _, c := range callsOf(ledger) {
		if c.cost == nil {
			continue
		}
		if sums[c.Turn], err = sums[c.Turn].Plus(*c.cost); err != nil {
			return nil, err
		}
	}
	turns := map[int]bool{}
	for turn, cost := range sums {
		turns[turn] = cost >= *least
	}
	return turns, nil
}
