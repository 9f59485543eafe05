// Package projections turns the log into read models. The Runner reads pages of events
// from a feed and applies them to a projection's tables. The read models are in the
// packages below, each with its tables, its mapping from events to rows and its queries.
//
// It promises:
//
//   - The rows of a page and its checkpoint commit in one transaction, which begins by
//     moving the checkpoint from where the runner expects it. Of two runners one moves
//     it, and the other does nothing.
//   - A projection stopped anywhere continues as if it had not been stopped, and its
//     tables equal those of a rebuild from the first event.
//   - A new version, another log or a rebuild on demand fills new tables beside the old
//     ones, which stay readable and, where this program can apply events to them, up to
//     date. The swap is one transaction and never goes back in time. A build that fails
//     does not hold up the live tables.
//   - Readers use the views of the schema read. Columns are only added to them.
//   - The checkpoint also moves over events the projection does not want, so that its
//     distance from the head of the log is the lag.
//
// Events are applied in the order of the log, except that a parked stream waits for
// RetryParked while the others go on. Projections decide nothing: what else an event
// leads to is up to reactions.
package projections
