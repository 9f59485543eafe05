/**
 * Where elements are: every open shadow root and every same-origin frame, ids
 * that are never used twice, and what can be seen.
 */

import { isRendered, rectOf, rectsOf } from "./boxes"
import { type PageElement, above, hostOf, isFrame } from "./element"
import { INTERACTIVE, styleOf } from "./describe"
import { scanPage, selectAll } from "./scan"
import { shadowOf } from "./shadow"

export const ID = "data-llm-id"

export const ids = new WeakMap<Element, string>() // element -> id: the truth, attributes can be cloned
const elements = new Map<string, WeakRef<PageElement>>() // id -> WeakRef(element)
const frames = new WeakMap<Element, number>() // iframe -> number, from 1
let lastID = 0
let lastFrame = 0

let ownFrame = 0

/** numberFrom goes on with ids and frames after those that other documents of the tab have
 * had. frame is the number of the frame this root stands in, 0 for the tab's own document. */
export const numberFrom = (start: number, startFrame = 0, frame = ownFrame) => {
  lastID = Math.max(lastID, start)
  lastFrame = Math.max(lastFrame, startFrame)
  ownFrame = frame
}

/** lastNumber is the last id given. */
export const lastNumber = () => lastID
/** lastFrameNumber is the last number given to a frame. */
export const lastFrameNumber = () => lastFrame
/** numberOfRoot is the number of the frame this root stands in. */
export const numberOfRoot = () => ownFrame

/** documentOf gives the document of a frame we may look into, else null. */
export const documentOf = (frame: PageElement): Document | null => {
  try {
    return frame.contentDocument ?? null
  } catch {
    return null
  }
}

export const frameNumber = (frame: Element): number => {
  const known = frames.get(frame)
  if (known !== undefined) return known
  frames.set(frame, ++lastFrame)
  return lastFrame
}

/** looksOurs reports a text that has the form of an id given here. */
export const looksOurs = (id: string) => /^(f\d+_)?\d+$/.test(id)

/** identify gives an element its id, and restores it if a re-render removed the
 * attribute or copied it to a clone. */
export const identify = (el: PageElement, frame: number): string => {
  let id = ids.get(el)
  if (id === undefined) {
    id = (frame ? `f${frame}_` : "") + String(++lastID)
    ids.set(el, id)
    elements.set(id, new WeakRef(el))
  }
  if (el.getAttribute(ID) !== id) el.setAttribute(ID, id)
  return id
}

/** resolve finds the element of an id if it is still part of the page. */
export const resolve = (id: string): PageElement | null => {
  const el = elements.get(id)?.deref()
  if (el?.isConnected && el.ownerDocument.defaultView) return el
  elements.delete(id)
  return looksOurs(id) ? null : byOwnID(id)
}

/** byOwnID finds the one element that the page itself calls by an id: a reader of the whole
 * page may have no other name for it. */
const byOwnID = (id: string): PageElement | null => {
  const value = CSS.escape(id)
  const found = id === "" ? [] : selectAll(scanPage(), `[id="${value}"],[data-id="${value}"]`)
  return found.length === 1 ? found[0] : null
}

/** parentOf climbs out of shadow roots and frames. */
export const parentOf = (node: Node): Node | null =>
  node.parentNode ?? hostOf(node) ?? (node.nodeType === 9 ? (node as Document).defaultView?.frameElement : null) ?? null

export const within = (node: Node | null, ancestor: Node | null): boolean => {
  for (let n: Node | null = node; n; n = parentOf(n)) if (n === ancestor) return true
  return false
}

/** offsetOf is where the document of an element begins in the viewport of the tab. */
export const offsetOf = (el: PageElement) => {
  let x = 0
  let y = 0
  for (let f = el.ownerDocument.defaultView?.frameElement; f; f = f.ownerDocument.defaultView?.frameElement) {
    const corner = contentCorner(f)
    x += corner.x
    y += corner.y
  }
  return { x, y }
}

/** contentCorner is where the document of a frame begins, in the viewport of the document
 * that the frame stands in. */
