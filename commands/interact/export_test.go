package interact

// Edges are the names of the graph's edges.
func Edges() []string {
	var all []string
	for at, n := range graph {
		for left := range n.next {
			all = append(all, edge(at, left))
		}
	}
	return all
}

// WaitingFor is how a wait is explained to the user.
var WaitingFor = waitingFor
