/**
 * Whether the page is still what the last capture gave, without another capture. What is
 * seen at once is: changes of the document, of what its fields hold, of scrolling, focus,
 * size and address, and running animations. A style sheet that a script rewrites rule by
 * rule is noticed only where it changes the size of the page.
 */

import { pageBox } from "./boxes"
import { textIn } from "./element"
import type { PageElement } from "./element"
import { changes } from "./witness"

/** QUIET are events of what changes the page and not its document. */
const QUIET = ["scroll", "input", "change", "focusin", "focusout", "pointerover", "load", "error", "toggle", "transitionrun", "transitionend", "animationstart", "animationend"]

let touches = 0
const touch = () => { touches++ }

/** watchTouches listens in a document or shadow tree: not every event leaves one. */
export const watchTouches = (root: Document | ShadowRoot) => QUIET.forEach((name) => root.addEventListener(name, touch, { capture: true, passive: true }))
addEventListener("resize", touch, true)

/** What is compared. */
interface Look { changes: number, touches: number, url: string, size: string, fields: [WeakRef<PageElement>, string][] }

const contentOf = (el: PageElement) => `${textIn(el)} ${el.checked} ${el.localName === "select" ? [...el.selectedOptions ?? []].map((o) => o.index).join() : ""}`

const sizeOf = () => {
  const page = pageBox()
  return [innerWidth, innerHeight, page?.scrollWidth, page?.scrollHeight, page?.scrollLeft, page?.scrollTop].join()
}

let last: Look | null = null
let boxes: [WeakRef<Element>, number][] = [] // what scrolls, and where to: its event comes a frame later
let lastHash = ""

/** lookNow is taken before the page is read, so that nothing is missed meanwhile. */
export const lookNow = (fields: PageElement[]): Look => ({
  changes: changes(), touches, url: location.href, size: sizeOf(), fields: fields.map((el) => [new WeakRef(el), contentOf(el)]),
})

/** keepLook says what was read when the page looked like that, with the boxes that scroll. */
export const keepLook = (look: Look, scrolling: Element[], hash: string) => {
  last = look
  boxes = scrolling.map((el) => [new WeakRef(el), el.scrollTop])
  lastHash = hash
}

const isMoving = () => document.getAnimations().some((a) => a.playState === "running")

/** hashIfUnchanged is the hash of the last capture where nothing has changed since, else "". */
export const hashIfUnchanged = (): string => {
  if (!last || last.changes !== changes() || last.touches !== touches || last.url !== location.href || last.size !== sizeOf() || isMoving()) return ""
  for (const [ref, top] of boxes) if (ref.deref()?.scrollTop !== top) return ""
  for (const [ref, content] of last.fields) {
    const el = ref.deref()
    if (!el || contentOf(el) !== content) return ""
  }
  return lastHash
}

/** hashOf is a short hash of texts, the same for the same: 53 bits, in hexadecimal digits. It
 * is no secret and no proof. */
export const hashOf = (...texts: string[]): string => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (const text of texts) {
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i)
      a = Math.imul(a ^ c, 2654435761)
      b = Math.imul(b ^ c, 1597334677)
    }
    a = Math.imul(a ^ 0x10000, 2654435761) // the end of one
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, "0")
}
