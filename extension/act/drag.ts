/**
 * Drags: the mouse pressed on one element, moved over the page in steps and released on
 * another. What the browser would drag itself (draggable elements, links, pictures) is
 * dragged with the events of drag and drop and one DataTransfer, which the page fills and
 * reads. The effect of a drop (dropEffect) is always "none" in it: only a browser sets it.
 */

import { above } from "../page/element"
import { page } from "../page/index"
import { topAt } from "../page/walk"
import type { Perform } from "../protocol"
import { type Doing, Refused, pause } from "./doing"
import { cancel, dispatchDrag, moveTo, press, release } from "./mouse"
import { type Place, aim, placeOf, reach } from "./target"

/** STEPS is in how many moves a drag crosses the page: pages tell a drag from a click by
 * the moves between. */
const STEPS = 12
const STEP_TIME = 12 // milliseconds: pages follow a drag in animation frames

/** drag drags one element onto another. The second has to be in view beside the first. */
export const drag = async (from: string, to: string, expect: Perform["expect"], doing: Doing) => {
  const aimed = reach(to, undefined, doing)
  delete doing.result.recovered // it is told of the element that is dragged
  const source = await aim(from, expect, doing) // the last to be scrolled into view
  const end = page.inView(aimed.id) as { hit: boolean, x?: number, y?: number }
  if (!end.hit || end.x === undefined || end.y === undefined) {
    throw new Refused("ELEMENT_NOT_VISIBLE", "the place to drag to cannot be seen together with what is dragged")
  }
  const target = { x: end.x, y: end.y, el: aimed.el }
  doing.begin()
  moveTo(source.place)
  const { mice } = press(source.place)
  const dragged = mice ? draggedBy(source.place.el) : null
  if (dragged) await transfer(dragged, source.place, target)
  else await pull(source.place, target, mice)
}

// draggedBy is what the browser would drag itself where the mouse is pressed.
const draggedBy = (hit: Element): HTMLElement | null => {
  for (let el: Element | null = hit; el; el = above(el)) if ((el as HTMLElement).draggable) return el as HTMLElement
  return null
}

const between = (a: Place, b: { x: number, y: number }, step: number): Place => {
  const share = step / STEPS
  const [x, y] = [a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)]
  return { x, y, el: topAt(x, y) ?? document.documentElement }
}

// Where the mouse ends: on the target, wherever a sorted list has moved it to.
const endOf = (target: Place): { x: number, y: number } => (target.el.isConnected ? placeOf(target.el as HTMLElement) : null) ?? target

const pull = async (from: Place, target: Place, mice: boolean) => {
  for (let i = 1; i <= STEPS; i++) {
    moveTo(between(from, target, i), 1, mice)
    await pause(STEP_TIME)
  }
  const place = { ...target, el: topAt(target.x, target.y) ?? document.documentElement }
  release(place, mice)
  await pause(0)
}

/** transfer is drag and drop as the browser does it. A page that prevents the start keeps
 * the mouse; one that allows no drop gets none. */
const transfer = async (dragged: HTMLElement, from: Place, target: Place) => {
  const data = new DataTransfer()
  const send = (type: string, el: Element, at: { x: number, y: number }, more: DragEventInit = {}) =>
    dispatchDrag(type, el, at.x, at.y, { dataTransfer: data, buttons: type === "dragend" || type === "drop" ? 0 : 1, ...more })
  if (dragged.localName === "a") for (const type of ["text/uri-list", "text/plain"]) data.setData(type, (dragged as unknown as HTMLAnchorElement).href)
  if (!send("dragstart", dragged, from)) return pull(from, target, true)
  cancel(from)
  let over: Element | null = null
  let allowed = false
  for (let i = 1; i <= STEPS; i++) {
    const at = between(from, endOf(target), i)
    if (!send("drag", dragged, at)) break
    if (at.el !== over) {
      const before = over
      send("dragenter", at.el, at, { relatedTarget: before })
      if (before?.isConnected) send("dragleave", before, at, { cancelable: false, relatedTarget: at.el })
      over = at.el
    }
    allowed = !send("dragover", at.el, at)
    await pause(STEP_TIME)
  }
  if (over?.isConnected) {
    if (allowed) send("drop", over, endOf(target))
    else send("dragleave", over, endOf(target), { cancelable: false })
  }
  if (dragged.isConnected) send("dragend", dragged, endOf(target), { cancelable: false })
  await pause(0)
}
