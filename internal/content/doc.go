// Package content keeps what is too large or too personal for the log: pages,
// screenshots, prompts and model answers, sealed, in Postgres (schema
// `content`), and the keys they and the personal text in events are sealed
// with.
//
// Keys form three levels: the master key, given by the operator; one key per
// tenant, wrapped by the master key; one data key per subject (a task, or what
// stands in its place), wrapped by the tenant's key. Dropping a data key
// erases everything sealed with it, in backups too; the row stays behind, so
// that no new key is ever made for the same subject.
//
// Sealing is AES-256-GCM under keys derived from the data key. The nonce is
// derived from text and context, so that the same text in the same place seals
// to the same bytes: a repeated append stays the same append. References are
// keyed hashes: without the data key nobody can test a guess against them.
//
// Blobs are compressed with zstd; a page is compressed against the page its
// task sent before it, and a full one begins a new chain every chainLength.
//
// Put returns before its row is flushed to disk when the log lives in the same
// Postgres (Options.AsyncCommit): the flush of any later append to the log
// flushes the row too, since both are in one write-ahead log. A blob nothing
// refers to may be lost in a crash; one that an event refers to cannot be.
package content
