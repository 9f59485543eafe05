/**
 * What the extension puts into the page's own world, once in a document: it watches
 * requests, errors, dialogs, captured pointers and handlers of clicks, and answers questions about them. The
 * timers (timers.ts) are watched by both clients.
 */

import { keepDialogs } from "./dialogs"
import { watchHandlers } from "./handlers"
import { NETWORK } from "./names"
import { watchNetwork } from "./network"
import { watchPointer } from "./pointer"

// Whoever answers is here already.
const isThere = () => {
  let there = false
  const hear = () => { there = true }
  document.addEventListener(NETWORK.answer, hear)
  document.dispatchEvent(new Event(NETWORK.ask))
  document.removeEventListener(NETWORK.answer, hear)
  return there
}

/** installWorld begins to watch, unless this document is watched already. It says whether it
 * began. */
export const installWorld = (): boolean => {
  if (isThere()) return false
  watchNetwork()
  keepDialogs()
  watchPointer()
  watchHandlers()
  return true
}
