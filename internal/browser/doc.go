// Package browser drives Chromium as the extension does: it captures a page as the V3
// tree and as HTML, executes one action at a time with a real mouse and keyboard, waits
// until the page is stable, and reports what happened meanwhile. Client acts as the whole
// thin client: capture, ask the server, execute, report, until the task ends.
//
// It promises:
//   - an element keeps its id while it is part of the page, and no id is used twice in
//     the life of a tab, whatever documents it shows;
//   - an action is executed on its element or not at all: a click that would hit
//     something else is refused (ELEMENT_OCCLUDED), and a vanished element is replaced
//     only by an unambiguous match;
//   - the values of password fields, one-time codes and card numbers never leave the
//     page;
//   - everything is bounded in time by the caller's context and by Stability.
//
// What only a script makes clickable is an element too: which elements have handlers for
// clicks is asked of the browser before each capture, in half a second at most, and those
// that share one are told by the conventions of such handlers (extension/page/clickable.ts).
//
// The page is watched from an isolated world, like a content script: the page's scripts
// and the watcher cannot see each other. Only a setTimeout and a clearTimeout are in the
// page's world, which count the timers the last action has set (those of up to a second are
// waited for), and an attachShadow.
//
// A dialog of a page (alert, confirm, prompt, leaving a page) is never answered by the
// client alone: it stays open and is shown to the server as elements on top of the page,
// with the ids dialog_accept, dialog_dismiss and dialog_text, and everything else is
// refused (DIALOG_OPEN) until one of them is clicked.
//
// A window or tab that an action opens is followed: the Tab goes on in there, with the
// same watcher and ids, and comes back when it closes or goBack has nowhere else to go.
// One that opens by itself, or shows a dialog before it can be watched, is reported alone.
//
// A file is uploaded only from Options.Files; it is copied to a folder of the tab's for
// the browser to read, which goes with the tab.
//
// Short texts are typed key by key, for pages that listen for keys; longer ones and those
// of several lines are inserted at once. A code goes into its boxes character by character,
// a slider is moved by its keys, or by the mouse where it hears none, and what only hears
// keys gets those of the value.
//
// Frames are part of the page, also those of another origin and sandboxed ones: each such
// document has a watcher of its own, and what they see is merged. A frame that cannot be
// captured, or goes meanwhile, is left out. For that the browser keeps all frames of a tab
// in one process: sites are not isolated from one another as in a browser for everyday use.
//
// Closed shadow trees are part of the page too, if a script attached them: a count in the
// page's world says that there are some, and only then are they looked for.
//
// Limits: it does not look into closed shadow trees that are written in markup; of a frame of
// another origin it sees what is at most a height of the frame away from what that shows; it
// refuses downloads. Concurrent uses of a Tab take turns.
package browser
