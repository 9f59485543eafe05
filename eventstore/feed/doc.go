// Package feed publishes the log as Watermill messages, for those who act on events:
// reactions, and forwards to other systems. Read models do not use it; projections read
// pages.
//
// A consumer is a name with its own checkpoint. The Subscriber promises:
//
//   - Each event that matches its topic is delivered at least once, and the next one only
//     after it was acknowledged, so the order of the log is kept.
//   - The checkpoint never passes an unacknowledged event. It is saved every second and
//     when the subscription ends, also if the topic matches nothing, so a restart begins
//     near where the last one ended. Events acknowledged within the second before a crash
//     are delivered again.
//   - A nacked message is delivered again after a pause, which doubles up to half a
//     minute; later messages wait.
//   - Of several processes one at a time works for a consumer, the one with its duty. If
//     two believe they have it, the one that claimed the checkpoint last can save it and
//     the other stops; both may have handled the same events, and none is lost.
//   - Another log or topic starts the consumer over: handled events come again, and no
//     unhandled one is skipped.
//   - When it is told to end, it waits for the message under way, saves its
//     acknowledgement, and begins no other. That wait is bounded.
//   - A slow handler holds one page of the log in memory and blocks no writer.
//
// The Runner puts a Watermill router on top. A reaction's handler is tried a few times;
// then the event is parked with the reason, and later ones of its stream behind it, until
// Replay. Outages (a database or a broker that is down) are waited for without parking,
// and a forward never parks. A panic is an error like any other.
//
// Handlers may see events more than once, so they have to be idempotent.
package feed
