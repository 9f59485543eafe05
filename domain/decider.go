package domain

// Decider is an aggregate as three plain values: the initial state, which events a
// command leads to, and how an event changes the state. Decide and Evolve have no
// context, clock, randomness or logger. Evolve accepts every event in every state and
// never fails. A command whose wish already holds returns no events.
type Decider[S, C, E any] struct {
	Initial func() S
	Decide  func(C, S) ([]E, error)
	Evolve  func(S, E) S
}

// Fold applies events to a state in order.
func (d Decider[S, C, E]) Fold(s S, events ...E) S {
	for _, e := range events {
		s = d.Evolve(s, e)
	}
	return s
}
