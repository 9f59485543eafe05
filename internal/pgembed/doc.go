// Package pgembed runs a private Postgres server for a program that was given
// no DATABASE_URL, from binaries found on the machine or fetched once.
//
// Promises:
//   - Acknowledged means durable: fsync, full_page_writes and
//     synchronous_commit stay on, and the data survives every restart. Only
//     Config.Ephemeral gives that up.
//   - One server per data directory. The process that started it owns it
//     through a file lock the kernel releases when the process dies, however
//     it dies; a second process that starts on the same directory gets the
//     running server, which ends with its owner.
//   - The server never outlives its owner: Stop ends it, a terminal's Ctrl-C
//     does not reach it before the owner has drained, and after kill -9 of the
//     owner the kernel (Linux) or the next Start (elsewhere) shuts it down.
//   - Nobody else can connect. The server listens on a Unix socket only, in a
//     directory of mode 0700 that belongs to the account the server runs as:
//     the user who called Start or, since Postgres refuses to run as root, the
//     account postgres (or nobody), which root alone can join. Inside that
//     directory authentication is "trust": a password would have to be kept in
//     a file guarded by exactly the same mode bits.
//   - Start is bounded: by its context and by timeouts of its own.
//   - Fetching leaves the machine as it was: a package is unpacked into a cache
//     and installed only where that does not work, in which case package
//     internal/debian sees that no interruption leaves it half-installed.
//
// Limits: Linux, macOS and the BSDs; elsewhere Start says to set DATABASE_URL.
// A data directory belongs to one major version of Postgres and is not
// upgraded here. Nothing is configured for replication, backup or TCP.
package pgembed
