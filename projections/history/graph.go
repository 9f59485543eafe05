package history

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
)

// Kinds of node.
const (
	TaskNode    = "task"
	RequestNode = "request" // a client's
	EventNode   = "event"
	RowsNode    = "rows"      // what a read model has of the task, or of a model call
	OtherNode   = "elsewhere" // an event of another stream, such as the end of a session
)

// GraphNode is something that caused something, or was caused. An event's ID is its own;
// those of other nodes begin with their kind.
type GraphNode struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Stream, Revision, Type, Turn and At are those of an event.
	Stream   string     `json:"stream,omitempty"`
	Revision *int64     `json:"revision,omitempty"`
	Type     string     `json:"type,omitempty"`
	Turn     int        `json:"turn,omitempty"`
	At       *time.Time `json:"at,omitempty"`
	// Call is the model call a ledger's event or row is of.
	Call string `json:"callId,omitempty"`
	// Model is the read model of rows.
	Model string `json:"readModel,omitempty"`
}

// Places in which an edge is recorded.
const (
	InCausation   = "metadata.causation"
	InCorrelation = "metadata.correlation"
	InTurn        = "data.turn"
	InCall        = "data.call"
)

// RecordedEdge leads from a cause to what came of it, as an event says: In which field,
// and Event is the event.
type RecordedEdge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	In    string `json:"recordedIn"`
	Event string `json:"event"`
}

// InferredEdge is one that nothing says: Rule is why it is thought to be there.
type InferredEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Rule string `json:"rule"`
}

// CausalGraph is what led to what in a task. What is recorded and what is inferred are
// kept apart.
type CausalGraph struct {
	TaskID   string         `json:"taskId"`
	Head     int64          `json:"head"`
	Nodes    []GraphNode    `json:"nodes"`
	Recorded []RecordedEdge `json:"recorded"`
	Inferred []InferredEdge `json:"inferred"`
}

// ReadModel names a read model and what it is made of.
type ReadModel struct {
	Name   string
	Filter eventstore.Filter
}

// Graph returns the causes and effects of a task: all of them, or with a turn those of
// its events and model calls. It returns TASK_NOT_FOUND for a task of another tenant.
func (r Reader) Graph(ctx context.Context, tenant, id string, turn int) (CausalGraph, error) {
	g, err := r.graph(ctx, tenant, id, turn)
	if err != nil {
		return CausalGraph{}, fmt.Errorf("graph of task %s: %w", id, projections.Unavailable(err))
	}
	return g, nil
}

func (r Reader) graph(ctx context.Context, tenant, id string, turn int) (CausalGraph, error) {
	h, err := r.read(ctx, tenant, id)
	if err != nil {
		return CausalGraph{}, err
	}
	ledger, err := r.ledger(ctx, h.id)
	if err != nil {
		return CausalGraph{}, err
	}
	events := make([]Event, 0, len(h.events))
	at := 0
	for _, recorded := range h.events {
		if at, err = turnAt(recorded, at); err != nil {
			return CausalGraph{}, err
		}
		e, err := h.glance(recorded)
		if err != nil {
			return CausalGraph{}, err
		}
		e.Turn = at
		events = append(events, e)
	}
	g := graphOf(h.id, events, ledger, r.ReadModels)
	g.Head = h.head
	if turn > 0 {
		g = g.around(turn)
	}
	return g, nil
}

// graphOf draws the graph of a task's events and those of its ledger.
func graphOf(id string, events []Event, ledger []ledgerEvent, models []ReadModel) CausalGraph {
	b := &graphBuilder{
		known: map[string]bool{}, began: map[int]string{}, calls: map[string]begunCall{}, requests: map[string]bool{},
		graph: CausalGraph{TaskID: id, Nodes: []GraphNode{}, Recorded: []RecordedEdge{}, Inferred: []InferredEdge{}},
	}
	b.node(GraphNode{ID: taskNode(id), Kind: TaskNode})
	for _, e := range events {
		b.taskEvent(e)
	}
	for _, e := range ledger {
		b.ledgerEvent(e)
	}
	b.graph.Inferred = append(b.graph.Inferred, infer(events, ledger)...)
	for _, e := range events {
		b.rows(models, eventstore.Recorded{ID: e.ID, Stream: task.Stream(id), Type: e.Type}, "")
	}
	for _, e := range ledger {
		b.rows(models, e.Recorded, e.call)
	}
	return b.graph
}

