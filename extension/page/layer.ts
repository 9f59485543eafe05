/**
 * What lies over the whole page: a dialog, whatever its markup says.
 */

import { type PageElement } from "./element"
import type { RawNode } from "./capture"
import { styleOf } from "./describe"
import { resolve, within } from "./walk"

export let covering: Element | null = null // the layer found by the last capture

const isPlaced = (el: PageElement) => ["fixed", "absolute"].includes(styleOf(el).position)

const fillsViewport = (el: PageElement) => {
  const r = el.getBoundingClientRect()
  return r.left <= 1 && r.top <= 1 && r.right >= innerWidth - 20 && r.bottom >= innerHeight - 1 // a scroll bar may be beside it
}

/** placedAround are the elements around a hit that are placed over others, the outermost
 * first. */
const placedAround = (hit: Element) => {
  const found: PageElement[] = []
  for (let el: PageElement | null = hit; el && el !== document.body && el !== document.documentElement; el = el.parentElement) if (isPlaced(el)) found.unshift(el)
  return found
}

/** coverOf finds the layer that covers the page: it fills the viewport, is hit at its
 * corners, and elements that it does not hold lie under it. Where it is only a shade, the
 * layer is what is placed over it in the middle. */
const coverOf = (nodes: RawNode[]): Element | null => {
  const [w, h] = [innerWidth, innerHeight]
  const corners = [[4, 4], [w - 24, 4], [4, h - 4], [w - 24, h - 4]].map(([x, y]) => document.elementFromPoint(x, y)).filter((el) => el !== null)
  const candidates = new Set(corners.flatMap(placedAround))
  const outside = (el: PageElement) => nodes.filter((n) => !n.frame && !within(resolve(n.id), el))
  for (const el of candidates) {
    if (!fillsViewport(el) || corners.filter((c) => el.contains(c)).length < 3) continue
    const others = outside(el)
    if (!others.some((n) => n.occluded)) continue
    if (el.innerText?.trim() !== "") return el
    for (const [fx, fy] of [[0.5, 0.5], [0.5, 0.35], [0.5, 0.2], [0.5, 0.7], [0.9, 0.5], [0.1, 0.5]]) {
      const hit = document.elementFromPoint(w * fx, h * fy)
      const over = hit && placedAround(hit).find((p) => !p.contains(el) && !el.contains(p) && p.innerText?.trim() !== "")
      if (over) return over
    }
  }
  return null
}

/** noteCover finds the layer for what is written of the page after it. */
export const noteCover = (nodes: RawNode[]) => { covering = coverOf(nodes) }
