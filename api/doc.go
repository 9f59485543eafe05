// Package api is Stepledger over HTTP. It authenticates, limits, decodes and validates a
// request, passes it to a command or a query, and puts the answer into the contract's
// envelope. It does nothing else.
//
// routes.go is the route table, errors.go has every error. The OpenAPI 3.1 description is
// derived from the handlers' types, served at /openapi.json and /openapi.yaml, and kept
// in openapi.yaml by a test.
//
// It promises:
//
//   - every answer except the OpenAPI files, health and what Deps.Web serves is
//     {"success":true,"data":…} or {"success":false,"code":…,"message":…};
//   - a body is read up to its cap in bounded time; the bytes of all bodies under way are
//     bounded, and decoded values are counted before decoding. If a body is refused, the
//     rest of it is read for a while, so that its sender can read the answer;
//   - text that is not UTF-8, duplicate fields and duplicate query parameters (except
//     lists) are refused by name. A lone surrogate escape becomes U+FFFD, since browsers
//     cut texts between its halves; the user's words are normalised to NFC;
//   - callers without a valid token are limited by address, except for health, which
//     load balancers ask, and for the description and unknown paths, which cost nothing;
//   - an error repeats at most 300 characters of anything a client sent;
//   - no request waits for ever: if something behind the api does not answer in time the
//     answer is 503 with the code TIMEOUT. A turn has its own time;
//   - an answer is complete before its status is sent: a panic or a failed encoding is a
//     500, never half a 200;
//   - what belongs to another tenant or user does not exist for the caller: 404;
//   - every authenticated answer has the rate limit headers;
//   - a read sees the caller's earlier writes on any replica, or X-Projection-Lag says by
//     how many log positions it is behind;
//   - logs have ids, routes, statuses and durations, never bodies, tokens or query
//     strings.
//
// It knows no event store, no SQL and no adapter; ports.go has what it needs.
package api
