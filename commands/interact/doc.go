// Package interact runs interact turns: one client request and everything it causes.
//
// handler.go is the turn protocol: who may work on a task, what a repeated request
// gets, and who takes over from a dead process. graph.go is the agent's graph, one
// table of nodes and edges; each node has its own file. A node asks the reasoner and
// puts its decision to the task as a command. The events of a turn are appended
// together with its answer.
//
// It promises that the input is durable before a token is spent on it; that a turn
// answers once, and the same request gets the same answer again; that of several
// requests at once exactly one runs; and that a process which lost its claim can
// neither append nor answer. A retried decision never asks a model again.
package interact

import "github.com/stepledger/stepledger/domain/page"

// Capture is the page as the client sent it.
type Capture = page.Capture

// Witness is what the client saw while the last action ran.
type Witness = page.Witness
