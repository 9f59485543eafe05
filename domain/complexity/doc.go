// Package complexity says whether a task is done with a direct action or needs to be
// reasoned about and planned, from its words and the page it begins on, without a
// model.
//
// The probability is that of the task taking more than LongSteps steps, as a logistic
// model has it whose weights (weights.txt) were fitted to recorded tasks of people on
// websites in English. It counts words and values, which is the same in every
// language; words it was not fitted to say nothing, so in other languages it goes by
// length, figures and names alone, and is less sure than it says.
//
// Functions are pure, take time linear in the length of the text and never panic. An
// empty query is simple. Nothing here knows a website: a task that is long on one and
// short on another gets one answer.
package complexity
