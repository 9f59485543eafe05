// Package knowledge has the use cases of what an organisation knows: sources are added and
// removed, files are received, and a Worker does what is then to be done: it reads
// documents, visits pages, and destroys what is to be forgotten.
//
// It promises:
//
//   - Every step is decided on the folded source and appended at exactly the revision it
//     was decided on. A step done twice, by two workers or after a crash, appends nothing
//     the second time.
//   - A document that was received comes to an end, however often whoever reads it dies.
//   - What was removed is found no more by any Finder from the moment the removal is
//     answered, however far the read models are behind.
//   - Text is sealed under a key of its own for each version; forgetting destroys it.
//
// Fetching and parsing are ports. What they bring is data of strangers.
package knowledge
