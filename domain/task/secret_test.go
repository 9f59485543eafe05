package task_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

const leak = "Hunt\"2&zz"

// soaked is an event whose every sealed text repeats the secret.
func soaked(e task.Event) task.Event {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	for i := range v.NumField() {
		if _, sealed := v.Type().Field(i).Tag.Lookup("sealed"); sealed {
			soak(v.Field(i))
		}
	}
	return v.Interface().(task.Event)
}

func soak(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("it is " + leak + ".")
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "ID" && !strings.HasSuffix(f.Name, "ID") && !strings.HasSuffix(f.Name, "Hash") {
				soak(v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		soak(v.Elem())
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			b, _ := json.Marshal(map[string]any{"a": []string{"it is " + leak}})
			v.SetBytes(b)
		} else if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			soak(v.Index(0))
			soak(v.Index(1))
		}
	}
}

func TestPublic_noTextOfAnyEventKeepsASecret(t *testing.T) {
	t.Parallel()
	s := secret.New(leak)
	quoted, _ := json.Marshal(leak)
	for _, e := range samples {
		e := soaked(e)
		before, _ := json.Marshal(e)
		b, err := json.Marshal(task.RedactForReaders(e, s))
		if err != nil || strings.Contains(string(b), strings.Trim(string(quoted), `"`)) {
			t.Errorf("%T: %v %s", e, err, b)
		}
		if after, _ := json.Marshal(e); string(after) != string(before) {
			t.Errorf("%T itself was changed: %s", e, after)
		}
	}
}

// What is stored repeats a secret only where the task needs it.
func TestDiscreet(t *testing.T) {
	t.Parallel()
	s := secret.New(leak)
	for _, e := range samples {
		e := task.RedactForStorage(soaked(e), s)
		v := reflect.ValueOf(e)
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			_, sealed := v.Type().Field(i).Tag.Lookup("sealed")
			b, _ := json.Marshal(v.Field(i).Interface())
			if sealed && strings.Contains(string(b), "zz") && !keptAsIs[name] {
				t.Errorf("%s: %s", name, b)
			}
		}
	}
}

var keptAsIs = map[string]bool{
	"PageObserved.Query": true, "PageObserved.Secrets": true, "PageObserved.SecretFields": true,
	"UserInputProvided.Text": true, "UserInputProvided.Secrets": true,
	"TaskHandedBack.Note": true, "TaskHandedBack.Secrets": true,
	"TurnEnded.Answer": true, "TurnEnded.Secret": true, "TurnEnded.Text": true,
	"ActionGenerated.Action": true, "CorrectionIssued.FailedAction": true, "CorrectionIssued.RetryAction": true,
}

func TestEvolve_secretsAreLearntFromEveryEventThatHasSome(t *testing.T) {
	t.Parallel()
	s := task.Initial()
	for _, e := range []task.Event{
		task.PageObserved{Turn: 1, Secrets: []string{"a1b2", "a1b2"}, SecretFields: []string{"textbox|Key"}},
		task.TurnEnded{Turn: 1, Secret: "4"}, task.TurnEnded{Turn: 2, Secret: "4"}, task.TurnEnded{Turn: 3, Secret: "a1b2"}, task.TurnEnded{Turn: 4, Secret: "[erased]"},
	} {
		s = task.Evolve(s, e)
	}
	if got := strings.Join(s.Secrets, " ") + "|" + strings.Join(s.SecretFields, " "); got != "a1b2 4 4|textbox|Key" {
		t.Error(got)
	}
}
