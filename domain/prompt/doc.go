// Package prompt renders pages for the prompts of language models: elements as lines
// under a legend, and the text between them, in the order of the page and within a
// budget of tokens (Page); the places that have a text (Find); what was left out (More);
// and fences around it all.
//
// It promises that the same page and task give the same text; that no text of a page
// begins a line of its own, ends its quotes or ends its fence; that invisible
// characters and values of secret fields are left out; that the text keeps within its
// budget; and that Page and the parts of More together have every element once. Time is
// linear in the page, apart from sorting its elements.
//
// If there is not room for all, relevance decides: by words, weighted by how rare they
// are on the page. There are no synonyms and no inflection but a plural s. If no word
// of the task is on the page, the page is shown from its start.
package prompt
