package strictjson

import (
	"encoding/json"
	"errors"
	"reflect"
	"unicode/utf8"
)

// Unmarshal decodes a document into the zero value into points to, as encoding/json
// does, and refuses what Check does: it returns the first *Fault, or an error of
// encoding/json.
//
// A document nothing is wrong with is read once. Where something is, it is read again by
// Check and encoding/json, which say what and where, and which decide: what this package
// cannot read they may.
func Unmarshal(doc []byte, into any, l Limits) error {
	v := reflect.ValueOf(into).Elem()
	if utf8.Valid(doc) {
		r := &reader{doc: doc, limits: l}
		if r.value(v, fillerOf(v.Type())) && r.ended() {
			return nil
		}
		v.SetZero()
	}
	if fault := new(Fault); errors.As(Check(doc, l), &fault) {
		return fault
	}
	return json.Unmarshal(doc, into)
}

// reader reads a document of valid UTF-8 from left to right, and reports by false what
// it cannot read or may not.
type reader struct {
	doc    []byte
	at     int
	limits Limits
	depth  int
	values int
	names  []name // of all open objects
	// scratch is for strings with escapes.
	scratch []byte
}

// value reads a value into v, or skips it where fill is nil.
func (r *reader) value(v reflect.Value, fill filler) bool {
	if r.values++; r.values > r.limits.Values {
		return false
	}
	r.space()
	if fill == nil {
		return r.skip()
	}
	return fill(r, v)
}

// skip reads a value nobody asked for.
func (r *reader) skip() bool {
	switch r.peek() {
	case '{':
		return r.object(func([]byte) (reflect.Value, filler, []byte, bool) { return reflect.Value{}, nil, nil, true })
	case '[':
		return r.array(func(int) (reflect.Value, filler) { return reflect.Value{}, nil })
	case '"':
		_, ok := r.text()
		return ok
	case 't':
		return r.word("true")
	case 'f':
		return r.word("false")
	case 'n':
		return r.word("null")
	}
	_, _, ok := r.number()
	return ok
}

// object reads an object. of returns where the value of a name belongs, and the name in
// comparable form if that is known.
func (r *reader) object(of func(name []byte) (reflect.Value, filler, []byte, bool)) bool {
	if r.peek() != '{' {
		return false
	}
	first, fold := len(r.names), r.depth < r.limits.Fold
	ok := r.members('}', func(int) bool {
		r.space()
		raw, ok := r.text()
		if !ok {
			return false
		}
		written := unescape(raw)
		v, fill, key, ok := of(written)
		if !ok {
			return false
		}
		if key == nil || !fold {
			key = normal(written, fold)
		}
		r.names = append(r.names, name{key, raw})
		r.space()
		return r.take(':') && r.value(v, fill)
	})
	if !ok || duplicate(r.names[first:]) != nil {
		return false
	}
	r.names = r.names[:first]
	return true
}

// array reads an array. of returns where its i-th value belongs.
func (r *reader) array(of func(i int) (reflect.Value, filler)) bool {
	return r.peek() == '[' && r.members(']', func(i int) bool { return r.value(of(i)) })
}

// members reads what is between brackets.
func (r *reader) members(end byte, member func(i int) bool) bool {
	if r.depth++; r.depth > r.limits.Depth {
		return false
	}
	r.at++
	if r.space(); r.take(end) {
		r.depth--
		return true
	}
	for i := 0; i < r.limits.Items && member(i); i++ {
		switch r.space(); {
		case r.take(','):
		case r.take(end):
			r.depth--
			return true
		default:
			return false
		}
	}
	return false
}

// span skips a value and returns it as it is written.
func (r *reader) span() ([]byte, bool) {
	from := r.at
	ok := r.skip()
	return r.doc[from:r.at], ok
}

// text reads a string and returns what is between its quotes, still escaped.
func (r *reader) text() ([]byte, bool) {
	if !r.take('"') {
		return nil, false
	}
	for from := r.at; ; {
		r.at += plain(r.doc[r.at:])
		switch r.peek() {
		case '"':
			r.at++
			return r.doc[from : r.at-1], true
		case '\\':
			n := escapeLen(r.doc[r.at:])
			if n == 0 {
				return nil, false
			}
			r.at += n
		default: // the end, or a control character
			return nil, false
		}
	}
}

// number reads a number, and reports whether it is written as an integer.
func (r *reader) number() (text []byte, whole, ok bool) {
	from := r.at
	r.take('-')
	switch first := r.peek(); {
	case first == '0':
		r.at++
	case !r.digits():
		return nil, false, false
	}
	whole = true
	if r.take('.') {
		if whole = false; !r.digits() {
			return nil, false, false
		}
	}
	if r.take('e') || r.take('E') {
		if !r.take('+') {
			r.take('-')
		}
		if whole = false; !r.digits() {
			return nil, false, false
		}
	}
	return r.doc[from:r.at], whole, true
}

// digits reads one digit or more.
func (r *reader) digits() bool {
	from := r.at
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.at++
	}
	return r.at > from
}

func (r *reader) word(w string) bool {
	if string(r.doc[r.at:min(r.at+len(w), len(r.doc))]) != w {
		return false
	}
	r.at += len(w)
	return true
}

func (r *reader) take(b byte) bool {
	if r.peek() != b {
		return false
	}
	r.at++
	return true
}

// peek returns the byte here, 0 at the end.
func (r *reader) peek() byte {
	if r.at < len(r.doc) {
		return r.doc[r.at]
	}
	return 0
}

func (r *reader) space() {
	for {
		switch r.peek() {
		case ' ', '\t', '\r', '\n':
			r.at++
		default:
			return
		}
	}
}

// ended reports whether nothing follows.
func (r *reader) ended() bool {
	r.space()
	return r.at == len(r.doc)
}
