package task

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/secret"
)

// maxSecrets is how many values a task remembers as secret. A page that has
// thousands is no reason to search every text for all of them.
const maxSecrets = 200

// SecretsOf are the values an event makes known as secret: texts of the task
// before and after it may repeat them.
func SecretsOf(e Event) []string {
	switch e := e.(type) {
	case PageObserved:
		return e.Secrets
	case UserInputProvided:
		return e.Secrets
	case TurnEnded:
		if e.Secret != "" && e.Secret != domain.Erased {
			return []string{e.Secret}
		}
	}
	return nil
}

// learn is the state that knows some more secrets. A single character is kept each
// time it is typed: in order they are a code.
func (s State) learn(values []string) State {
	for _, v := range values {
		if len(s.Secrets) < maxSecrets && (len(v) == 1 || !slices.Contains(s.Secrets, v)) {
			s.Secrets = append(slices.Clip(s.Secrets), v)
		}
	}
	return s
}

// kept are the fields of events that stay as they are when the event is stored,
// because the task goes on by them: what the user said, what the client is to
// type, and actions, whose secrets are cut out where they are decided.
var kept = map[string]bool{
	"PageObserved.Query": true, "PageObserved.Secrets": true, "PageObserved.SecretFields": true,
	"UserInputProvided.Text": true, "UserInputProvided.Secrets": true,
	"TurnEnded.Answer": true, "TurnEnded.Secret": true, "TurnEnded.Text": true,
	"ActionGenerated.Action": true, "CorrectionIssued.FailedAction": true, "CorrectionIssued.RetryAction": true,
}

// Discreet is an event as it is stored: without secrets in any text but those it
// is there to keep.
func Discreet(e Event, s *secret.Set) Event {
	return cutEvent(e, s, func(field string) bool { return !kept[field] })
}

// Public is an event as it may be shown to people of its tenant: without secrets.
func Public(e Event, s *secret.Set) Event {
	switch event := e.(type) {
	case PageObserved:
		event.Secrets, event.SecretFields = nil, nil
		e = event
	case UserInputProvided:
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

// cutEvent cuts the secrets out of the sealed fields: no other has a person's
// words in it.
func cutEvent(e Event, s *secret.Set, may func(field string) bool) Event {
	t := reflect.TypeOf(e)
	out := reflect.New(t).Elem()
	out.Set(reflect.ValueOf(e))
	for i := range t.NumField() {
		f := t.Field(i)
		if _, sealed := f.Tag.Lookup("sealed"); sealed && may(t.Name()+"."+f.Name) {
			cutValue(out.Field(i), s)
		}
	}
	event, ok := out.Interface().(Event)
	if !ok {
		panic("task: a copy of an event is an event")
	}
	return event
}

var rawJSON = reflect.TypeFor[json.RawMessage]()

// cutValue cuts in place, in copies of what others may share.
func cutValue(v reflect.Value, s *secret.Set) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s.Cut(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if !isReference(v.Type().Field(i)) {
				cutValue(v.Field(i), s)
			}
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
	}
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

// isReference reports a field that holds an id or a hash: nobody's words, and
// digits of a PIN may be among its own.
func isReference(f reflect.StructField) bool {
	return !f.IsExported() || f.Name == "ID" || strings.HasSuffix(f.Name, "ID") || strings.HasSuffix(f.Name, "Hash")
}

// cutAction takes the text out of an action on a secret field.
func cutAction(printed string, on Target) string {
	a, err := action.Parse(printed)
	if err != nil || !on.Secret || a.Text == "" {
		return printed
	}
	a.Text = secret.Mask
	return a.String()
}
