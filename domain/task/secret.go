package task

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/secret"
)

// maxSecrets bounds the secret values a task remembers, since every text is searched
// for all of them.
const maxSecrets = 200

// SecretsOf returns the secret values in an event. Other texts of the task may repeat
// them.
func SecretsOf(e Event) []string {
	switch e := e.(type) {
	case PageObserved:
		return e.Secrets
	case UserInputProvided:
		return e.Secrets
	case TaskHandedBack:
		return e.Secrets
	case TurnEnded:
		if e.Secret != "" && e.Secret != domain.Erased {
			return []string{e.Secret}
		}
	}
	return nil
}

// withSecrets adds secrets to the state. A single character is added each time it is
// typed: in order they form a code.
func (s State) withSecrets(values []string) State {
	for _, v := range values {
		if len(s.Secrets) < maxSecrets && (len(v) == 1 || !slices.Contains(s.Secrets, v)) {
			s.Secrets = append(slices.Clip(s.Secrets), v)
		}
	}
	return s
}

// keptFields are fields of events that are stored with secrets in them because the
// task needs them: what the user said and what the client is to type. Secrets in
// actions are removed when the action is decided.
var keptFields = map[string]bool{
	"PageObserved.Query": true, "PageObserved.Secrets": true, "PageObserved.SecretFields": true,
	"UserInputProvided.Text": true, "UserInputProvided.Secrets": true,
	"TaskHandedBack.Note": true, "TaskHandedBack.Secrets": true,
	"TurnEnded.Answer": true, "TurnEnded.Secret": true, "TurnEnded.Text": true,
	"ActionGenerated.Action": true, "CorrectionIssued.FailedAction": true, "CorrectionIssued.RetryAction": true,
}

// RedactForStorage returns an event as it is stored: without secrets, apart from the
// fields that exist to keep them.
func RedactForStorage(e Event, s *secret.Set) Event {
	return cutEvent(e, s, func(field string) bool { return !keptFields[field] })
}

// RedactForReaders returns an event as it may be shown to people of its tenant:
// without secrets.
func RedactForReaders(e Event, s *secret.Set) Event {
	switch event := e.(type) {
	case PageObserved:
		event.Secrets, event.SecretFields = nil, nil
		e = event
	case UserInputProvided:
		event.Secrets = nil
		e = event
	case TaskHandedBack:
		event.Secrets = nil
		e = event
	case TurnEnded:
		event.Secret, event.Text = "", ""
		e = event
	case ActionGenerated:
		event.Action = cutAction(event.Action, event.Target)
		e = event
	case CorrectionIssued:
		event.FailedAction = cutAction(event.FailedAction, event.FailedTarget)
		event.RetryAction = cutAction(event.RetryAction, event.RetryTarget)
		e = event
	}
	return cutEvent(e, s, func(string) bool { return true })
}

// cutEvent removes the secrets from the sealed fields, the only ones with personal
// text.
func cutEvent(e Event, s *secret.Set, may func(field string) bool) Event {
	t := reflect.TypeOf(e)
	out := reflect.New(t).Elem()
	out.Set(reflect.ValueOf(e))
	for _, f := range fieldsOf(t) {
		if v := out.Field(f.index); f.sealed && may(f.name) && holds(v, s) {
			cutValue(v, s)
		}
	}
	event, ok := out.Interface().(Event)
	if !ok {
		panic("task: a copy of an event is an event")
	}
	return event
}

// field is a field of a struct that may hold text, named with its struct.
type field struct {
	index  int
	name   string
	sealed bool
}

// fields are those of every struct in an event: asking a type for one allocates.
var fields sync.Map // of reflect.Type to []field

// fieldsOf returns the fields of a struct that may hold text: no references, unless they
// are sealed.
func fieldsOf(t reflect.Type) []field {
	if known, ok := fields.Load(t); ok {
		return known.([]field)
	}
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		switch f.Type.Kind() {
		case reflect.String, reflect.Struct, reflect.Pointer, reflect.Slice, reflect.Map:
			if _, sealed := f.Tag.Lookup("sealed"); sealed || !isReference(f) {
				list = append(list, field{i, t.Name() + "." + f.Name, sealed})
			}
		}
	}
	fields.Store(t, list)
	return list
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

// holds reports whether cutValue would change a value. Hardly any event has a secret in
// it, and then nothing of it is copied.
func holds(v reflect.Value, s *secret.Set) bool {
	switch v.Kind() {
	case reflect.String:
		return s.Cut(v.String()) != v.String()
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			if holds(v.Field(f.index), s) {
				return true
			}
		}
	case reflect.Pointer:
		return !v.IsNil() && holds(v.Elem(), s)
	case reflect.Slice:
		if v.Type() == rawJSON {
			return !bytes.Equal(s.CutJSON(v.Bytes()), v.Bytes())
		}
		if v.Type().Elem().Kind() == reflect.Uint8 { // it is no text
			return false
		}
		for i := range v.Len() {
			if holds(v.Index(i), s) {
				return true
			}
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			if holds(each.Value(), s) {
				return true
			}
		}
	}
	return false
}

// cutValue removes secrets in place, after copying what may be shared.
func cutValue(v reflect.Value, s *secret.Set) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s.Cut(v.String()))
	case reflect.Struct:
		for _, f := range fieldsOf(v.Type()) {
			cutValue(v.Field(f.index), s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			cutValue(c.Elem(), s)
			v.Set(c)
		}
	case reflect.Slice:
		cutSlice(v, s)
	case reflect.Map:
		cutMap(v, s)
	}
}

// cutMap removes the secrets from the values of a map.
func cutMap(v reflect.Value, s *secret.Set) {
	if v.IsNil() {
		return
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for each := v.MapRange(); each.Next(); {
		c := reflect.New(v.Type().Elem()).Elem()
		c.Set(each.Value())
		cutValue(c, s)
		out.SetMapIndex(each.Key(), c)
	}
	v.Set(out)
}

func cutSlice(v reflect.Value, s *secret.Set) {
	switch {
	case v.IsNil():
	case v.Type() == rawJSON:
		v.SetBytes(s.CutJSON(v.Bytes()))
	case v.Type().Elem().Kind() != reflect.Uint8: // else it is no text
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		for i := range c.Len() {
			cutValue(c.Index(i), s)
		}
		v.Set(c)
	}
}

// isReference reports a field that holds an id or a hash, in which the digits of a
// PIN may occur by chance.
func isReference(f reflect.StructField) bool {
	return !f.IsExported() || f.Name == "ID" || strings.HasSuffix(f.Name, "ID") || strings.HasSuffix(f.Name, "Hash")
}

// cutAction removes the text of an action on a secret field.
func cutAction(printed string, on Target) string {
	a, err := action.Parse(printed)
	if err != nil || !on.Secret || a.Text == "" {
		return printed
	}
	a.Text = secret.Mask
	return a.String()
}
