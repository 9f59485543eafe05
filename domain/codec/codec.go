// Package codec turns events into stored names and JSON and back, sealing
// personal text on the way.
//
// An event is a struct. Fields tagged `sealed:"true"` hold personal text: they
// are taken out of the payload, encrypted together under the task's data key
// and kept under the one field "sealed". Fields tagged `sealed:"apart"` are
// large: they are kept the same way under "apart", so that a reader with no use
// for them (Glance) need not open, unpack and parse them. All other fields
// stand in clear, so that a fold, a bill and a projection work without the key.
// When the key has been dropped, sealed strings read as domain.Erased and other
// sealed fields are empty; decoding still succeeds. Sealed fields need the JSON
// option omitzero.
//
// The stored name says the version of the shape ("task.action_generated.v1").
// Names never change and shapes only grow optional fields, which one that does
// not know them may leave out of its state; anything else is a new name beside
// the old one. So two versions of the program work side by side: an event of
// the newer one is an *UnknownError to the older, which decides nothing on a
// stream that holds one, and passes over it where it only looks or counts.
package codec

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/stepledger/stepledger/domain"
)

// compressOver is the size of personal text from which compressing before
// sealing pays; sealed bytes do not compress in the database. Skeletons of
// real pages shrink about eightfold.
const compressOver = 1024

// maxSealedText bounds what one event may unpack to, so that a crafted payload
// cannot fill the memory.
const maxSealedText = 16 << 20

// ErrTooLarge is returned for an event with more sealed text than can be read again.
var ErrTooLarge = errors.New("the event is too large")

// The fields of a payload that hold sealed text, by the tag of the fields in it.
const (
	sealedTag, apartTag     = "true", "apart"
	sealedField, apartField = "sealed", "apart"
)

// Registry knows the events of one aggregate.
type Registry[E any] struct {
	types map[string]eventType
	names map[reflect.Type]string
}

// eventType is an event's Go type and which of its fields are sealed how.
type eventType struct {
	reflect.Type
	sealed, apart []field
}

// field is a sealed field: its place in the struct and its name in JSON.
type field struct {
	index int
	json  string
}

// UnknownError is returned for a stored name the registry does not have: a newer version of
// the program wrote the event. It wraps a domain.Newer.
type UnknownError struct{ Name string }

// Error implements error.
func (e *UnknownError) Error() string { return e.Unwrap().Error() }

// Unwrap returns what a user may be told.
func (e *UnknownError) Unwrap() error { return domain.Newer("an event, " + e.Name + ",") }

// New returns a registry of stored names, each with a zero value of its event. It
// panics if a sealed field would not be sealed: a mistyped tag must not put personal
// text into the log in clear.
func New[E any](events map[string]E) *Registry[E] {
	r := &Registry[E]{map[string]eventType{}, map[reflect.Type]string{}}
	for name, e := range events {
		t := reflect.TypeOf(e)
		if err := checkTags(t, true); err != nil {
			panic(fmt.Sprintf("codec: %s: %v", name, err))
		}
		r.types[name] = eventType{t, tagged(t, sealedTag), tagged(t, apartTag)}
		r.names[t] = name
	}
	return r
}

