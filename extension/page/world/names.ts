/**
 * How the script in the page's own world and the one beside it speak: by events of the
 * document, answered at once, whose detail is JSON. A page can send and answer them as
 * well: what it says of itself is believed as little as the rest of it, and no event makes
 * the other side do anything to the page.
 */

/** Asks for the requests and errors so far; answered with Traffic. */
export const NETWORK = { ask: "stepledger:network?", answer: "stepledger:network" }
/** Asks for the dialogs since the document began; answered with SeenDialog[]. */
export const DIALOGS = { ask: "stepledger:dialogs?", answer: "stepledger:dialogs" }
/** Asks whether the page would have itself asked before it is left; answered with true or
 * false. Where it would, that is one of the dialogs. */
export const LEAVE = { ask: "stepledger:leave?", answer: "stepledger:leave" }
/** Asks which elements have handlers for clicks; each is sent the answer. */
export const HANDLERS = { ask: "stepledger:handlers?", answer: "stepledger:handled" }
/** Says until when dialogs are kept from the screen, as milliseconds of Date.now(). */
export const KEEP_DIALOGS = "stepledger:keep-dialogs"
/** Says what the next dialog with a message is answered with: Reply. */
export const REPLY = "stepledger:reply"
/** The key of the tab's storage with the last of KEEP_DIALOGS, for the next document. */
export const KEPT_UNTIL = "stepledger:dialogs-until"

/** Requests of a document. They are numbered from 1. */
export interface Traffic {
  started: number
  /** Numbers of those without an answer. */
  pending: number[]
  /** Those that no server accepted: a status from 400 on, or 0. */
  failed: { n: number, method: string, path: string, status: number }[]
  /** Uncaught errors of scripts. */
  errors: number
}

/** A dialog that was kept from the screen. They are numbered from 1. */
export interface SeenDialog { n: number, kind: "alert" | "confirm" | "prompt" | "beforeunload", message: string, initial: string }

/** What a dialog is answered with. */
export interface Reply { kind: string, message: string, accept: boolean, text: string }

/** answer answers the asks of one kind with what give gives. */
export const answer = (names: { ask: string, answer: string }, give: () => unknown) => {
  const { dispatchEvent } = document
  document.addEventListener(names.ask, () => dispatchEvent.call(document, new CustomEvent(names.answer, { detail: JSON.stringify(give()) })))
}

/** told is the detail of an event, undefined if it is no JSON. */
export const told = (e: Event): unknown => {
  try {
    return JSON.parse(String((e as CustomEvent).detail))
  } catch {
    return undefined
  }
}
