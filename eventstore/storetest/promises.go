package storetest

import "testing"

// Promise is a promise of the stores: a row of the table in ARCHITECTURE.md and the
// name of a test of Run.
type Promise struct {
	// Area is what it is about: order, position, filter, retention and so on.
	Area string
	// Name is that of the test which asserts it.
	Name string
	// Says what is promised, in one line.
	Says string
	// Needs is the feature without which a store does not promise it. Empty:
	// there is no store without it.
	Needs Feature

	test func(*testing.T, suite)
}

// Promises returns all promises in the order of the table.
func Promises() []Promise {
	return []Promise{
		{"append", "Append", "an expected revision (none, exact, any) is checked; all events of an append are there or none", "", testAppend},
		{"append", "Race", "of racing writers with one expectation exactly one wins", "", testRace},
		{"append", "Refusals", "what no store takes is a typed error and leaves nothing behind", "", testRefusals},
		{"append", "Limits", "the largest event and the longest append are taken, in one piece", "", testLimits},
		{"append", "Repeat", "the same append again gives its first receipt and adds nothing", "", testRepeat},
		{"append", "IDConflict", "a known id in another event, or in part of an append, is refused", BodyComparison, testIDConflict},
		{"append", "IDMoved", "a known id elsewhere in its stream is refused, also where a new event would be welcome", StreamIDs, testIDMoved},
		{"append", "IDElsewhere", "in another stream a known id is another event, and its repeat is known there", "", testIDElsewhere},
		{"append", "EndedCaller", "a call ends with its context", "", testEndedCaller},
		{"read", "Bytes", "data and metadata come back byte for byte", "", testBytes},
		{"read", "ReadStream", "a stream is read by pages, from any revision, forwards and backwards", "", testReadStream},
		{"order", "Order", "all events are in one order, which is that of every stream too", "", testOrder},
		{"order", "Follow", "a reader past a position is never handed an event at or below it, whatever commits late", "", testFollow},
		{"order", "Linear", "a call sees all that was answered before it began, whoever was asked", "", testLinear},
		{"position", "Resume", "a reader goes on after any position without a loss or a repeat", "", testResume},
		{"position", "Head", "the head is the position of the last event; the id of the log does not change within an epoch", "", testHead},
		{"position", "Epoch", "a log put back to an earlier state goes on under another id, and says up to where those who followed it have its past", "", testEpoch},
		{"filter", "Filter", "by category and type; the position moves over what is left out", "", testFilter},
		{"subscription", "Wait", "news ends a wait, and where none comes the poll floor does", "", testWait},
		{"subscription", "Subscribe", "catch up, then live: in order, each event at least once", "", testSubscribe},
		{"subscription", "SlowReader", "a slow reader makes no writer wait and misses nothing", "", testSlowReader},
		{"retention", "Retention", "count and truncate-before hide at once, from every reader", "", testRetention},
		{"retention", "Age", "age hides at the moment of reading", FreshAge, testAge},
		{"retention", "Delete", "what is deleted stays hidden; revisions go on", "", testDelete},
		{"retention", "Tombstone", "an ended stream takes no append, not even a repeat", "", testTombstone},
		{"retention", "Kept", "streams that do not live for ever are listed", "", testKept},
		{"durability", "Kill", "kill -9 of a process loses, doubles and reorders nothing acknowledged", Durable, testKill},
	}
}
