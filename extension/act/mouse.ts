/**
 * A mouse made of events: where it is, what it is over, and what a press of its button
 * does. The events come in the order and with the fields of a real mouse, except that the
 * page can tell that they are made. What a browser does after them of itself is done here
 * where it does not: the focus moves, an option is chosen.
 */

import { offsetOf, parentOf, topAt, within } from "../page/walk"
import { pause } from "./doing"
import { focusByMouse } from "./focus"
import { hoverStyles } from "./hover"
import type { Place } from "./target"

// What is under the mouse: in the document of this script, then in the frame there, and so
// on inwards; each with the elements around it.
let under: Element[][] = []

const documentsAt = (el: Element): Element[] => {
  const frame = el.ownerDocument.defaultView?.frameElement
  return frame && el.ownerDocument !== document ? [...documentsAt(frame), el] : [el]
}

// What the page has captured the pointer with while the button is down: the page's own
// world says so (page/world/pointer.ts), since the browser captures none for made events.
let captor: Element | null = null
let former: Element | null = null // let go of while the button was down
addEventListener("stepledger:captured", (e) => { captor = down ? e.composedPath()[0] as Element : null }, true)
addEventListener("stepledger:let-go", () => { [captor, former] = [null, captor] }, true)
let down = false

const held = (place: Place): Place => (captor?.isConnected ? { ...place, el: captor } : place)

const POINTER = { pointerId: 1, pointerType: "mouse", isPrimary: true, width: 1, height: 1 }

interface Buttons { button: number, buttons: number }

const at = (el: Element, x: number, y: number) => {
  const o = offsetOf(el)
  const view = el.ownerDocument.defaultView ?? window
  return {
    view, bubbles: true, cancelable: true, composed: true, clientX: x - o.x, clientY: y - o.y,
    screenX: screenX + (outerWidth - innerWidth) / 2 + x, screenY: screenY + outerHeight - innerHeight + y,
  }
}

const pointer = (type: string, el: Element, x: number, y: number, more: PointerEventInit) =>
  el.dispatchEvent(new PointerEvent(type, { ...at(el, x, y), ...POINTER, pressure: more.buttons ? 0.5 : 0, ...more }))

const mouse = (type: string, el: Element, x: number, y: number, more: MouseEventInit) =>
  el.dispatchEvent(new MouseEvent(type, { ...at(el, x, y), ...more, button: Math.max(0, more.button ?? 0) }))

// chainOf lists an element and those around it in its document, through shadow roots.
const chainOf = (el: Element | null): Element[] => {
  const chain: Element[] = []
  for (let n: Node | null = el; n && n.nodeType !== Node.DOCUMENT_NODE; n = parentOf(n)) if (n.nodeType === 1) chain.push(n as Element)
  return chain
}

/** cross tells the elements of one document that the mouse has left some and entered
 * others. What was under it and is gone is not told. */
const cross = (before: Element[], to: Element | null, x: number, y: number, buttons: Buttons) => {
  const left = before.filter((el) => el.isConnected)
  const from = left[0] ?? null
  if (from === to && left.length === before.length) return
  const entered = chainOf(to)
  const outOf = left.filter((el) => !entered.includes(el))
  const into = entered.filter((el) => !left.includes(el)).reverse()
  const quiet = { bubbles: false, cancelable: false, composed: false }
  for (const [kind, send] of [["pointer", pointer], ["mouse", mouse]] as const) {
    if (from && from === before[0]) send(`${kind}out`, from, x, y, { ...buttons, relatedTarget: to })
    for (const el of outOf) send(`${kind}leave`, el, x, y, { ...buttons, ...quiet, relatedTarget: to })
    if (to) send(`${kind}over`, to, x, y, { ...buttons, relatedTarget: from })
    for (const el of into) send(`${kind}enter`, el, x, y, { ...buttons, ...quiet, relatedTarget: from })
  }
}

/** moveTo moves the mouse to a place: what it leaves and enters is told, and what a style
 * sheet shows under it is shown. */
