// Package trace exports the log to tracing systems: a trace for each task, with a span for
// each of its turns and each attempt at a model, by OTLP over HTTP with the gen_ai
// attributes of OpenTelemetry; and to Langfuse, which is such a system, also the scores
// of verdicts and tasks.
//
// The exporters are consumers of the feed: a turn neither waits for them nor knows them.
// An exporter handles one event at a time and has no queue. It promises:
//
//   - If a system is down, stalls, answers partly, is overloaded (429, 5xx) or refuses
//     the key (401, 403), the error has kind Unavailable: the feed waits and delivers the
//     event again. A Retry-After of up to five minutes is respected.
//   - If a span is refused for what it is (400, 413, 415, 422, or partly), the error is
//     another one: the feed parks the event.
//   - Ids are derived from those of the log, so what is sent again is the same span or
//     score. A changed bill is the same span with the new bill.
//   - Personal text never leaves: events are read without a key. Ids of tenants, users,
//     sessions and tasks, names, hashes, counts, costs and times do.
//
// Spans are sent when they end, so a trace appears turn by turn and its root last. A new
// consumer sends the whole log.
package trace
