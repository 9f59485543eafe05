/**
 * Where elements are drawn. An area of an image map is a part of its image, and what has
 * display: contents is where its content is: neither has a box of its own.
 */

import { type PageElement, isElement } from "./element"
import { shadowOf } from "./shadow"

/** imageOf is the image whose map an area belongs to, null if no image has it. */
export const imageOf = (area: Element): HTMLImageElement | null => {
  const map = area.closest<HTMLMapElement>("map")
  const root = area.getRootNode() as Document | ShadowRoot
  return map && root.querySelector(`img[usemap="#${CSS.escape(map.name)}"]`)
}

const isArea = (el: Element): el is HTMLAreaElement => el.localName === "area"

const isContents = (el: Element) => el.ownerDocument.defaultView?.getComputedStyle(el).display === "contents"

/** contentsOf is what an element shows: its shadow tree, or what is put into its slot. */
export const contentsOf = (el: Element): Node[] => {
  const put = el.localName === "slot" ? (el as HTMLSlotElement).assignedNodes() : []
  return put.length > 0 ? put : [...shadowOf(el)?.childNodes ?? el.childNodes]
}

/** isRendered is checkVisibility, and of what has no box of its own, that of what is drawn
 * for it. */
export const isRendered = (el: Element, options?: CheckVisibilityOptions): boolean => {
  if (isArea(el)) return imageOf(el)?.checkVisibility(options) ?? false
  if (el.checkVisibility(options)) return true
  if (!isContents(el)) return false
  return contentsOf(el).some((child) => (isElement(child) ? isRendered(child, options) : rectsIn(child).length > 0))
}

const rectsIn = (node: Node): DOMRect[] => {
  const range = new Range()
  range.selectNodeContents(node)
  return [...range.getClientRects()]
}

// boundsOf is what the corners of an area's shape span, in the pixels of its image.
const boundsOf = (area: HTMLAreaElement, width: number, height: number) => {
  const c = area.coords.split(/[\s,]+/).map(Number).filter((n) => !Number.isNaN(n))
  if (area.shape === "default" || c.length < 3) return { left: 0, top: 0, right: width, bottom: height }
  if (c.length === 3) return { left: c[0] - c[2], top: c[1] - c[2], right: c[0] + c[2], bottom: c[1] + c[2] }
  const xs = c.filter((_, i) => i % 2 === 0)
  const ys = c.filter((_, i) => i % 2 === 1)
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

const areaRects = (area: HTMLAreaElement): DOMRect[] => {
  const image = imageOf(area)
  if (!image) return []
  const r = image.getBoundingClientRect()
  const b = boundsOf(area, image.clientWidth, image.clientHeight)
  return [new DOMRect(r.left + image.clientLeft + b.left, r.top + image.clientTop + b.top, b.right - b.left, b.bottom - b.top)]
}

/** rectsOf are the boxes of an element in the viewport of its document. */
export const rectsOf = (el: PageElement): DOMRect[] => {
  if (isArea(el)) return areaRects(el)
  const own = [...el.getClientRects()]
  if (own.length > 0) return own
  return isContents(el) ? rectsIn(el) : own
}

/** rectOf is the box around them all; without size where there is none. */
export const rectOf = (el: PageElement): DOMRect => {
  if (!isArea(el) && el.getClientRects().length > 0) return el.getBoundingClientRect()
  const all = rectsOf(el)
  if (all.length === 0) return el.getBoundingClientRect()
  const left = Math.min(...all.map((r) => r.left))
  const top = Math.min(...all.map((r) => r.top))
  return new DOMRect(left, top, Math.max(...all.map((r) => r.right)) - left, Math.max(...all.map((r) => r.bottom)) - top)
}

/** bringIntoView scrolls until an element is in the middle of what is around it. */
export const bringIntoView = (el: PageElement) => {
  const drawn = isArea(el) ? imageOf(el) : el.getClientRects().length > 0 ? el : [...el.querySelectorAll("*")].find((inner) => inner.getClientRects().length > 0)
  ;(drawn ?? el).scrollIntoView({ block: "center", inline: "center", behavior: "instant" })
}

/** pageBox is what scrolls the page, null in a document that has nothing yet. */
export const pageBox = (): PageElement | null => document.scrollingElement ?? document.documentElement
