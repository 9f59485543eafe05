/**
 * In the page's own world: the question whether to leave a page, by which a page asks to
 * stay (beforeunload). No script can answer the browser's own, so while a task is at work
 * it does not come up: the page's listeners get a made event in place of the real one.
 * Before the page leaves by a link, a form or its scripts they are asked in the same way,
 * and where they would have the browser ask, nothing is left and it is kept as a dialog.
 *
 * A page is left unasked where the browser tells nobody beforehand: when its own scripts go
 * back to another document, and in browsers without the Navigation API. What listened
 * before this script came, in documents that are older than the permission, may be asked
 * by the browser still.
 */

import { LEAVE, type Reply, answer } from "./names"

/** What is said of a page that asks to stay: the browser tells no page's own words. */
const UNSAVED = "This page may have unsaved changes"

/** The dialogs that this one is kept with. */
export interface Kept {
  /** Whether a task is at work. */
  keeps(): boolean
  tell(kind: "beforeunload", message: string): void
  /** The answer that was decided, which is given once. */
  decided(kind: "beforeunload", message: string): Reply | null
}

// Of the Navigation API, which not every browser has.
interface Leaving extends Event {
  destination: { url: string, sameDocument: boolean }
  downloadRequest: string | null
}

/** watchLeaving begins to keep the question. */
export const watchLeaving = ({ keeps, tell, decided }: Kept) => {
  const { dispatchEvent } = window
  let asking = false

  // wouldAsk gives the page's listeners an event like the browser's. They may save something then.
  const wouldAsk = (): boolean => {
    const made = document.createEvent("BeforeUnloadEvent") as BeforeUnloadEvent
    made.initEvent("beforeunload", false, true)
    asking = true
    try {
      dispatchEvent.call(window, made)
    } finally {
      asking = false
    }
    return made.defaultPrevented || made.returnValue !== ""
  }
  // stays asks the page, and keeps its question where it has one.
  const stays = (): boolean => {
    if (!keeps() || !wouldAsk()) return false
    tell("beforeunload", UNSAVED)
    return true
  }

  addEventListener("beforeunload", (e) => {
    if (asking || !keeps()) return
    e.stopImmediatePropagation()
    wouldAsk()
  }, true)

  const { navigation } = window as { navigation?: EventTarget }
  navigation?.addEventListener("navigate", (event) => {
    const e = event as Leaving
    if (!keeps() || !e.cancelable || e.destination.sameDocument || e.downloadRequest !== null || !/^https?:/.test(e.destination.url)) return
    if (decided("beforeunload", UNSAVED)?.accept !== true && stays()) e.preventDefault()
  })
  answer(LEAVE, stays)
}
