package page

// Truth is an answer that may be unknown: a Page does not hold everything a document
// says.
type Truth int8

// The answers.
const (
	Unknown Truth = iota
	False
	True
)

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

// and is False if one is False, else Unknown if one is.
func (t Truth) and(u Truth) Truth {
	switch {
	case t == False || u == False:
		return False
	case t == Unknown || u == Unknown:
		return Unknown
	}
	return True
}

// or is True if one is True, else Unknown if one is.
func (t Truth) or(u Truth) Truth { return t.not().and(u.not()).not() }

func (t Truth) not() Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return Unknown
}
