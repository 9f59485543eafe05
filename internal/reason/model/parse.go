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

// Models wrap JSON in prose and fences, encode it twice, put it into the
// envelope of a tool call, leave commas behind, write it as JavaScript or Python
// would (mend.go). All of that is read. What would need a guess is not: two
// different answers, an answer that is cut off (a half typed text must not be
// typed), quotes within quotes.

var (
	errNoObject = errors.New("it holds no JSON object")
	errCut      = fmt.Errorf("the JSON object has no end: %w", llm.ErrCutOff)
	errTwo      = errors.New("it holds two different answers")
	errKeys     = errors.New("the JSON object lacks the keys asked for")
)

// Bounds of a search for an object in an answer.
const (
	maxAnswer  = 256 << 10
	maxObjects = 64
	maxDepth   = 3 // of answers in answers
)

// readObject finds the one object in an answer that has all the keys.
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

// envelopes are the keys an answer is wrapped under.
var envelopes = []string{"arguments", "args", "parameters", "input", "function", "answer", "response", "output", "result"}

// decode reads an object, mended if need be, and looks for the answer in it or
// in the arguments of the tool call it may be.
func decode(text object, keys []string, depth int) (map[string]json.RawMessage, error) {
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(text.raw), &o) != nil {
		text.raw = text.mended
		if err := json.Unmarshal([]byte(text.raw), &o); err != nil {
			return nil, fmt.Errorf("it is no valid JSON: %w", err)
		}
	}
	if hasAll(o, keys) {
		if saysTwice(text.raw, keys) {
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

// canonical is the answer's asked-for part: what makes two answers different.
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

// saysTwice reports whether an object has one of the keys twice with different
// values: the decoder would take the last without a word.
func saysTwice(text string, keys []string) bool {
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

// object is one as it stands in an answer, and in strict JSON as far as that
// takes no guess.
type object struct{ raw, mended string }

// split gives the outermost {...} of a text, strings within them respected.
// Cut says that one began and has no end; what is within it does not count. A
// brace in prose hides nothing behind it.
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
		mended, end, closed := mend(text[i:])
		if !closed {
			return objects, true
		}
		objects = append(objects, object{text[i : i+end], mended})
		i += end
	}
	return objects, false
}

// looksLikeObject: after the brace comes a key, or the end.
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
