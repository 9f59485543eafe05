// Package knowledge is the read model of what tenants know: their sources, how far their
// documents are, and a search in the text of those that are read.
//
// A document is found by its live version only. One event switches it to another: the
// chunks of the version before go in the transaction in which the new ones come, and the
// statistics the ranking needs with them. What is removed, withdrawn or empty is not found
// from the transaction on in which its event is applied, and of a source that is removed
// nothing is left but the row that says so, until its keys are gone as well.
//
// Search ranks chunks by BM25 over stems in the language of each chunk, by words that are
// spelt nearly like unknown ones of the question, and by vectors where both the question
// and the chunks have one of the same model; the ranks are then joined. Languages without
// spaces between words are found by every two neighbouring characters. How much is read
// for a question is bounded, whatever it says: see MaxScored and MaxVectors.
//
// Tables have every tenant's rows; row-level security leaves readers their own. Words are
// looked up in one index of all tenants, in which each chunk also has a word for its
// tenant and its source, so that what others have costs nothing.
package knowledge
