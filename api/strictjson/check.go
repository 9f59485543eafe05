package strictjson

import (
	"bytes"
	"unicode/utf8"
)

// Check checks a document. It returns the first *Fault, or ErrSyntax.
func Check(doc []byte, l Limits) error {
	s := &scanner{doc: doc, limits: l, bad: firstBad(doc)}
	if err := s.value(); err != nil {
		return err
	}
	if s.space(); s.at < len(doc) {
		return ErrSyntax
	}
	return nil
}

// firstBad returns the position of the first byte that is not UTF-8.
func firstBad(doc []byte) int {
	if utf8.Valid(doc) {
		return len(doc)
	}
	at := 0
	for at < len(doc) {
		r, n := utf8.DecodeRune(doc[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

type scanner struct {
	doc    []byte
	at     int
	bad    int
	limits Limits
	values int
	path   []step
	names  []name // of all open objects
}

// value skips one value.
func (s *scanner) value() error {
	if s.values++; s.values > s.limits.Values {
		return s.fault(TooMany)
	}
	s.space()
	switch s.peek() {
	case '{', '[':
		if len(s.path) >= s.limits.Depth {
			return s.fault(TooDeep)
		}
		if s.peek() == '{' {
			return s.object()
		}
		return s.array()
	case '"':
		_, err := s.text()
		return err
	}
	return s.literal()
}

func (s *scanner) array() error {
	s.path = append(s.path, step{})
	defer func() { s.path = s.path[:len(s.path)-1] }()
	return s.members(']', func(i int) error {
		s.path[len(s.path)-1].index = i
		return s.value()
	})
}

func (s *scanner) object() error {
	s.path = append(s.path, step{object: true})
	first := len(s.names)
	defer func() { s.path, s.names = s.path[:len(s.path)-1], s.names[:first] }()
	err := s.members('}', func(int) error {
		s.space()
		s.path[len(s.path)-1].name = nil
		written, err := s.text()
		if err != nil {
			return err
		}
		s.path[len(s.path)-1].name = written
		s.names = append(s.names, name{normal(written, len(s.path) <= s.limits.Fold), written})
		if s.space(); s.peek() != ':' {
			return ErrSyntax
		}
		s.at++
		return s.value()
	})
	if err != nil {
		return err
	}
	if twice := duplicate(s.names[first:]); twice != nil {
		s.path[len(s.path)-1].name = twice
		return s.fault(Duplicate)
	}
	return nil
}

// members skips what is between brackets.
func (s *scanner) members(end byte, member func(i int) error) error {
	s.at++
	if s.space(); s.peek() == end {
		s.at++
		return nil
	}
	for i := 0; ; i++ {
		if i == s.limits.Items {
			s.path = s.path[:len(s.path)-1] // it is the whole that is too long
			err := s.fault(TooMany)
			s.path = s.path[:len(s.path)+1]
			return err
		}
		if err := member(i); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
		case end:
			s.at++
			return nil
		default:
			return ErrSyntax
		}
	}
}

// text skips a string and returns it without its quotes, still escaped.
func (s *scanner) text() ([]byte, error) {
	if s.peek() != '"' {
		return nil, ErrSyntax
	}
	s.at++
	for begin := s.at; ; s.at++ {
		n := bytes.IndexByte(s.doc[s.at:], '"')
		if n < 0 {
			s.at = len(s.doc)
			return nil, s.orNotUTF8(ErrSyntax)
		}
		s.at += n
		if !s.escaped(begin) {
			text := s.doc[begin:s.at]
			s.at++
			return text, s.orNotUTF8(nil)
		}
	}
}

// escaped reports whether the quote here is escaped: an odd number of backslashes
// precede it.
func (s *scanner) escaped(begin int) bool {
	n := 0
	for i := s.at - 1; i >= begin && s.doc[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// literal skips a number, true, false or null, which the decoder checks.
func (s *scanner) literal() error {
	begin := s.at
	for s.at < len(s.doc) && isWord(s.doc[s.at]) {
		s.at++
	}
	if s.at == begin {
		return ErrSyntax
	}
	return nil
}

func isWord(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '-' || b == '+' || b == '.'
}

func (s *scanner) space() {
	for s.at < len(s.doc) {
		switch s.doc[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// peek returns the byte here, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.doc) {
		return s.doc[s.at]
	}
	return 0
}

// orNotUTF8 replaces an error by the better one if a string is not UTF-8.
func (s *scanner) orNotUTF8(err error) error {
	if s.at > s.bad {
		return s.fault(NotUTF8)
	}
	return err
}

func (s *scanner) fault(r Reason) error { return &Fault{r, pathOf(s.path)} }
