package domain

// Decider is an aggregate as three plain values: the state before anything
// happened, what a command makes of a state, and what an event makes of it.
// Decide and Evolve have no context, clock, randomness or logger; Evolve is
// total: it accepts every event in every state and never fails. A command
// whose wish already holds yields no events.
type Decider[S, C, E any] struct {
	Initial func() S
	Decide  func(C, S) ([]E, error)
	Evolve  func(S, E) S
}

// Fold evolves a state over events in order.
func (d Decider[S, C, E]) Fold(s S, events ...E) S {
	for _, e := range events {
		s = d.Evolve(s, e)
	}
	return s
}
