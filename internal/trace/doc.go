// Package trace tells tracing systems what the log knows: a trace for each task,
// with a span for each of its turns and each attempt at a model, by OTLP over
// HTTP with the gen_ai attributes of OpenTelemetry; and to Langfuse, which is one
// such system, the scores of verdicts and tasks.
//
// The log is the truth and this a copy of it, made by a consumer of the feed
// after the write: a turn neither waits for it nor knows of it. An exporter holds
// one event at a time and no queue. What an exporter promises of an event:
//
//   - A system that is away, stalls, answers half or says it has enough (429, 5xx)
//     or that the key is wrong (401, 403) is an error of kind Unavailable: the
//     feed waits and the event comes again. How long a Retry-After asks for, up to
//     five minutes, is left alone.
//   - A span that is refused for what it is (400, 413, 415, 422, or partly) is
//     another error: the feed puts the event aside.
//   - Ids are derived from those of the log, so what is sent again is the same
//     span and the same score. A bill that changes is the same span with the new
//     bill.
//   - Personal text never leaves: events are read without a key. Ids of tenants,
//     users, sessions and tasks, names, hashes, counts, costs and times do.
//
// Spans are sent when they end, so a trace shows up turn by turn and its root
// last. A consumer that is new sends the whole log.
package trace
