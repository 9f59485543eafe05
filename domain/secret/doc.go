// Package secret removes secrets from texts: known secret values (Set), however they
// are written, and what URLs carry (CutURLs). It also finds the secrets that a person
// names in plain words (InText).
//
// After Set.Cut no value of the set is in the text, whatever its case and Unicode
// form, with invisible characters in between, and encoded in HTML, JSON or URLs, also
// nested. Cutting twice changes nothing more. The time is linear in the text; if a
// text is made to be slow to compare, the rest of it is cut as well.
//
// A value that is also an ordinary word, or very short, would take unrelated words
// with it. Values of up to three characters, and of letters alone up to six, are cut
// only as separate words. One or two characters, and words like "password" itself,
// are cut only in quotes, after the name of a secret ("password: a"), and where they
// are the whole text.
//
// Which fields are secret is not decided here but in domain/vocabulary.
package secret

// Mask replaces a secret.
const Mask = "[secret]"
