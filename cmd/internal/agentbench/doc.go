// Package agentbench measures the whole agent from outside: a Chromium, the project's own
// client and a running server get tasks in words, and the pages themselves or a verifier
// beside them say what came of it.
//
// A task comes from one of two kinds of sets. Pages is a folder of pages that make up
// their own task from a seed and tell by global variables whether it is over and how it
// was rewarded. App is a web application with a server of its own, whose tasks are judged
// afterwards by a verifier that reads the application's state.
//
// Every episode has a tab, a site name and, of an application, a server of its own, so
// that nothing one episode leaves behind can help or disturb another. No question is
// answered: an episode that asks has ended.
//
// Limits: a page is told from its truth by what it says itself. The time an episode takes
// is that of this machine and is bounded, so a machine that is busy with other things
// measures too low.
package agentbench