export const moveTo = (place: Place, buttons = 0, mice = true) => {
  enter(held(place), { button: -1, buttons })
  const { x, y, el } = held(place)
  if (!el.isConnected) return
  pointer("pointermove", el, x, y, { button: -1, buttons })
  if (mice) mouse("mousemove", el, x, y, { buttons })
}

const enter = ({ x, y, el }: Place, buttons: Buttons) => {
  const to = documentsAt(el)
  const from = under
  under = to.map(chainOf)
  hoverStyles(under.flat())
  for (let i = Math.max(to.length, from.length) - 1; i >= 0; i--) {
    const [a, b] = [from[i] ?? [], to[i] ?? null]
    if (a.length > 0 && b && a[0].ownerDocument !== b.ownerDocument) {
      cross(a, null, x, y, buttons)
      cross([], b, x, y, buttons)
    } else {
      cross(a, b, x, y, buttons)
    }
  }
}

/** press presses the left button. The focus moves unless the page prevents it. It says
 * whether the page wants mouse events until the release. */
export const press = ({ x, y, el }: Place): { mice: boolean } => {
  down = true
  const mice = pointer("pointerdown", el, x, y, { button: 0, buttons: 1 })
  if (mice && el.isConnected && mouse("mousedown", el, x, y, { buttons: 1, detail: 1 }) && el.isConnected) {
    focusByMouse(el)
    placeCursor(el, x, y)
  }
  return { mice }
}

// placeCursor puts the cursor where text is clicked that can be edited.
const placeCursor = (el: Element, x: number, y: number) => {
  const field = el as HTMLInputElement
  const doc = el.ownerDocument
  if ((el as HTMLElement).isContentEditable) {
    const o = offsetOf(el)
    const range = doc.caretRangeFromPoint(x - o.x, y - o.y)
    if (range && el.contains(range.startContainer)) doc.getSelection()?.collapse(range.startContainer, range.startOffset)
    return
  }
  if (field.localName !== "textarea" && !(field.localName === "input" && /^(text|search|tel|url|password)$/.test(field.type))) return
  if (field.selectionStart !== null) field.setSelectionRange(field.value.length, field.value.length)
}

/** release releases the button at a place. */
export const release = (at: Place, mice: boolean) => {
  const place = held(at)
  const { x, y, el } = place
  if (under.at(-1)?.[0] !== el) enter(place, { button: 0, buttons: 0 }) // the press has changed what is there
  pointer("pointerup", el, x, y, { button: 0, buttons: 0 })
  if (mice && el.isConnected) mouse("mouseup", el, x, y, { detail: 1 })
  letGo(place)
}

/** cancel ends what the pointer did, as the browser does when it begins a drag of its own. */
export const cancel = ({ x, y, el }: Place) => {
  pointer("pointercancel", el, x, y, { button: 0, buttons: 0, cancelable: false })
  letGo({ x, y, el })
}

const letGo = ({ x, y }: Place) => {
  down = false
  const lost = captor ?? former
  if (lost?.isConnected) pointer("lostpointercapture", lost, x, y, { button: 0, buttons: 0, cancelable: false })
  captor = former = null
}

/** dispatchDrag dispatches an event of drag and drop and says whether the page let it be. */
export const dispatchDrag = (type: string, el: Element, x: number, y: number, more: DragEventInit) =>
  el.dispatchEvent(new DragEvent(type, { ...at(el, x, y), ...more }))

/** click presses and releases the button where the mouse is and clicks what both have in
 * common. */
export const click = async (place: Place) => {
  const path = chainOf(place.el)
  const { mice } = press(place)
  const up = topAt(place.x, place.y) ?? place.el
  release({ ...place, el: up }, mice)
  const target = path.find((el) => within(up, el))
  if (!target || !place.el.isConnected) return // as of a real mouse: what it pressed is gone
  pointer("click", target, place.x, place.y, { button: 0, buttons: 0, detail: 1, isPrimary: false })
  await pause(0) // a page may answer in a moment of its own
}
