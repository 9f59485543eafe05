// Package feed publishes the log as Watermill messages, for those who act on
// events: reactions, and publishers through which other systems follow. Read
// models do not pass through it; projections read pages.
//
// A consumer is a name with a checkpoint of its own. The Subscriber promises:
//
//   - Each event its topic lets through is delivered at least once, and the
//     next one after it is acknowledged: order holds within every stream, and
//     in the whole log.
//   - The checkpoint never passes an event that was not acknowledged. It is
//     saved every second and when the subscription ends, also where the topic
//     lets nothing through, so a restart begins near where the last one ended.
//     What was acknowledged within the second before a crash comes again.
//   - A message that is nacked comes again after a pause, which doubles up to
//     half a minute, and holds up what is behind it for as long.
//   - Of several processes one at a time is at work for a consumer, whichever
//     has its duty. Should two believe they have, the one that claimed the
//     checkpoint last can save it and the other stops; both may have handled
//     the same events by then, and none is lost.
//   - Another log, or another topic, starts the consumer over: what it has
//     handled comes again, nothing it has not is passed over.
//   - When it is told to end, a message under way is waited for, its
//     acknowledgement saved, and the next one not begun. That wait is bounded.
//   - A handler that is slow holds one page of the log in memory, and no writer.
//
// The Runner puts a Watermill router on top. A reaction's handler is tried a few
// times; then the event is put aside with the reason, and so are the later ones
// of its stream, until Replay. Trouble outside (a database or a broker that is
// away) puts nothing aside: it is waited for. A forward puts nothing aside
// either. A panic is an error like any other.
//
// Handlers see events more than once, so they have to be repeatable.
package feed
