/**
 * Check boxes and switches that a page draws of plain boxes, and whether they are on: by
 * the words of their class, or by where the knob is.
 */

import { type PageElement } from "./element"
import { isSmall } from "./clickable"
import { INTERACTIVE, isField, styleOf } from "./describe"
import { visible } from "./walk"

const DRAWN_ROLES: Record<string, string | undefined> = { checkbox: "checkbox", tickbox: "checkbox", radio: "radio", switch: "switch", toggle: "switch", toggler: "switch" }
/** OTHER_PARTS are words of boxes around such a control, and of what opens something. */
const OTHER_PARTS = /^(dropdown|menu|nav|navbar|sidebar|collapse|group|label|text|container|wrapper|list|panel|tab|tabs|row|grid|item|accordion|drawer|tree|theme|knob|thumb|handle)$/
const ON = /^(on|active|checked|enabled|selected|chosen|pressed)$/
const OFF = /^(off|inactive|unchecked|unselected)$/

/** classTokens are the names in a class, each as its words: "toggleSwitch is-on" is toggle
 * switch and is on. */
const classTokens = (el: PageElement) => (el.getAttribute("class") ?? "").split(/\s+/).filter((name) => name && !name.includes(":"))
  .map((name) => name.replace(/(\p{Ll})(\p{Lu})/gu, "$1-$2").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean))

/** drawnRole is the role that the class of a box gives it. */
const drawnRole = (el: PageElement) => {
  for (const words of classTokens(el)) {
    const word = words.find((w) => DRAWN_ROLES[w])
    if (word && !words.some((w) => OTHER_PARTS.test(w))) return DRAWN_ROLES[word] ?? ""
  }
  return ""
}

/** stateInClass is what the class or data-state of an element says. */
const stateInClass = (el: PageElement) => {
  for (const words of [...classTokens(el), [(el.getAttribute("data-state") ?? "").toLowerCase()]]) {
    const last = words.at(-1) ?? ""
    if (ON.test(last)) return "true"
    if (OFF.test(last)) return "false"
  }
  return ""
}

/** knobOf is the round part of a switch, null if it has none: a wide box with round ends
 * that shows nothing else. */
const knobOf = (el: PageElement) => {
  const box = el.getBoundingClientRect()
  if (box.height < 10 || box.height > 44 || box.width < 1.3 * box.height || box.width > 3 * box.height || el.innerText?.trim()) return null
  if (parseFloat(styleOf(el).borderTopLeftRadius) < 0.4 * box.height) return null
  const knobs = [...el.children].filter((child) => {
    const r = child.getBoundingClientRect()
    return r.height >= 0.45 * box.height && Math.abs(r.width - r.height) <= 2 && r.width < 0.7 * box.width && parseFloat(styleOf(child).borderTopLeftRadius) >= 0.4 * r.height
  })
  return knobs.length === 1 ? knobs[0] : null
}

/** knobState is on if the knob is at the end of its switch. */
const knobState = (el: PageElement, knob: Element) => {
  const [b, k] = [el.getBoundingClientRect(), knob.getBoundingClientRect()]
  const right = k.left + k.width / 2 > b.left + b.width / 2
  return String(right === (styleOf(el).direction !== "rtl"))
}

interface Drawing { role: string, checked: string }

/** drawing is the control that a box draws, without what is around it. */
const drawing = (el: PageElement): Drawing | null => {
  if (!el.checkVisibility() || el.innerText?.trim() || el.querySelector(INTERACTIVE)) return null
  const r = el.getBoundingClientRect()
  if (r.width < 8 || r.height < 8 || r.width > 90 || r.height > 48) return null
  const role = drawnRole(el)
  const knob = role === "checkbox" || role === "radio" ? null : knobOf(el)
  if (knob) return { role: "switch", checked: stateInClass(el) || knobState(el, knob) }
  const state = stateInClass(el) || (el.localName === "i" || el.localName === "svg" ? "" : undefined)
  if (role === "switch") return state ? { role, checked: state } : null
  if (role && Math.abs(r.width - r.height) <= 4) return { role, checked: state || String([...el.children].some((c) => visible(c))) }
  return null
}

/** drawnIn is the check box, radio button or switch that an element is or shows, with its
 * state; null if it shows none, or something else does. */
export const drawnIn = (el: PageElement): Drawing | null => {
  if (isField(el) || el.hasAttribute("aria-checked") || el.hasAttribute("aria-pressed") || el.hasAttribute("aria-expanded") ||
    el.hasAttribute("aria-haspopup") || !isSmall(el, 0.1)) return null
  const own = drawing(el)
  if (own || !el.firstElementChild || el.querySelector(INTERACTIVE) || (el.innerText ?? "").length > 120) return own
  const state = stateInClass(el)
  const found = [...el.querySelectorAll("[class]")].slice(0, 8).map(drawing).filter((d) => d !== null)
  return found.length === 1 ? { ...found[0], checked: found[0].checked || state } : null
}
