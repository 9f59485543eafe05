/**
 * What an action being done carries with it: what has come of it so far, and the moment
 * from which it counts as begun. Nothing of a value is kept here, except what a field that
 * is not secret holds afterwards.
 */

import type { ActResult, ErrorCode, Perform } from "../protocol"

/** An action under way. */
export interface Doing {
  /** Is called right before the first event is dispatched; from then on the action is never
   * done again. It may be called more than once. */
  begin(): void
  result: ActResult
  /** Last numbers of elements and frames in the tab. */
  ids?: Perform["ids"]
}

/** An action that the page does not allow. The message never has a value in it. */
export class Refused extends Error {
  constructor(readonly code: ErrorCode, message: string) { super(message) }
}

/** pause waits for some milliseconds. */
export const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

/** turn lets the page's tasks run before what comes next. It takes no time that a tab which
 * is not shown would stretch, as pause does. */
export const turn = () => new Promise<void>((done) => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    done()
  }
  port2.postMessage(null)
})

/** quoted is a text as errors show it. */
export const quoted = (text: string) => JSON.stringify(text)
