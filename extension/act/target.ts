/**
 * Finds the element of an action and brings it into view, and finds the point at which a
 * click hits it. An element that is gone is replaced by its ghost, never by one of another
 * name or row; nothing is dispatched here.
 */

import type { Perform } from "../protocol"
import { page } from "../page/index"
import { clickPoint, clickableLabel, offsetOf, resolve, topAt, within } from "../page/walk"
import { type Doing, Refused, pause, quoted } from "./doing"
import { areaPoint } from "./area"

/** What the page's side says of an element (page/field.ts). */
export interface About {
  found: boolean
  visible: boolean
  disabled: boolean
  readonly: boolean
  secret: boolean
  hit?: boolean
  onHover: boolean
  x: number
  y: number
  cover: string
  kind: string
  role: string
  name: string
  checked: string
}

export interface Target { id: string, el: HTMLElement, about: About }

/** A point of the viewport of this document, and the innermost element there. */
export interface Place { x: number, y: number, el: Element }

/** Milliseconds to wait for something that covers an element to go away, such as an overlay
 * that is fading out. */
const UNCOVERED_WITHIN = 600
const POLL = 50

const gone = (id: string) => new Refused("ELEMENT_NOT_FOUND", `there is no element ${quoted(id)} on this page`)

/** find gives the element with an id, or its ghost, scrolled into view, whether or not it
 * can be seen. */
export const find = (id: string, expect: Perform["expect"], doing: Doing): Target => {
  let about = page.locate(id) as About
  if (!about.found) {
    const { id: found, lastID, lastFrame } = page.ghost(id, doing.ids?.id, doing.ids?.frame)
    doing.result.ids = { id: lastID, frame: lastFrame }
    if (!found) throw gone(id)
    id = doing.result.recovered = found
    about = page.locate(found) as About
  }
  const el = resolve(id) as HTMLElement | null
  if (!about.found || !el) throw gone(id)
  if (!page.same(id, expect).same) throw new Refused("ELEMENT_NOT_FOUND", `element ${quoted(id)} has become another`)
  return { id, el, about }
}

/** reach gives the element of an action, scrolled into view. It throws Refused if it is
 * gone, hidden or disabled. */
export const reach = (id: string, expect: Perform["expect"], doing: Doing): Target => {
  const target = find(id, expect, doing)
  const { about } = target
  if (!about.visible && target.el.localName !== "area") throw new Refused("ELEMENT_NOT_VISIBLE", `${about.role} ${quoted(about.name)} cannot be seen`)
  if (about.disabled) throw new Refused("ELEMENT_DISABLED", `${about.role} ${quoted(about.name)} is disabled`)
  return target
}

/** hidden gives the element of an action if it is there, and not drawn. */
export const hidden = (id: string, expect: Perform["expect"], doing: Doing): HTMLElement | null => {
  const { el, about } = find(id, expect, doing)
  return about.visible || el.localName === "area" ? null : el
}

/** placeOf is where a click hits an element, a part of it or its label; null where
 * something else is hit. The element is in view. */
export const placeOf = (el: HTMLElement): Place | null => {
  const point = el.localName === "area" ? areaPoint(el as unknown as HTMLAreaElement) : clickPoint(clickableLabel(el) ?? el) ?? labelPoint(el)
  const hit = point && topAt(point.x, point.y)
  return hit ? { x: point.x, y: point.y, el: hit } : null
}

// A label may lie over the field it is of.
const labelPoint = (el: HTMLElement) => {
  const r = el.getBoundingClientRect()
  const o = offsetOf(el)
  const point = { x: o.x + r.left + r.width / 2, y: o.y + r.top + r.height / 2 }
  const top = topAt(point.x, point.y)
  const labels: HTMLElement[] = [...((el as HTMLInputElement).labels ?? [])]
  return top && labels.some((label) => within(top, label)) ? point : null
}

/** aim is reach for the mouse: it waits until a click at the place it gives hits the
 * element. */
export const aim = async (id: string, expect: Perform["expect"], doing: Doing): Promise<Target & { place: Place }> => {
  const deadline = performance.now() + UNCOVERED_WITHIN
  for (;;) {
    const target = reach(id, expect, doing)
    const place = placeOf(target.el)
    if (place) return { ...target, place }
    if (performance.now() > deadline) throw unreachable(target.about)
    await pause(POLL)
    id = target.id
  }
}

const unreachable = (about: About) => about.cover
  ? new Refused("ELEMENT_OCCLUDED", `${about.role} ${quoted(about.name)} is covered by ${about.cover}`)
  : new Refused("ELEMENT_NOT_VISIBLE", `${about.role} ${quoted(about.name)} cannot be brought into view`)
