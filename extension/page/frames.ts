/**
 * Frames whose documents cannot be reached from here, such as those of another origin.
 * Each has a script of its own; which frame of this document it stands in is found by a
 * message that it posts to its parent. A point or box of such a frame is turned into one
 * of the document around it, frame by frame, by the client that can ask all of them.
 */

import { type PageElement, isFrame } from "./element"
import { type Scan, scanPage } from "./scan"
import { clean, roleOf, styleOf } from "./describe"
import { type Point, contentCorner, documentOf, frameNumber, isCovered, offsetOf, parentOf, topAt, visible } from "./walk"

type Box = [number, number, number, number]

/** A frame of this document as the client gets it. */
export interface RawFrame {
  token: string
  /** Its number: ids in it begin with f and this number. */
  frame: number
  /** Where its document is drawn, in CSS pixels of the tab's viewport. */
  box: Box
  /** Whether it can be clicked at all: nothing lies over all of it. */
  hit: boolean
}

const MOST = 200 // tokens kept; more than frames on any page
const MOST_OF_ONE = 3 // tokens of one frame
const tokens = new Map<string, WeakRef<PageElement>>()

/** hello tells the document around this one which frame this is. The token is the client's,
 * drawn anew each time: who else sees it later can do nothing with it. */
export const hello = (token: string) => {
  parent.postMessage({ stepledger: token }, "*")
}

/** isUnreached reports a frame that has a document of its own script. */
export const isUnreached = (el: PageElement) => isFrame(el) && documentOf(el) === null

/** hearChild takes the message of a child. The first to name a token has it: a page
 * that was there before may see the message earlier, but cannot make one of its own. */
const hearChild = (e: MessageEvent) => {
  if (!e.isTrusted) return // made by a script
  const token = (e.data as { stepledger?: unknown } | null)?.stepledger
  if (typeof token !== "string" || token === "" || token.length > 100) return
  e.stopImmediatePropagation()
  if (tokens.has(token)) return
  for (const el of scanPage().unreached) {
    if (el.contentWindow !== e.source) continue
    const mine = [...tokens].filter(([, ref]) => ref.deref() === el).map(([name]) => name)
    if (mine.length >= MOST_OF_ONE) tokens.delete(mine[0])
    for (const [name, ref] of tokens) if (!ref.deref()?.isConnected) tokens.delete(name)
    if (tokens.size < MOST) tokens.set(token, new WeakRef(el))
    return
  }
}

/** hearChildren listens in a document for the messages of the frames in it. */
export const hearChildren = (doc: Document) => doc.defaultView?.addEventListener("message", hearChild, true)

/** frameOf is the frame element of a token if it is still part of the page. */
const frameOf = (token: string): PageElement | null => {
  const el = tokens.get(token)?.deref()
  return el?.isConnected && el.ownerDocument.defaultView && isUnreached(el) ? el : null
}

/** tokenOf is what the document in a frame said last, "" if it said nothing. asked leaves out
 * tokens that the client did not give out. */
export const tokenOf = (frame: PageElement, asked?: string[]): string => {
  let found = ""
  for (const [token, el] of tokens) if (el.deref() === frame && (asked?.includes(token) ?? true)) found = token
  return found
}

/** framesHere lists the frames whose documents have said hello. */
export const framesHere = (scan: Scan, offset: Point, asked?: string[]): RawFrame[] => {
  const list: RawFrame[] = []
  for (const el of scan.unreached) {
    const token = visible(el) ? tokenOf(el, asked) : ""
    if (token) list.push({ token, frame: frameNumber(el), box: moved(contentBox(el), offset), hit: !isCovered(el) })
  }
  return list
}

const moved = ([x, y, w, h]: Box, by: Point): Box => [Math.round(x + by.x), Math.round(y + by.y), Math.round(w), Math.round(h)]

/** contentBox is where the document of a frame is drawn in the viewport of this root. */
const contentBox = (el: PageElement): Box => {
  const o = offsetOf(el)
  const corner = contentCorner(el)
  const style = styleOf(el)
  const w = el.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
  const h = el.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom)
  return [o.x + corner.x, o.y + corner.y, w, h]
}

/** frameAt takes a point of a child's viewport: where it is in the viewport of this root,
 * and whether a click there hits the child's frame, else what is hit instead. */
export const frameAt = (token: string, x: number, y: number) => {
  const el = frameOf(token)
  if (!el) return { found: false, hit: false }
  const [left, top, width, height] = contentBox(el)
  const at = { x: left + x, y: top + y }
  if (x < 0 || y < 0 || x >= width || y >= height) return { found: true, hit: false, ...at, cover: "" }
  const hit = topAt(at.x, at.y)
  const cover = hit && hit !== el ? `${roleOf(hit)} ${JSON.stringify(clean(hit.innerText ?? "", 60))}` : ""
  return { found: true, hit: hit === el, ...at, cover }
}

/** showFrame scrolls what is around a child until the middle of a box of its viewport is
 * seen, and leaves things as they are where it is. */
export const showFrame = (token: string, box: Box) => {
  const el = frameOf(token)
  if (!el) return { found: false }
  const [x, y] = [box[0] + box[2] / 2, box[1] + box[3] / 2]
  const isSeen = () => frameAt(token, x, y).hit
  for (let up = parentOf(el); up && !isSeen(); up = parentOf(up)) if (up.nodeType === 1) bringInto(up as PageElement, el, x, y)
  return { found: true }
}

/** bringInto scrolls a box so that a point of a frame in it comes to its middle. */
const bringInto = (box: PageElement, frame: PageElement, x: number, y: number) => {
  const root = box === box.ownerDocument.scrollingElement
  if (!root && !["auto", "scroll", "hidden"].includes(styleOf(box).overflowY) && !["auto", "scroll", "hidden"].includes(styleOf(box).overflowX)) return
  const view = box.ownerDocument.defaultView ?? window
  const o = offsetOf(box)
  const r = box.getBoundingClientRect()
  const middle = root ? { x: o.x + view.innerWidth / 2, y: o.y + view.innerHeight / 2 } :
    { x: o.x + r.left + box.clientLeft + box.clientWidth / 2, y: o.y + r.top + box.clientTop + box.clientHeight / 2 }
  const [left, top] = contentBox(frame)
  box.scrollBy({ left: left + x - middle.x, top: top + y - middle.y, behavior: "instant" })
}
