/**
 * An outline around the element that is about to be acted on, for the person who watches.
 * It lies above everything in a closed shadow tree, lets every click through, and is no
 * part of what is read of the page.
 *
 * Limit: it follows scrolling and resizing, not what moves by itself.
 */

import { rectOf } from "./boxes"
import type { PageElement } from "./element"
import { disown } from "./own"
import { offsetOf, resolve } from "./walk"

let host: HTMLElement | null = null
let box: HTMLElement | null = null
let target: PageElement | null = null

/** highlight outlines the element of an id, if it is in this root; any other id, and "",
 * takes the outline away. It reports whether there is one now. */
export const highlight = (id: string): boolean => {
  target = id === "" ? null : resolve(id)
  if (!target) {
    clear()
    return false
  }
  show()
  place()
  return true
}

const STYLE: Record<string, string> = {
  position: "fixed", inset: "auto", margin: "0", padding: "0", background: "transparent", "pointer-events": "none", "box-sizing": "border-box",
  border: "3px solid #1d4ed8", "border-radius": "6px", outline: "2px solid #ffffff", overflow: "visible",
}

/** show draws above dialogs as well, which only the browser's top layer is. */
const show = (): void => {
  if (host?.isConnected) return
  clear()
  host = document.createElement("stepledger-outline")
  host.setAttribute("aria-hidden", "true")
  disown(host)
  box = document.createElement("div")
  box.popover = "manual"
  for (const [name, value] of Object.entries(STYLE)) box.style.setProperty(name, value, "important")
  host.attachShadow({ mode: "closed" }).append(box)
  document.documentElement.append(host)
  box.showPopover()
  addEventListener("scroll", place, { capture: true, passive: true })
  addEventListener("resize", place)
}

const clear = (): void => {
  host?.remove()
  host = box = null
  removeEventListener("scroll", place, { capture: true })
  removeEventListener("resize", place)
}

/** place puts the outline a little outside the element. */
const place = (): void => {
  if (!target?.isConnected || !box) return clear()
  const o = offsetOf(target)
  const r = rectOf(target)
  const around = 4
  const at = { left: r.left + o.x - around, top: r.top + o.y - around, width: r.width + 2 * around, height: r.height + 2 * around }
  for (const [name, value] of Object.entries(at)) box.style.setProperty(name, `${value}px`, "important")
}