// checkTags finds sealed tags without effect: only fields of the event itself are
// sealed, by name, if they are not zero.
func checkTags(t reflect.Type, top bool) error {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, sealed := f.Tag.Lookup("sealed")
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case sealed && !top:
			return fmt.Errorf("field %s is sealed within another field", f.Name)
		case sealed && tag != sealedTag && tag != apartTag:
			return fmt.Errorf("field %s is sealed %q, which means nothing", f.Name, tag)
		case sealed && (name == "" || options != "omitzero"):
			return fmt.Errorf("sealed field %s needs a name in JSON and omitzero", f.Name)
		case !sealed && f.Type.Kind() == reflect.Struct && f.Anonymous:
			if err := checkTags(f.Type, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func tagged(t reflect.Type, tag string) []field {
	var out []field
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("sealed") == tag {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			out = append(out, field{i, name})
		}
	}
	return out
}

// Names returns all stored names, sorted.
func (r *Registry[E]) Names() []string { return slices.Sorted(maps.Keys(r.types)) }

// Name returns the stored name of an event.
func (r *Registry[E]) Name(e E) string { return r.names[reflect.TypeOf(e)] }

// Encode returns an event's stored name and payload. The same event, sealer and event
// id give the same bytes.
func (r *Registry[E]) Encode(e E, eventID string, s domain.Sealer) (string, json.RawMessage, error) {
	name, ok := r.names[reflect.TypeOf(e)]
	if !ok {
		return "", nil, fmt.Errorf("encode %T: not an event of this registry", e)
	}
	data, err := r.types[name].encode(reflect.ValueOf(e), name, eventID, s)
	if err != nil {
		return "", nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return name, data, nil
}

func (t eventType) encode(e reflect.Value, name, eventID string, s domain.Sealer) (json.RawMessage, error) {
	open := reflect.New(t.Type).Elem()
	open.Set(e)
	for _, f := range slices.Concat(t.sealed, t.apart) {
		open.Field(f.index).SetZero()
	}
	data, err := json.Marshal(open.Interface())
	if err != nil {
		return nil, err
	}
	if data, err = addSealed(data, e, sealedField, t.sealed, place(name, sealedField, eventID), s); err != nil {
		return nil, err
	}
	return addSealed(data, e, apartField, t.apart, place(name, apartField, eventID), s)
}

// addSealed puts fields that are not empty into one sealed field of an object.
func addSealed(object []byte, e reflect.Value, into string, fields []field, at []byte, s domain.Sealer) ([]byte, error) {
	private := map[string]any{}
	for _, f := range fields {
		if v := e.Field(f.index); !v.IsZero() {
			private[f.json] = v.Interface()
		}
	}
	if len(private) == 0 {
		return object, nil
	}
	plain, err := json.Marshal(private)
	if err != nil {
		return nil, err
	}
	if len(plain) > maxSealedText { // it could never be read again
		return nil, fmt.Errorf("%w: %d bytes of sealed text, %d are allowed", ErrTooLarge, len(plain), maxSealedText)
	}
	sealed, err := s.Seal(pack(plain), at)
	if err != nil {
		return nil, err
	}
	object = object[:len(object)-1] // its closing brace
	if len(object) > 1 {
		object = append(object, ',')
	}
	object = append(object, '"')
	object = append(object, into...)
	object = append(object, `":"`...)
	object = base64.StdEncoding.AppendEncode(object, sealed)
	return append(object, `"}`...), nil
}

// Decode rebuilds an event. It returns *UnknownError for an unknown name, and an
// error for a payload of another shape. A dropped key is not an error.
func (r *Registry[E]) Decode(name string, data []byte, eventID string, s domain.Sealer) (E, error) {
	return r.decode(name, data, eventID, s, everything)
}

// Glance is Decode without the fields sealed apart; they are left empty.
func (r *Registry[E]) Glance(name string, data []byte, eventID string, s domain.Sealer) (E, error) {
	return r.decode(name, data, eventID, s, withoutApart)
}

// Clear rebuilds an event of what stands in clear; its sealed fields are left empty.
func (r *Registry[E]) Clear(name string, data []byte) (E, error) {
	return r.decode(name, data, "", nil, onlyClear)
}

// Apart reads the fields sealed apart into a value of the caller's: one who needs a part of
// them need not have all of them made. It leaves the value alone where there are none, or
// their key was dropped.
func (r *Registry[E]) Apart(name string, data []byte, eventID string, s domain.Sealer, into any) error {
	if _, ok := r.types[name]; !ok {
		return &UnknownError{name}
	}
	p, err := split(data)
	if err != nil {
		return fmt.Errorf("open %s: %w", name, err)
	}
	plain, err := unseal(p.apart, place(name, apartField, eventID), s)
	if err == nil && plain != nil {
		err = json.Unmarshal(plain, into)
	}
	if err != nil && !errors.Is(err, domain.ErrErased) {
		return fmt.Errorf("open %s: %w", name, err)
	}
	return nil
}

// Plain returns an event's payload as the JSON objects it is made of, what stands in clear
// and what is sealed, opened but not read: for one that looks for a text in many. What is
// erased is left out.
func (r *Registry[E]) Plain(name string, data []byte, eventID string, s domain.Sealer) ([][]byte, error) {
	if _, ok := r.types[name]; !ok {
		return nil, &UnknownError{name}
	}
	p, err := split(data)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	out := [][]byte{p.open}
	for field, encoded := range map[string][]byte{sealedField: p.sealed, apartField: p.apart} {
		plain, err := unseal(encoded, place(name, field, eventID), s)
		if err != nil && !errors.Is(err, domain.ErrErased) {
			return nil, fmt.Errorf("open %s: %w", name, err)
		}
		if plain != nil {
			out = append(out, plain)
		}
	}
	return out, nil
}

// extent is how much of a payload is opened.
type extent int

const (
	onlyClear extent = iota
	withoutApart
	everything
)

func (r *Registry[E]) decode(name string, data []byte, eventID string, s domain.Sealer, much extent) (E, error) {
	var none E
	t, ok := r.types[name]
	if !ok {
		return none, &UnknownError{name}
	}
	v := reflect.New(t.Type)
	if err := t.decode(v, name, data, eventID, s, much); err != nil {
		return none, fmt.Errorf("decode %s: %w", name, err)
	}
	return v.Elem().Interface().(E), nil
}

func (t eventType) decode(v reflect.Value, name string, data []byte, eventID string, s domain.Sealer, much extent) error {
	p, err := split(data)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(p.open, v.Interface()); err != nil || len(t.sealed)+len(t.apart) == 0 || much == onlyClear {
		return err
	}
	if err := open(v, p.sealed, t.sealed, place(name, sealedField, eventID), s); err != nil || much == withoutApart {
		return err
	}
	return open(v, p.apart, t.apart, place(name, apartField, eventID), s)
}

// place is what sealed bytes are bound to: an event and one of its fields.
func place(name, field, eventID string) []byte {
	return []byte(name + "\x00" + field + "\x00" + eventID)
}

// open reads sealed text in base64 into an event.
func open(v reflect.Value, encoded []byte, fields []field, at []byte, s domain.Sealer) error {
	plain, err := unseal(encoded, at, s)
	switch {
	case errors.Is(err, domain.ErrErased):
		erase(v.Elem(), fields)
		return nil
	case err != nil || plain == nil:
		return err
	}
	return json.Unmarshal(plain, v.Interface())
}

// unseal opens sealed text in base64; nil is none.
func unseal(encoded, at []byte, s domain.Sealer) ([]byte, error) {
	if encoded == nil {
		return nil, nil
	}
	sealed, err := base64.StdEncoding.AppendDecode(nil, encoded)
	if err != nil {
		return nil, err
	}
	packed, err := s.Open(sealed, at)
	if err != nil {
		return nil, err
	}
	return unpack(packed)
}

func erase(v reflect.Value, fields []field) {
	for _, f := range fields {
		if fv := v.Field(f.index); fv.Kind() == reflect.String {
			fv.SetString(domain.Erased)
		}
	}
}

// pack puts one byte before the text: 0 plain, 1 deflated.
func pack(plain []byte) []byte {
	if len(plain) < compressOver {
		return append([]byte{0}, plain...)
	}
	w, ok := deflaters.Get().(*flate.Writer)
	if !ok {
		panic("codec: the pool of deflaters holds something else")
	}
	defer deflaters.Put(w)
	b := bytes.NewBuffer(append(make([]byte, 0, len(plain)/usual+bytes.MinRead), 1))
	w.Reset(b)
	_, _ = w.Write(plain) // a bytes.Buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

// deflaters keep their tables, which are larger than what most write.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic("codec: a constant flate level cannot be invalid: " + err.Error())
	}
	return w
}}

// usual is how many times smaller than it was a packed text usually is.
const usual = 8

func unpack(packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, errors.New("sealed text is empty")
	}
	switch packed[0] {
	case 0:
		return packed[1:], nil
	case 1:
		return inflate(packed[1:])
	}
	return nil, domain.Newer(fmt.Sprintf("sealed text in form %d", packed[0]))
}

// inflaters keep the windows of readers, which are larger than what most read.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

func inflate(packed []byte) ([]byte, error) {
	inflater, ok := inflaters.Get().(io.ReadCloser)
	if !ok {
		panic("codec: the pool of inflaters holds something else")
	}
	defer inflaters.Put(inflater)
	if err := inflater.(flate.Resetter).Reset(bytes.NewReader(packed), nil); err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(make([]byte, 0, usual*len(packed)+bytes.MinRead))
	if _, err := out.ReadFrom(io.LimitReader(inflater, maxSealedText+1)); err != nil {
		return nil, err
	}
	if out.Len() > maxSealedText {
		return nil, errors.New("sealed text is larger than any event may hold")
	}
	return out.Bytes(), nil
}
