/**
 * Controls that take their value in a way of their own: sliders that scripts draw, and the
 * boxes of a code of which each takes one character.
 */

import { type PageElement } from "./element"
import { ids, offsetOf, resolve, visible } from "./walk"

const number = (el: PageElement, name: string, otherwise: number) => {
  const value = parseFloat(el.getAttribute(name) ?? "")
  return Number.isNaN(value) ? otherwise : value
}

/** slider says where a slider stands, what it goes from and to, and where its thumb and its
 * track are, in CSS pixels of the viewport. */
export const slider = (id: string) => {
  const el = resolve(id)
  if (!el || !el.hasAttribute("aria-valuenow")) return { found: false }
  const track = trackOf(el)
  const o = offsetOf(el)
  const [t, r] = [track.getBoundingClientRect(), el.getBoundingClientRect()]
  return {
    found: true, now: number(el, "aria-valuenow", 0), min: number(el, "aria-valuemin", 0), max: number(el, "aria-valuemax", 100),
    vertical: el.getAttribute("aria-orientation") === "vertical", x: o.x + r.left + r.width / 2, y: o.y + r.top + r.height / 2,
    left: o.x + t.left, top: o.y + t.top, width: t.width, height: t.height,
  }
}

/** trackOf is the nearest box around a thumb that is much longer than it; a slider that is
 * its own track has none. */
const trackOf = (el: PageElement): Element => {
  const long = (e: Element) => Math.max(e.getBoundingClientRect().width, e.getBoundingClientRect().height)
  const thumb = long(el)
  for (let box = el.parentElement, n = 0; thumb < 60 && box && n < 3; box = box.parentElement, n++) if (long(box) > 2 * thumb) return box
  return el
}

/** codeBoxes are the ids of the boxes of a code from an element on: fields of one character
 * that stand together. Empty if the element is none of at least three. */
export const codeBoxes = (id: string): string[] => {
  const el = resolve(id)
  const isBox = (e: Element) => e.localName === "input" && (e as HTMLInputElement).maxLength === 1 && visible(e as PageElement)
  if (!el || !isBox(el)) return []
  for (let box = el.parentElement, n = 0; box && n < 3; box = box.parentElement, n++) {
    const all = [...box.querySelectorAll("input")].filter(isBox)
    if (all.length >= 3) return all.slice(all.indexOf(el as HTMLInputElement)).map((e) => ids.get(e) ?? "").filter(Boolean)
  }
  return []
}
