// Package interact is the interact turn: one client request and all it causes.
//
// handler.go is the turn protocol: who may work on a task, what is answered to
// a request seen before, who takes over from a dead process. graph.go is the
// agent's graph as one table of nodes and edges; each node has a file of its
// own. A node asks the reasoner and puts what was decided to the task as a
// command; the events of the whole turn are appended together with the answer
// as it will be sent.
//
// It promises: an input is durable before a token is spent on it; a turn
// answers once, and the same request again gets the same answer; of several
// requests at once exactly one runs; a process that lost its claim can neither
// append nor answer. A repeated decision never asks a model again.
package interact

import "github.com/stepledger/stepledger/domain/page"

// Capture is the page as the client sent it.
type Capture = page.Capture

// Witness is what the client saw while the last action ran.
type Witness = page.Witness
