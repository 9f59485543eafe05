package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Models wrap JSON in prose and fences, encode it twice, put it into the
// envelope of a tool call, leave commas behind. All of that is read. What
// would need a guess is not: two different answers, an answer that is cut off
// (a half typed text must not be typed).

var (
	errNoObject = errors.New("it holds no JSON object")
	errCut      = errors.New("the JSON object is cut off")
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

// decode reads an object, mended if need be, and looks for the answer in it or
// in the arguments of the tool call it may be.
func decode(text string, keys []string, depth int) (map[string]json.RawMessage, error) {
	var o map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		if err := json.Unmarshal([]byte(mend(text)), &o); err != nil {
			return nil, fmt.Errorf("it is no valid JSON: %w", err)
		}
	}
	if hasAll(o, keys) {
		return o, nil
	}
	if depth == 0 {
		return nil, errKeys
	}
	for _, envelope := range []string{"arguments", "args", "parameters", "input", "answer", "response", "output", "result"} {
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

// split gives the outermost {...} of a text, strings within them respected.
// Cut says that one began and has no end; what is within it does not count. A
// brace in prose hides nothing behind it.
func split(text string) (objects []string, cut bool) {
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
		end, closed := closing(text[i:])
		if !closed {
			return objects, true
		}
		objects = append(objects, text[i:i+end])
		i += end
	}
	return objects, false
}

// looksLikeObject: after the brace comes a key, or the end.
func looksLikeObject(s string) bool {
	rest := strings.TrimLeft(s[1:], " \t\r\n")
	return rest == "" || rest[0] == '"' || rest[0] == '}'
}

// closing is the length of the object that s begins with.
func closing(s string) (int, bool) {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// mend repairs what loses no meaning: commas before a closing bracket, raw
// line breaks and other controls within strings, Python's words for constants.
func mend(s string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s):
			b.WriteByte(c)
			i++
			c = s[i]
		case c == '"':
			quoted = !quoted
		case quoted && c < ' ':
			b.WriteString(escaped(c))
			continue
		case !quoted && c == ',' && closesNext(s[i+1:]):
			continue
		case !quoted:
			if word, json := pythonWord(s[i:]); word != "" && !letterBefore(s, i) {
				b.WriteString(json)
				i += len(word) - 1
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

func escaped(c byte) string {
	switch c {
	case '\n':
		return `\n`
	case '\t':
		return `\t`
	case '\r':
		return `\r`
	}
	return " "
}

func closesNext(s string) bool {
	rest := strings.TrimLeft(s, " \t\r\n")
	return rest != "" && (rest[0] == '}' || rest[0] == ']')
}

func pythonWord(s string) (word, json string) {
	switch {
	case strings.HasPrefix(s, "True"):
		return "True", "true"
	case strings.HasPrefix(s, "False"):
		return "False", "false"
	case strings.HasPrefix(s, "None"):
		return "None", "null"
	}
	return "", ""
}

func letterBefore(s string, i int) bool {
	return i > 0 && (s[i-1] >= 'a' && s[i-1] <= 'z' || s[i-1] >= 'A' && s[i-1] <= 'Z')
}
