package main

import "fmt"

const (
	// directConns go to the server itself: the one that hears of news, and two that hold
	// locks.
	directConns = 1 + 2
	// fixedConns are those that no setting changes: with the log's two lanes of writers and
	// one for its keeper.
	fixedConns = 3 + directConns
)

// connections are the most of each pool that reads or keeps something.
type connections struct {
	// log serves reads of streams; run the runners of read models, read the API's reads of
	// them, operate everything else that reads them.
	log, content, identity, billing, run, read, operate int32
}

// usualConns are those of a process that has a server for itself or with one other: two
// fit into the hundred a Postgres has by default.
var usualConns = connections{log: 8, content: 8, identity: 8, billing: 5, run: 6, read: 5, operate: 3}

const (
	usualTotal = 43 + fixedConns
	// leastOfPool is what a pool needs so that who holds one connection and asks for
	// another does not wait for itself.
	leastOfPool = 2
	leastTotal  = 7*leastOfPool + fixedConns
)

func (c *connections) each() []*int32 {
	return []*int32{&c.log, &c.content, &c.identity, &c.billing, &c.run, &c.read, &c.operate}
}

// shareConnections shares out the connections of a process, each pool getting its part of
// what it usually has. With a replica for lists, those to it come on top, on that server.
func shareConnections(total int) connections {
	usual, shared := usualConns, connections{}
	want, got := usual.each(), shared.each()
	left := total - fixedConns
	for i := range got {
		*got[i] = leastOfPool
		left -= leastOfPool
	}
	for ; left > 0; left-- {
		least := 0
		for i := range got {
			if *got[i]**want[least] < *got[least]**want[i] {
				least = i
			}
		}
		*got[least]++
	}
	return shared
}

func (e *env) connections(name string) int {
	n := e.count(name, usualTotal)
	if n < leastTotal {
		e.faults = append(e.faults, fmt.Errorf("%s: a process needs %d connections, not %d", name, leastTotal, n))
	}
	return n
}
