// Package secret cuts secrets out of texts: values that are known to be secret
// (Set), wherever and however they are written, and what addresses carry
// (CutURLs). It also finds the secrets a person names in plain words (Told).
//
// What it promises: after Set.Cut no value of the set is in the text, in either
// case, in either Unicode form, with characters that show nothing in between, and
// as HTML, JSON and URLs write it, also one in another; that cutting twice
// changes nothing more; and that time is linear in the text. Of a text made to be
// compared with a value for long, the rest is cut as well.
//
// A value that is also an ordinary word, or is very short, would take words with
// it that have nothing to do with it. Up to three characters, and letters alone up
// to six, are cut as words of their own. One or two characters, and words like
// "password" itself, are cut where they are quoted or follow the name of a secret
// ("password: a"), and where they are the whole text: elsewhere they tell nothing.
//
// It is no judge of what is secret: which fields are, domain/vocabulary knows.
package secret

// Mask stands where a secret was cut out.
const Mask = "[secret]"
