// Package apitest has checks of the HTTP api that run against any server, over
// the wire: the api's own tests run them on fakes, the end-to-end test on the
// real thing. Routes are read from the server's own description, so that a new
// route cannot be forgotten. Walk tries every one of them with right and wrong
// input; Breaking compares two descriptions for what clients do not survive. Of
// JSON Schema it knows what the description uses, and refuses to read the rest.
// Test code only.
package apitest
