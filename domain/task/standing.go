package task

// Standing says what is known of a client request.
type Standing int

const (
	// Fresh: it is new.
	Fresh Standing = iota
	// Running: its turn is open.
	Running
	// AnsweredBefore: its answer is stored.
	AnsweredBefore
	// KeyReused: its key came with another body before.
	KeyReused
)

// Standing looks a request up. If it has a key, the key decides, for as long as the
// task lives. Without a key, a body equal to the last turn's is the same request only
// while that turn is open; after its answer it is the next turn, on a page that did
// not change.
func (s State) Standing(r Request) (Standing, Stored) {
	if s.Turn.Open && sameRequest(s.Turn.Request, r) {
		if s.Turn.Request.Body != r.Body {
			return KeyReused, Stored{}
		}
		return Running, Stored{}
	}
	if r.Key == "" {
		return Fresh, Stored{}
	}
	stored, ok := s.Answered[r.Key]
	switch {
	case !ok:
		return Fresh, Stored{}
	case stored.Body != r.Body:
		return KeyReused, Stored{}
	}
	return AnsweredBefore, stored
}

func sameRequest(open, r Request) bool {
	if r.Key == "" {
		return open.Body == r.Body
	}
	return open.Key == r.Key
}
