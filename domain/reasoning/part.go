package reasoning

// Part is a part of a large task, as whoever works on it sees it: it knows nothing of
// the other parts but the values its contract names (spec: context reset).
type Part struct {
	Number, Of int
	Goal       string
	Known      []Named
	// Outputs are the names of the values it has to find.
	Outputs []string
}

// Named is a value with its name.
type Named struct{ Name, Value string }
