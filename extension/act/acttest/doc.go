// Package acttest holds the tests of the extension's actions (extension/act) and of its
// script in the page's own world (extension/page/world): the TypeScript is bundled and
// put into pages of a local server in a real Chromium, and what those pages saw is
// compared with what a real mouse and keyboard do. The extension around them is not in
// these tests.
package acttest
