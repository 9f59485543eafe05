// Package api is Stepledger over HTTP: it authenticates, limits, decodes,
// validates and bounds a request, hands it to a command or a query, and puts
// the answer into the envelope of the contract. Nothing else happens here.
//
// routes.go is the whole route table, errors.go every error. The OpenAPI 3.1
// description is derived from the handlers' own types, served at /openapi.json
// and /openapi.yaml, and kept in openapi.yaml by a test.
//
// Promises:
//
//   - every answer but the OpenAPI files, health and what Deps.Web serves is
//     {"success":true,"data":…} or {"success":false,"code":…,"message":…};
//   - a body is read up to its cap and no further, in bounded time; the bytes of all
//     bodies under way are bounded, and what one decodes to is counted before it is
//     decoded. A sender whose body is not wanted can read why: it is heard out;
//   - text that is not UTF-8, a field named twice and a query parameter given twice,
//     unless it is a list, are refused by name. A lone surrogate escape becomes U+FFFD,
//     since browsers cut texts between its halves; the user's words become NFC;
//   - who has no token that holds is limited by address, except for health, which
//     balancers ask, and what costs nothing: a path without a route, the description;
//   - an error repeats nothing that a client sent at more than 300 characters;
//   - nobody waits for ever for what is behind the api: what does not answer in
//     time is a 503 with the code TIMEOUT, except that a turn has its own time;
//   - an answer is complete before its status is sent: a panic or a failed
//     encoding is a whole 500, never half a 200;
//   - what exists for another tenant or user does not exist for the caller: 404;
//   - every authenticated answer carries the rate limit headers;
//   - a read sees the caller's own earlier writes on any replica, or says in
//     X-Projection-Lag by how many log positions it does not;
//   - logs hold ids, routes, statuses and durations, never bodies, tokens or
//     query strings.
//
// It knows no event store, no SQL and no adapter; ports.go says what it needs.
package api
