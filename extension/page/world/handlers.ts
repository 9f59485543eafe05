/**
 * In the page's own world: which elements scripts have given handlers for clicks. The world
 * beside it cannot see them. Asked, it sends an event to each such element of the document,
 * at most 500 of them.
 */

import { HANDLERS } from "./names"

const CLICKS = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup"])
const PROPERTIES = ["onclick", "onmousedown", "onmouseup", "onpointerdown", "onpointerup"] as const
const MOST = 500

/** watchHandlers begins to note handlers. Those set before are known by their properties
 * alone. */
export const watchHandlers = () => {
  const noted = new Set<WeakRef<Element>>()
  const known = new WeakSet<Element>()
  const isElement = (target: unknown): target is Element => (target as Node | undefined)?.nodeType === 1

  const { addEventListener } = EventTarget.prototype
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...args: Parameters<EventTarget["addEventListener"]>) {
    if (CLICKS.has(args[0]) && isElement(this) && !known.has(this)) {
      known.add(this)
      noted.add(new WeakRef(this))
    }
    return addEventListener.apply(this ?? window, args)
  }

  const withProperty = () => [...document.querySelectorAll<HTMLElement>("*")].filter((el) => PROPERTIES.some((name) => typeof el[name] === "function"))

  const withListener = () => {
    const found: Element[] = []
    for (const ref of noted) {
      const el = ref.deref()
      if (!el) noted.delete(ref)
      else if (el.isConnected) found.push(el)
    }
    return found
  }

  addEventListener.call(document, HANDLERS.ask, () => {
    for (const el of [...new Set([...withListener(), ...withProperty()])].slice(0, MOST)) el.dispatchEvent(new CustomEvent(HANDLERS.answer, { composed: true }))
  })
}
