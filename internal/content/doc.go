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
// What Put and NewKey have returned is on disk. (Leaving the flush to the append
// that follows would be faster and wrong: a server that crashes between the two
// and recovers loses the row, while the append is tried again and succeeds.)
//
// A database is opened with the master key it was begun with, or not at all.
package content
