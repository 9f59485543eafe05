// Package prompt renders pages for the prompts of language models: a page as lines
// under a legend, chosen for a task and kept within a budget of tokens; a window of
// text around what matters; and fences around it all.
//
// It promises that the same page and task give the same text; that no text of a page
// begins a line of its own, ends its quotes or ends its fence; that invisible
// characters and values of secret fields are left out; and that the text keeps within
// its budget. Time is linear in the page, apart from sorting its elements once.
//
// Relevance is by words, weighted by how rare they are on the page. There are no
// synonyms and no inflection but a plural s. If no word of the task is on the page,
// the page is shown from its start.
package prompt
