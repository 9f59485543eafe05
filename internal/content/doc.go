// Package content stores what is too large or too personal for the log: pages,
// screenshots, prompts and model answers, sealed, in Postgres (schema `content`), and
// the keys for them and for the personal text in events.
//
// There are three levels of keys: the operator's master key; one key per tenant,
// wrapped by the master key; one data key per subject (a task, or what stands in its
// place), wrapped by the tenant's key. Dropping a data key erases everything sealed
// with it, in backups too. Its row stays, so that no new key is ever created for the
// subject.
//
// Sealing is AES-256-GCM under keys derived from the data key. The nonce is derived
// from text and context, so that the same text in the same place seals to the same
// bytes and a repeated append stays the same append. References are keyed hashes:
// without the data key nobody can test a guess against them.
//
// Blobs are compressed with zstd. A page is stored as a delta against the previous page
// of its task; every chainLength pages a full one begins a new chain.
//
// The form of a blob is said by its first byte. A Store reads every form up to the newest it
// knows; a newer one is a domain.Newer. It writes none that is newer than the database says,
// when it was opened, which Finish raises once no version is left that does not know it.
//
// What Put and NewKey have returned is on disk. Leaving the flush to the append that
// follows would be faster but wrong: a server that crashes between the two and
// recovers would lose the row, while the append is repeated and succeeds. What is
// Pending is stored in one transaction with what refers to it, by whoever does that; it
// is refused if the key it was sealed under is gone.
//
// Keys are exchanged while they are in use: beside each wrapped key stands which key it is
// wrapped under, and a key goes when nothing is. A database can only be opened with the
// master keys that something in it is wrapped under.
package content