type graphBuilder struct {
	graph CausalGraph
	known map[string]bool
	// began is the event that began each turn, calls those that began model calls.
	began    map[int]string
	calls    map[string]begunCall
	requests map[string]bool
}

type begunCall struct {
	event string
	turn  int
}

func taskNode(id string) string { return "task:" + id }

func (b *graphBuilder) node(n GraphNode) {
	if !b.known[n.ID] {
		b.known[n.ID] = true
		b.graph.Nodes = append(b.graph.Nodes, n)
	}
}

func (b *graphBuilder) recorded(from, to, in string) {
	b.graph.Recorded = append(b.graph.Recorded, RecordedEdge{from, to, in, to})
}

func (b *graphBuilder) taskEvent(e Event) {
	at, revision := e.RecordedAt, e.Revision
	b.node(GraphNode{ID: e.ID, Kind: EventNode, Stream: task.Stream(b.graph.TaskID), Revision: &revision, Type: e.Type, Turn: e.Turn, At: &at})
	seen, begins := e.Data.(task.PageObserved)
	if begins {
		b.requests[requestOf(seen)] = true
	}
	b.metadata(e.ID, e.Causation, e.Correlation)
	if begins {
		b.began[e.Turn] = e.ID
	} else if began := b.began[turnIn(e.Data)]; began != "" {
		b.recorded(began, e.ID, InTurn)
	}
}

// metadata draws what the envelope of an event says. A cause that is no event of the
// task is a request, if one of that id began a turn.
func (b *graphBuilder) metadata(event, causation, correlation string) {
	if causation != "" {
		switch {
		case b.known[causation]:
		case b.requests[causation]:
			causation = "request:" + causation
			b.node(GraphNode{ID: causation, Kind: RequestNode})
		default:
			causation = "elsewhere:" + causation
			b.node(GraphNode{ID: causation, Kind: OtherNode})
		}
		b.recorded(causation, event, InCausation)
	}
	if correlation == b.graph.TaskID {
		b.recorded(taskNode(correlation), event, InCorrelation)
	}
}

// ledgerEvent draws an event of a model call.
func (b *graphBuilder) ledgerEvent(e ledgerEvent) {
	started, first := e.event.(usage.LLMCallStarted)
	if first {
		b.calls[e.call] = begunCall{e.ID, started.Turn}
	}
	at, revision, m, call := e.RecordedAt, e.Revision, e.Metadata(), b.calls[e.call]
	b.node(GraphNode{ID: e.ID, Kind: EventNode, Stream: e.Stream, Revision: &revision, Type: e.Type, Turn: call.turn, At: &at, Call: e.call})
	b.metadata(e.ID, m.Causation, m.Correlation)
	switch {
	case first && b.began[started.Turn] != "":
		b.recorded(b.began[started.Turn], e.ID, InTurn)
	case !first && call.event != "":
		b.recorded(call.event, e.ID, InCall)
	}
}

// rows draws which rows an event produced, by what the read models say they take.
func (b *graphBuilder) rows(models []ReadModel, e eventstore.Recorded, call string) {
	for _, m := range models {
		if !m.Filter.Matches(e) {
			continue
		}
		n := GraphNode{ID: "rows:" + m.Name + ":" + cmp.Or(call, b.graph.TaskID), Kind: RowsNode, Model: m.Name, Call: call}
		b.node(n)
		b.graph.Inferred = append(b.graph.Inferred, InferredEdge{e.ID, n.ID, "the read model takes events of this type"})
	}
}

// around is the part of a graph with the events of a turn, and all they are connected
// with.
func (g CausalGraph) around(turn int) CausalGraph {
	in := map[string]bool{}
	for _, n := range g.Nodes {
		in[n.ID] = n.Turn == turn
	}
	out := CausalGraph{TaskID: g.TaskID, Head: g.Head, Nodes: []GraphNode{}, Recorded: []RecordedEdge{}, Inferred: []InferredEdge{}}
	near := map[string]bool{}
	touches := func(from, to string) bool {
		if !in[from] && !in[to] {
			return false
		}
		near[from], near[to] = true, true
		return true
	}
	for _, e := range g.Recorded {
		if touches(e.From, e.To) {
			out.Recorded = append(out.Recorded, e)
		}
	}
	for _, e := range g.Inferred {
		if touches(e.From, e.To) {
			out.Inferred = append(out.Inferred, e)
		}
	}
	for _, n := range g.Nodes {
		if in[n.ID] || near[n.ID] {
			out.Nodes = append(out.Nodes, n)
		}
	}
	return out
}
