// Package bouncertest puts poolers that hand out a session for a transaction between a
// test and its Postgres:
//
//   - PgBouncer is the real one, of a version that keeps prepared statements for its
//     clients; where the machine has none, root builds it from the source package of
//     Debian's newer suite, once;
//   - Strict is one in this process that is harder than any: each transaction is given
//     another session than the one before, and what a client asks for at startup is
//     refused unless PgBouncer takes it. Afterwards it tells what was left behind in its
//     sessions.
//
// Neither encrypts. Strict copies nothing (COPY) and passes no cancel requests on.
package bouncertest
