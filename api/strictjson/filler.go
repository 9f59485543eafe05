package strictjson

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// filler reads a value into v, which is zero and can be set.
type filler func(r *reader, v reflect.Value) bool

var fillers sync.Map // of reflect.Type

// fillerOf returns how a type is filled. It works it out once.
func fillerOf(t reflect.Type) filler {
	if f, ok := fillers.Load(t); ok {
		return f.(filler) //nolint:forcetypeassert // nothing else is stored
	}
	// A type that holds itself finds this in its own place.
	var once sync.Once
	var made filler
	later := filler(func(r *reader, v reflect.Value) bool {
		once.Do(func() { made = newFiller(t) })
		return made(r, v)
	})
	f, _ := fillers.LoadOrStore(t, later)
	return f.(filler) //nolint:forcetypeassert // as above
}

func newFiller(t reflect.Type) filler {
	p := reflect.PointerTo(t)
	switch {
	case p.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return fillItself
	case p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return fillByJSON
	}
	switch t.Kind() {
	case reflect.String:
		return orNull(fillText)
	case reflect.Bool:
		return orNull(fillFlag)
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		return orNull(fillInt)
	case reflect.Float64, reflect.Float32:
		return orNull(fillFloat)
	case reflect.Pointer:
		return orNull(fillPointer(fillerOf(t.Elem())))
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return orNull(fillSlice(fillerOf(t.Elem())))
		}
	case reflect.Struct:
		if fields, ok := fieldsOf(t); ok {
			return orNull(fillStruct(fields))
		}
	}
	return fillByJSON
}

// orNull leaves a value as it is, zero, for null.
func orNull(fill filler) filler {
	return func(r *reader, v reflect.Value) bool {
		if r.peek() == 'n' {
			return r.word("null")
		}
		return fill(r, v)
	}
}

// fillItself is for types that say how they are read.
func fillItself(r *reader, v reflect.Value) bool {
	span, ok := r.span()
	u, is := v.Addr().Interface().(json.Unmarshaler)
	return ok && is && u.UnmarshalJSON(span) == nil
}

// fillByJSON is for types this package has no way of its own for.
func fillByJSON(r *reader, v reflect.Value) bool {
	span, ok := r.span()
	return ok && json.Unmarshal(span, v.Addr().Interface()) == nil
}

func fillText(r *reader, v reflect.Value) bool {
	text, ok := r.decoded()
	v.SetString(text)
	return ok
}

func fillFlag(r *reader, v reflect.Value) bool {
	if r.peek() == 't' {
		v.SetBool(true)
		return r.word("true")
	}
	return r.word("false")
}

func fillInt(r *reader, v reflect.Value) bool {
	text, whole, ok := r.number()
	if !ok || !whole {
		return false
	}
	n, err := strconv.ParseInt(string(text), 10, v.Type().Bits())
	v.SetInt(n)
	return err == nil
}

func fillFloat(r *reader, v reflect.Value) bool {
	text, _, ok := r.number()
	if !ok {
		return false
	}
	f, err := strconv.ParseFloat(string(text), v.Type().Bits())
	v.SetFloat(f)
	return err == nil
}

func fillPointer(fill filler) filler {
	return func(r *reader, v reflect.Value) bool {
		v.Set(reflect.New(v.Type().Elem()))
		return fill(r, v.Elem())
	}
}

func fillSlice(fill filler) filler {
	return func(r *reader, v reflect.Value) bool {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0)) // no value is another thing than null
		return r.array(func(i int) (reflect.Value, filler) {
			v.Grow(1)
			v.SetLen(i + 1)
			return v.Index(i), fill
		})
	}
}

func fillStruct(fields map[string]*field) filler {
	return func(r *reader, v reflect.Value) bool {
		return r.object(func(written []byte) (reflect.Value, filler, []byte, bool) {
			f := fields[string(written)]
			if f == nil {
				if f = fields[string(normal(written, true))]; f == nil {
					return reflect.Value{}, nil, nil, true
				}
				if r.depth > r.limits.Fold { // the field may be there a second time
					return reflect.Value{}, nil, nil, false
				}
			}
			return v.FieldByIndex(f.index), f.fill, f.key, true
		})
	}
}

// field is where the value of a name goes.
type field struct {
	name  string
	key   []byte // the name in comparable form
	index []int
	fill  filler
}

// fieldsOf returns the fields of a struct by their names, as they are and in comparable
// form, those of embedded structs included. It is not ok if encoding/json has rules for
// them that this package has not.
func fieldsOf(t reflect.Type) (by map[string]*field, ok bool) {
	all, ok := listed(t, nil)
	slices.SortStableFunc(all, func(a, b *field) int { return len(a.index) - len(b.index) })
	by = map[string]*field{}
	for _, f := range all {
		switch other := by[string(f.key)]; {
		case other == nil:
			by[f.name], by[string(f.key)] = f, f
		case len(other.index) == len(f.index):
			return nil, false
		}
	}
	return by, ok
}

func listed(t reflect.Type, within []int) (all []*field, ok bool) {
	for sf := range t.Fields() {
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		index := slices.Concat(within, sf.Index)
		switch {
		case sf.Anonymous && (name != "" || sf.Type.Kind() != reflect.Struct), strings.Contains(options, "string"):
			return nil, false
		case sf.Anonymous:
			more, ok := listed(sf.Type, index)
			if !ok {
				return nil, false
			}
			all = append(all, more...)
		case sf.IsExported() && (name != "-" || options != ""):
			name = cmp.Or(name, sf.Name)
			all = append(all, &field{name, normal([]byte(name), true), index, fillerOf(sf.Type)})
		}
	}
	return all, true
}