export const contentCorner = (frame: Element): Point => {
  const r = frame.getBoundingClientRect()
  const style = styleOf(frame)
  return { x: r.left + frame.clientLeft + parseFloat(style.paddingLeft), y: r.top + frame.clientTop + parseFloat(style.paddingTop) }
}

/** visible reports what a person could see by scrolling: rendered, larger than
 * the one pixel in which texts for screen readers are kept, and not placed
 * beyond the edges that nobody can scroll to. */
export const visible = (el: PageElement) => isRendered(el, { checkOpacity: true, checkVisibilityCSS: true }) && hasPlace(el)

const hasPlace = (el: PageElement) => {
  let { scrollX: x, scrollY: y } = el.ownerDocument.defaultView ?? window
  const beyond = (r: DOMRect) => r.right + x <= 0 || r.bottom + y <= 0
  const boxes = rectsOf(el).filter((r) => r.width > 1 && r.height > 1)
  if (!boxes.some(beyond)) return boxes.length > 0
  for (let up = above(el); up; up = above(up)) { // a list scrolled to its end
    if (up === up.ownerDocument.scrollingElement) break
    x += up.scrollLeft
    y += up.scrollTop
  }
  return !boxes.every(beyond)
}

interface Clip { left: number, top: number, right: number, bottom: number, shut: boolean }

/** clipOf is the part of the viewport of an element's document in which the boxes that
 * scroll around it show it; shut if one of them is closed to nothing. skip leaves out some
 * of the boxes. */
const clipOf = (el: PageElement, skip: (box: PageElement) => boolean = () => false): Clip => {
  const clip = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity, shut: false }
  let position = styleOf(el).position
  for (let up = above(el); up && position !== "fixed"; up = above(up)) {
    const style = styleOf(up)
    if (up === el.ownerDocument.scrollingElement || up === el.ownerDocument.body) break
    if (position === "absolute" && style.position === "static" && style.transform === "none") continue // it is not in that box
    position = style.position
    if (skip(up)) continue
    if ((style.overflowX === "visible" && style.overflowY === "visible") || ["inline", "contents", "table-row", "table-row-group"].includes(style.display)) continue
    if (up.clientWidth < 2 || up.clientHeight < 2) clip.shut = true
    const r = up.getBoundingClientRect()
    clip.left = Math.max(clip.left, r.left + up.clientLeft)
    clip.top = Math.max(clip.top, r.top + up.clientTop)
    clip.right = Math.min(clip.right, r.left + up.clientLeft + up.clientWidth)
    clip.bottom = Math.min(clip.bottom, r.top + up.clientTop + up.clientHeight)
  }
  return clip
}

/** isPageLike reports a box that scrolls most of what is on screen, as the page would. */
export const isPageLike = (box: PageElement) => box.clientHeight > 0.75 * innerHeight && box.clientWidth > 0.5 * innerWidth

/** isOutOfView reports an element of which the boxes that scroll around it show nothing. */
export const isOutOfView = (el: PageElement, skip?: (box: PageElement) => boolean) => {
  const clip = clipOf(el, skip)
  return !clip.shut && !rectsOf(el).some((r) => r.right > clip.left + 1 && r.bottom > clip.top + 1 && r.left < clip.right - 1 && r.top < clip.bottom - 1)
}

/** DRAWN are fields that designers make transparent over a drawing of their own. */
const DRAWN = "select," + ["checkbox", "radio", "file", "range", "color"].map((t) => `input[type=${t}]`).join(",")

/** transparent reports an element that is not seen but takes clicks: a control that is
 * drawn when the mouse is over its row, or a field over a drawing of it. What is
 * hidden in another way as well, or lies under something, is not meant; nor is a link
 * within the page, which is for those who use the keyboard. */
const transparent = (el: PageElement) => {
  if (isRendered(el, { checkOpacity: true }) || !isRendered(el, { checkVisibilityCSS: true }) || !hasPlace(el)) return false
  if (styleOf(el).pointerEvents === "none" || el.closest("[aria-hidden=true],[inert]") || el.matches("a[href^='#']")) return false
  const o = offsetOf(el)
  const r = rectOf(el)
  const x = r.left + o.x + r.width / 2
  const y = r.top + o.y + r.height / 2
  return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || isOutOfView(el) || clickPoint(el) !== null
}

