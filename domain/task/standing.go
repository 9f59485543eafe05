package task

// Standing says what is known of a client request.
type Standing int

const (
	// Fresh: not seen before.
	Fresh Standing = iota
	// Running: its turn is open.
	Running
	// AnsweredBefore: its answer is stored.
	AnsweredBefore
	// KeyReused: its key came with another body before.
	KeyReused
)

// Standing looks a request up. With a key, the key decides, for as long as the
// task lives. Without one, a body equal byte for byte to the last turn's is
// that request again while its turn is open; once it was answered it is the next turn,
// on a page that stayed as it was.
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
