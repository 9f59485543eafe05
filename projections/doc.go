// Package projections turns the log into what people read. The Runner pulls
// pages of events from a feed and applies them to a projection's tables; the
// read models live in the packages below, each with its tables, its mapping
// from events to rows and its queries.
//
// It promises:
//
//   - The rows of a page and the checkpoint behind it commit in one
//     transaction, which begins by moving the checkpoint from where the runner
//     thinks it is. Of two runners one moves it; the other has done nothing.
//   - A projection stopped anywhere goes on as if it had never stopped, and
//     its tables are those a rebuild from the first event would give.
//   - A new version, another log or a rebuild on demand fills new tables beside
//     the old ones, which stay readable and, where this program can, up to
//     date; the swap is one transaction and never goes back in time. A build
//     that fails, even for ever, does not hold up the live tables.
//   - Readers use the views of the schema read. Their columns are only ever
//     added to.
//   - The checkpoint moves over events the projection does not want, so its
//     distance from the head of the log is a lag and nothing else.
//
// Events are applied in the order of the log, except that a parked stream
// waits for RetryParked while the others go on. It does not decide anything:
// what comes of an event outside its own rows is the business of reactions.
package projections