/** onHover reports a control that is drawn only while the mouse is over it or what it
 * stands in. */
export const onHover = (el: PageElement) => !el.matches(DRAWN) && transparent(el) && !isFading(el)

/** isFading reports an element that is transparent only at this moment, such as one of a
 * dialog that is being opened. */
const isFading = (el: PageElement) => {
  for (let e: PageElement | null = el; e; e = above(e)) if (e.getAnimations().some((a) => a.playState === "running")) return true
  return false
}

/** clickableLabel is what a person would click in place of an invisible element: the
 * label of a checkbox drawn by CSS. It is null if there is nothing to click. */
export const clickableLabel = (el: PageElement): PageElement | null => {
  if (visible(el)) return el
  if (el.matches("input[type=checkbox],input[type=radio],input[type=file]")) {
    const label = [...(el.labels ?? [])].find(visible)
    if (label) return label
  }
  return transparent(el) ? el : null
}

/** topAt is the innermost element at a point of the tab's viewport. */
export const topAt = (x: number, y: number): PageElement | null => {
  let root: DocumentOrShadowRoot = document
  let hit: PageElement | null = null
  for (;;) {
    const el: PageElement | null = root.elementFromPoint(x, y)
    if (!el || el === hit) return hit
    hit = el
    const inner: Document | null = isFrame(el) ? documentOf(el) : null
    if (inner) {
      const corner = contentCorner(el)
      x -= corner.x
      y -= corner.y
      root = inner
    } else {
      const shadow = shadowOf(el)
      if (!shadow) return hit
      root = shadow
    }
  }
}

export interface Point { x: number, y: number }

/** POINTS are where in a box a click is tried, the centre first. */
const POINTS: [number, number][] = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5], [0.02, 0.1]]

/** pointsOf are those of an element that the viewport and the boxes that scroll around it
 * show. */
function* pointsOf(el: PageElement): Generator<Point> {
  const o = offsetOf(el)
  const clip = clipOf(el)
  for (const r of [rectOf(el), ...rectsOf(el)]) {
    if (r.width <= 1 || r.height <= 1) continue
    const box = { left: Math.max(r.left, clip.left), top: Math.max(r.top, clip.top), right: Math.min(r.right, clip.right), bottom: Math.min(r.bottom, clip.bottom) }
    if (box.right <= box.left || box.bottom <= box.top) continue
    for (const [fx, fy] of POINTS) {
      const x = o.x + box.left + (box.right - box.left) * fx
      const y = o.y + box.top + (box.bottom - box.top) * fy
      if (x >= 0 && y >= 0 && x < innerWidth && y < innerHeight) yield { x, y }
    }
  }
}

/** letsClicksThrough reports an element that is nowhere hit itself. */
const letsClicksThrough = (el: PageElement) => el.localName === "option" || styleOf(el).pointerEvents === "none"

/** clickPoint is a point in the viewport at which a click hits el or a part of it, the
 * centre first, or null. The controls in a clickable row are no part of it. What lets
 * clicks through is clicked in what is around it. */
export const clickPoint = (el: PageElement): Point | null => {
  let around: Point | null = null
  let inControl: Point | null = null
  for (const { x, y } of pointsOf(el)) {
    const top = topAt(x, y)
    if (top === null) continue
    if (within(top, el)) {
      const control = top.closest(`label,${INTERACTIVE}`)
      if (!control || within(el, control)) return { x, y }
      inControl ??= { x, y }
    } else if (within(el, top) && letsClicksThrough(el)) {
      around ??= { x, y }
    }
  }
  return inControl ?? around
}

/** isCovered reports an element on screen that something else is hit at. What is scrolled
 * away is not covered. */
export const isCovered = (el: PageElement) => clipOf(el).shut || (!pointsOf(el).next().done && clickPoint(el) === null)
