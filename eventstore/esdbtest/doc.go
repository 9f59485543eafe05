// Package esdbtest runs, inside a test, a server that speaks the gRPC protocol
// of EventStoreDB: appends, reads, subscriptions, deletes, stream metadata,
// gossip. It is for tests of whatever uses an EventStoreDB client.
//
// It behaves as a node of version 24.10 does, down to what a client may trip
// over: a wrong revision is an answer and not an error, a repeated append is
// known by its ids, positions jump by the size of a record and a read from
// between two of them is refused, hidden events stay in $all, the log holds
// system events from the start. One thing is as in later versions: a checkpoint
// never names an event that has not been delivered.
//
// Faults stand between the client and the server: calls that are refused, hang,
// break off or lose their answer, a node that stands still, goes down or loses
// the lead of its cluster.
//
// The data live in memory, for as long as the Server does: Stop and Restart are
// a node that goes down and comes back with its disk. Nothing is ever scavenged.
// There is no TLS and no access control, links are not resolved, and persistent
// subscriptions and projections are not there.
package esdbtest
