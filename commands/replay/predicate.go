package replay

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

// Predicate is a condition on a task's state: comparisons joined by "and", each of a
// field, named by its JSON pointer in the state, with a value:
//
//	/consecutiveFailures >= 2 and /status = active
//	/steps/0/attempts/0/verdict/rule = url-changed
//	/question exists
//	/message contains patient
//
// The operators are = != < <= > >= contains exists; values are numbers, words, or JSON
// strings. A pointer ending in "#" is the number of items of a list.
type Predicate struct{ all []comparison }

type comparison struct {
	path  []string
	op    string
	value string
}

var operators = []string{"exists", "contains", "!=", ">=", "<=", "=", ">", "<"}

// ParsePredicate reads a predicate. The error, a *domain.Error of kind Invalid, says
// which part cannot be read.
func ParsePredicate(text string) (Predicate, error) {
	var p Predicate
	for _, part := range conjuncts(text) {
		c, ok := parseComparison(strings.TrimSpace(part))
		if !ok {
			return p, domain.Errorf(domain.Invalid, domain.CodeValidation, "%q is no condition such as /consecutiveFailures >= 2", part).At("predicate")
		}
		p.all = append(p.all, c)
	}
	return p, nil
}

// conjuncts are the parts of a text between its "and"s, those within quotes aside.
func conjuncts(text string) (out []string) {
	from, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], " and "):
			out = append(out, text[from:i])
			from = i + len(" and ")
			i = from - 1
		}
	}
	return append(out, text[from:])
}

func parseComparison(text string) (comparison, bool) {
	path, rest, _ := strings.Cut(text, " ")
	if !strings.HasPrefix(path, "/") {
		return comparison{}, false
	}
	c := comparison{path: strings.Split(path[1:], "/")}
	rest = strings.TrimSpace(rest)
	for _, op := range operators {
		if value, ok := strings.CutPrefix(rest, op); ok {
			c.op, c.value = op, strings.TrimSpace(value)
			var quoted string
			if json.Unmarshal([]byte(c.value), &quoted) == nil {
				c.value = quoted
			}
			return c, (c.value == "") == (op == "exists") || op == "=" || op == "!="
		}
	}
	return comparison{}, false
}

// Holds reports whether the predicate holds of a state. A field that is not there is
// neither equal nor unequal to anything.
func (p Predicate) Holds(s task.State) bool {
	v := reflect.ValueOf(s)
	for _, c := range p.all {
		if !c.holds(v) {
			return false
		}
	}
	return true
}

func (c comparison) holds(v reflect.Value) bool {
	at, ok := fieldAt(v, c.path)
	if !ok {
		return false
	}
	was := printed(at)
	switch c.op {
	case "exists":
		return !at.IsZero()
	case "contains":
		return strings.Contains(strings.ToLower(was), strings.ToLower(c.value))
	case "=":
		return was == c.value
	case "!=":
		return was != c.value
	}
	order := cmp.Compare(was, c.value)
	if a, err := strconv.ParseFloat(was, 64); err == nil {
		if b, err := strconv.ParseFloat(c.value, 64); err == nil {
			order = cmp.Compare(a, b)
		}
	}
	switch c.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// fieldAt follows a pointer by the names fields have in JSON.
func fieldAt(v reflect.Value, path []string) (reflect.Value, bool) {
	for _, name := range path {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		var ok bool
		if v, ok = child(v, name); !ok {
			return v, false
		}
	}
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v, v.Kind() != reflect.Pointer
}

func child(v reflect.Value, name string) (reflect.Value, bool) {
	switch v.Kind() {
	case reflect.Struct:
		return structField(v, name)
	case reflect.Map:
		at := v.MapIndex(reflect.ValueOf(name))
		return at, at.IsValid()
	case reflect.Slice:
		if name == "#" {
			return reflect.ValueOf(v.Len()), true
		}
		if i, err := strconv.Atoi(name); err == nil {
			if i < 0 {
				i += v.Len()
			}
			if i >= 0 && i < v.Len() {
				return v.Index(i), true
			}
		}
	}
	return v, false
}

func structField(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			if at, ok := structField(v.Field(i), name); ok {
				return at, true
			}
		case tag == "-" || !f.IsExported():
		case tag == name || tag == "" && f.Name == name:
			return v.Field(i), true
		}
	}
	return v, false
}

func printed(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	return string(b)
}
