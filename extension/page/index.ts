/**
 * The page's side, which install.ts puts into a document as globalThis.stepledger, in a
 * world of its own beside the page's scripts: its functions read the page, watch it, and say what an action
 * needs to know. Everything that goes in and out is JSON.
 */

import { capture, elementsOf, focusedFrame, hash, look } from "./capture"
import { hear } from "./clickable"
import { choose, focusAll, focusTakesText, inView, locate, scroll, setDirect, typed } from "./field"
import { frameAt, hello, showFrame } from "./frames"
import { ghost, same } from "./ghost"
import { highlight } from "./highlight"
import { annotated, numbers, semantic, skeleton } from "./modes"
import { adopt } from "./shadow"
import { codeBoxes, slider } from "./special"
import { fileInput } from "./upload"
import { arm, disarm, quiet } from "./witness"

export const page = {
  hear, adopt, hello, frameAt, showFrame, focusedFrame, capture, hash, look, elementsOf, arm, disarm, quiet, locate, focusAll, typed, setDirect, choose, scroll,
  focusTakesText, inView, ghost, same, highlight, semantic, skeleton, annotated, numbers,
  fileInput, slider, codeBoxes,
}

export type PageAPI = typeof page

declare global {
  // eslint-disable-next-line no-var
  var stepledger: PageAPI | undefined
  /** Given by the client: takes what the page said, as JSON of its kind and text. */
  // eslint-disable-next-line no-var
  var stepledgerSaid: ((message: string) => void) | undefined
}
