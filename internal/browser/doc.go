// Package browser drives Chromium the way the extension does: it captures a
// page as the V3 tree and as HTML, executes one action at a time with a real
// mouse and keyboard, waits until the page is stable, and witnesses what
// happened meanwhile. Client plays the whole thin client: capture, ask the
// server, execute, report, until the task ends.
//
// It promises that
//   - an element keeps its id while it is part of the page, and no id is used
//     twice in the life of a tab, whatever documents it shows;
//   - an action is executed on the element it names or not at all: a click
//     that would hit something else is refused (ELEMENT_OCCLUDED), and a
//     vanished element is replaced only by the one unmistakable match;
//   - the values of password fields, one-time codes and card numbers never
//     leave the page;
//   - everything is bounded in time by the caller's context and by Stability.
//
// The page is watched from an isolated world, as by a content script: the
// page's own scripts cannot see or change the watcher, nor it their globals. In
// their world are only a setTimeout and a clearTimeout that know which timers the
// last action has set: those of up to a second are waited for.
//
// Limits: frames of another origin and closed shadow roots are not looked
// into; a window that a page opens is reported but not followed; dialogs are
// accepted, since they answer an action that was asked for; downloads are
// refused. A Tab may be used by several goroutines, which then take turns.
package browser
