// Package snapshot shows a page as a client captured it, as a document that does
// nothing.
//
// What it returns is written anew, element by element, from lists of what is allowed:
// elements, attributes, functions and at-rules of style sheets, images that are in the
// document. Everything else is left out, so that what nobody thought of is too. There
// is no script and no handler in it, no form that could be sent, no frame, and no
// address: nothing is fetched, and no link leads anywhere. Names of elements that are
// not allowed but hold content become plain boxes. The element an action was about is
// outlined.
//
// It is bounded: elements, depth, style sheets, images and the length of the whole.
// What is over a bound is left out, and the document says so at its end.
//
// It does not lay the page out as a browser with its style sheets, fonts and images
// would: those a page has fetched are not in a capture. A capture that is a tree and no
// document is shown as a table of its elements.
//
// Serve it with Policy all the same. Secrets are the caller's to cut out before.
package snapshot

// Policy is the Content-Security-Policy to serve snapshots with: no scripts, no origin,
// no network.
const Policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
