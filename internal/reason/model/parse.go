package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stepledger/stepledger/internal/llm"
)

// Models wrap JSON in prose and fences, encode it twice, put it into the envelope of a
// tool call, leave trailing commas, or write it as JavaScript or Python (repair.go). All
// of that is read. Anything that would need a guess is refused: two different answers, a
// truncated answer (half a text must not be typed), quotes within quotes.

var (
	errNoObject = errors.New("it holds no JSON object")
	errCut      = fmt.Errorf("the JSON object has no end: %w", llm.ErrCutOff)
	errTwo      = errors.New("it holds two different answers")
	errKeys     = errors.New("the JSON object lacks the keys asked for")
)

// Bounds of the search for an object in an answer.
const (
	maxAnswer  = 256 << 10
	maxObjects = 64
	maxDepth   = 3 // of answers in answers
)

// readObject returns the one object in an answer that has all the keys.
func readObject(answer string, keys ...string) (map[string]json.RawMessage, error) {
	if len(answer) > maxAnswer {
		return nil, errors.New("it is longer than any answer asked for")
	}
	if !utf8.ValidString(answer) {
		answer = strings.ToValidUTF8(answer, "\uFFFD")
	}
	return search(answer, keys, maxDepth)
}

func search(text string, keys []string, depth int) (map[string]json.RawMessage, error) {
	var whole string
	if json.Unmarshal([]byte(text), &whole) == nil && depth > 0 {
		return search(whole, keys, depth-1) // a string that holds the JSON
	}
	objects, cut := split(text)
	if cut {
		return nil, errCut
	}
	var found map[string]json.RawMessage
	err := errNoObject
	for _, o := range objects {
		got, bad := decode(o, keys, depth)
		switch {
		case bad != nil:
			err = bad
		case found != nil && canonical(got, keys) != canonical(found, keys):
			return nil, errTwo
		default:
			found = got
		}
	}
	if found == nil {
		return nil, err
	}
	return found, nil
}

// envelopes are keys that models wrap an answer under.
var envelopes = []string{"arguments", "args", "parameters", "input", "function", "answer", "response", "output", "result"}

// decode reads an object, repaired if necessary, and looks for the answer in it or in
// its tool call's arguments.
func decode(text object, keys []string, depth int) (map[string]json.RawMessage, error) {
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(text.raw), &o) != nil {
		text.raw = text.mended
		if err := json.Unmarshal([]byte(text.raw), &o); err != nil {
			return nil, fmt.Errorf("it is no valid JSON: %w", err)
		}
	}
	if hasAll(o, keys) {
		if hasConflictingKeys(text.raw, keys) {
			return nil, errTwo
		}
		return o, nil
	}
	if depth == 0 {
		return nil, errKeys
	}
	for _, envelope := range envelopes {
		inner, ok := o[envelope]
		if !ok {
			continue
		}
		if got, err := search(string(inner), keys, depth-1); err == nil {
			return got, nil
		}
	}
	return nil, errKeys
}

func hasAll(o map[string]json.RawMessage, keys []string) bool {
	for _, k := range keys {
		if _, ok := o[k]; !ok {
			return false
		}
	}
	return true
}

// canonical is the part of an answer that was asked for, to compare answers.
func canonical(o map[string]json.RawMessage, keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		var v any
		_ = json.Unmarshal(o[k], &v) // it was decoded before
		c, _ := json.Marshal(v)
		b.Write(c)
		b.WriteByte('\n')
	}
	return b.String()
}

// hasConflictingKeys reports whether an object has one of the keys twice with
// different values: the decoder would silently use the last.
func hasConflictingKeys(text string, keys []string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	_, _ = d.Token() // the object was valid before, so none of this fails
	said := map[string]json.RawMessage{}
	for d.More() {
		name, _ := d.Token()
		var v json.RawMessage
		_ = d.Decode(&v)
		key, _ := name.(string)
		if !slices.Contains(keys, key) {
			continue
		}
		one := []string{key}
		if said[key] != nil && canonical(said, one) != canonical(map[string]json.RawMessage{key: v}, one) {
			return true
		}
		said[key] = v
	}
	return false
}

// object is an object as written in an answer and, if it can be repaired without
// guessing, as strict JSON.
type object struct{ raw, mended string }

// split returns the outermost {...} of a text, taking strings into account. cut: an
// object begins and does not end; what is inside it does not count. A brace in prose
// hides nothing.
func split(text string) (objects []object, cut bool) {
	for i := 0; i < len(text) && len(objects) < maxObjects; {
		open := strings.IndexByte(text[i:], '{')
		if open < 0 {
			break
		}
		i += open
		if !looksLikeObject(text[i:]) {
			i++
			continue
		}
		mended, end, closed := repairJSON(text[i:])
		if !closed {
			return objects, true
		}
		objects = append(objects, object{text[i : i+end], mended})
		i += end
	}
	return objects, false
}

// looksLikeObject: a key or the end follows the brace.
func looksLikeObject(s string) bool {
	rest := s[1:]
	for {
		rest = strings.TrimLeft(rest, space)
		n := comment(rest)
		if n == 0 {
			break
		}
		rest = rest[n:]
	}
	return rest == "" || rest[0] == '"' || rest[0] == '}' || rest[0] == '\'' || strings.HasPrefix(rest, opening) || bareKey(rest) > 0
}
