package model

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
)

// readText reads a string; null and a missing key are "".
func readText(o map[string]json.RawMessage, key string) (string, error) {
	var s *string
	if raw := o[key]; raw != nil {
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", fmt.Errorf("%q has to be a string", key)
		}
	}
	if s == nil {
		return "", nil
	}
	return *s, nil
}

// readBool reads a boolean, also in quotes.
func readBool(o map[string]json.RawMessage, key string) (bool, error) {
	switch strings.ToLower(strings.Trim(string(o[key]), `" `)) {
	case "true", "yes":
		return true, nil
	case "false", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q has to be true or false", key)
}

// confidenceOf reads an answer's confidence, also in quotes. It returns NaN for anything
// that is no number; the caller checks whether it is a probability.
func confidenceOf(o map[string]json.RawMessage) float64 {
	n, err := strconv.ParseFloat(strings.Trim(string(o["confidence"]), `" `), 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// readAction reads an action from the language itself or from one of the
// shapes of a tool call models fall back to:
//
//	"click(\"14\")"   {"click": "14"}   {"click": {"id": 14}}
//	{"name": "click", "arguments": {"id": "14"}}   the same with the arguments in a string
func readAction(raw json.RawMessage) (action.Action, error) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		s = strings.TrimSpace(s)
		if strings.HasPrefix(s, "{") && json.Valid([]byte(s)) {
			return readAction(json.RawMessage(s))
		}
		return parseWritten(s)
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(raw, &o); err != nil {
		return action.Action{}, fmt.Errorf(`"action" has to be a string such as click("14")`)
	}
	name, args := splitCall(o)
	a := action.Action{Name: nameOf(name)}
	if err := assign(&a, args); err != nil {
		return action.Action{}, err
	}
	return a, a.Validate()
}

// splitCall returns the name and arguments of a tool call.
func splitCall(o map[string]json.RawMessage) (name string, args json.RawMessage) {
	for _, k := range []string{"name", "action", "type", "tool", "function"} {
		if json.Unmarshal(o[k], &name) != nil || name == "" {
			continue
		}
		for _, a := range []string{"arguments", "args", "parameters", "input"} {
			if raw, ok := o[a]; ok {
				return name, unquoted(raw)
			}
		}
		rest, _ := json.Marshal(o) // of decoded JSON
		return name, rest
	}
	if len(o) == 1 {
		for k, v := range o {
			return k, unquoted(v)
		}
	}
	return "", nil
}

// unquoted decodes JSON that was encoded twice.
func unquoted(raw json.RawMessage) json.RawMessage {
	var s string
	if json.Unmarshal(raw, &s) == nil && json.Valid([]byte(s)) && strings.ContainsAny(s, "{[") {
		return json.RawMessage(s)
	}
	return raw
}

// nameOf returns the action of that name, ignoring case and underscores.
func nameOf(name string) action.Name {
	plain := strings.ReplaceAll(name, "_", "")
	for _, n := range []action.Name{
		action.Click, action.SetValue, action.Type, action.Drag, action.Upload, action.Press, action.Hover, action.Scroll, action.Wait, action.Navigate,
		action.GoBack, action.GoogleSearch, action.VerifySuccess, action.Find, action.More, action.Finish, action.Fail,
	} {
		if strings.EqualFold(plain, string(n)) {
			return n
		}
	}
	return action.Name(name)
}

// assign sets the fields of an action from arguments given by name, in order or
// alone.
func assign(a *action.Action, raw json.RawMessage) error {
	var byName map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case raw == nil || string(raw) == "null":
		return nil
	case json.Unmarshal(raw, &byName) == nil:
		first := func(keys ...string) string {
			for _, k := range keys {
				if s := scalar(byName[k]); s != "" {
					return s
				}
			}
			return ""
		}
		a.Target = first("id", "elementId", "element_id", "element", "from", "target", "index", "i")
		a.Text = first("text", "value", "key", "url", "query", "message", "reason", "file", "direction", "description")
		if a.Name == action.Drag {
			a.To = first("to", "toId", "to_id", "destination")
		}
		a.Seconds, _ = strconv.ParseFloat(first("seconds", "duration"), 64) // Validate refuses what is no wait
		return nil
	case json.Unmarshal(raw, &list) != nil:
		list = []json.RawMessage{raw}
	}
	if len(list) > 2 {
		return fmt.Errorf("%s does not take %d arguments", a.Name, len(list))
	}
	for _, v := range list {
		switch s := scalar(v); {
		case a.Name == action.Wait:
			a.Seconds, _ = strconv.ParseFloat(s, 64)
		case takesTarget(a.Name) && a.Target == "":
			a.Target = s
		case a.Name == action.Drag:
			a.To = s
		default:
			a.Text = s
		}
	}
	return nil
}

func takesTarget(n action.Name) bool {
	switch n {
	case action.Click, action.SetValue, action.Hover, action.Scroll, action.Drag, action.Upload:
		return true
	}
	return false
}

// scalar returns a string or number as text.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}
