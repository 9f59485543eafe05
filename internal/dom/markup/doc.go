// Package markup makes the tree of a page as golang.org/x/net/html makes it, several
// times faster, for pages that are written as most are.
//
// It promises the tree of html.Parse, node by node and attribute by attribute, for any
// text: Parse says no where it is not certain, and the caller asks html.Parse. It is
// not certain of what browsers repair by moving nodes (misnested formatting around
// blocks, content between the cells of a table), of templates, framesets, MathML and
// HTML inside SVG that is not allowed there, of declarations other than comments and a
// doctype, of NUL characters, and of tags that the text ends inside of. What a browser
// writes out of a document of its own has none but templates and MathML of these.
//
// The strings of a tree are parts of the page, except those with a character reference
// or a line end to decode, so a string that is kept keeps the page in memory. Nodes and
// attributes are taken from blocks that Release makes reusable.
//
// Time is linear in the length of the text, with the depth of the tree as a factor (it
// is at most 512); memory is linear in it.
package markup
