// Package slot finds the values a task names ("from Houston", "zip code 10001") and
// says which of them a field of a page is to be given, without a model.
//
// Find cuts a text into every stretch of words that could be a value, with what the
// text calls it, its kind and its place; nothing in it is decided, and stretches
// overlap. A value stands in the text as it is given: "two" does not become 2, and what
// has to be known or worked out ("next Friday", the surname of an actress) is not found.
// For weighs them against each other for one field: by what the label asks for, what
// the text calls the value, the words around it. The weights (weights.txt) were fitted
// to fields people filled on websites in English; small words are known in the
// languages of words.txt, and in others a value is known by its form alone.
//
// An Answer under Sure is a guess: ask. Labels of pages are words of strangers; they
// choose among what the user said and add nothing to it. What is secret is never given.
//
// Functions are pure, take time linear in the length of the text (of which maxRead
// bytes are read) and never panic.
package slot
