/**
 * What scripts make clickable without any sign of it for the eye: handlers of their own,
 * which the client finds (HEARD), and the conventions of one handler for many elements.
 */

import { type PageElement } from "./element"
import { type Scan, selectAll } from "./scan"
import { CONTROL, areaOf, holdsControls, styleOf, textBeside } from "./describe"

/** heard are the elements with a handler for clicks of their own, as far as the client has
 * told. */
const heard = new WeakSet<Element>()
let hasHeard = false
export const hear = (list: Element[]) => {
  hasHeard ||= list.length > 0
  list.forEach((el) => heard.add(el))
}

/** HANDLED are the attributes by which the handlers of frameworks, and those that read
 * event.target.closest("[data-action]"), find what was clicked. */
const HANDLED = ["data-action", "data-handler", "data-command", "data-cmd", "data-click", "data-onclick", "data-on-click", "data-href",
  "data-toggle", "data-bs-toggle", "data-dismiss", "data-bs-dismiss", "ng-click", "data-ng-click", "x-on:click", "v-on:click", "@click",
  "wire:click", "phx-click", "jsaction", "hx-get", "hx-post", "hx-put", "hx-delete"]
const HANDLED_SELECTOR = HANDLED.map((name) => `[${CSS.escape(name)}]`).join(",")

let handled: Set<Element> | null = null // those with such an attribute, kept for one pass over the page

/** keepHandled begins such a pass, or ends it. */
export const keepHandled = (scan: Scan | null) => { handled = scan && new Set(selectAll(scan, HANDLED_SELECTOR)) }

/** isHandled reports an element with such an attribute that is about clicks: a value may
 * name its event (scroll->list#more). */
const isHandled = (el: PageElement) => (handled ? handled.has(el) : el.hasAttributes() && el.matches(HANDLED_SELECTOR)) && HANDLED.some((name) => {
  const value = el.getAttribute(name)
  if (value === null || /^(tooltip|popover|none)$/.test(value)) return false
  return !(/->/.test(value) || (name === "jsaction" && value.includes(":"))) || /click|(mouse|pointer)(down|up)/.test(value)
})

/** CHOICES are words in the class of something that is chosen by a click. */
const CHOICES = /(^|[\s_-])(chip|pill|option|choice|swatch|selectable|clickable)($|[\s_-])/i
const FOR_OTHERS = /^data-(llm-id|test.*|qa.*|cy|reactid|reactroot|v-.*|aos.*|index)$/

/** isItem reports one of several like elements with data for a handler that they share: it
 * is on a box around them, or on the document and their class says that they are chosen. */
const isItem = (el: PageElement) => {
  if (!el.hasAttributes()) return false
  const isChoice = typeof el.className === "string" && CHOICES.test(el.className)
  if (!isChoice && !hasHeard) return false
  const name = el.getAttributeNames().find((n) => n.startsWith("data-") && !FOR_OTHERS.test(n))
  const beside = el.parentElement
  if (!name || !beside) return false
  const like = (other: Element | null) => other?.localName === el.localName && other.hasAttribute(name)
  if (!like(el.previousElementSibling) && !like(el.nextElementSibling)) return false
  if (isChoice) return true
  for (let up: Element | null = beside, n = 0; up && up !== document.body && n < 3; up = up.parentElement, n++) if (heard.has(up) && isSmall(up, 0.6)) return true
  return false
}

/** isSmall reports an element of at most a share of the viewport. */
export const isSmall = (el: PageElement, share: number) => areaOf(el) <= share * innerWidth * innerHeight

const BOXES = new Set(["html", "body", "main", "form", "nav", "table", "thead", "tbody", "ul", "ol", "dl", "header", "footer", "aside", "iframe",
  "video", "audio", "canvas", "option", "optgroup"])

/** takesClicks reports an element that a script makes clickable. What only listens for the
 * clicks on all that is in it is not meant. */
export const takesClicks = (el: PageElement) => {
  if (BOXES.has(el.localName) || !(heard.has(el) || isHandled(el) || isItem(el)) || labelsField(el)) return false
  if (el.closest(CONTROL) || !isSmall(el, 0.25) || styleOf(el).pointerEvents === "none") return false
  if (isLink(el)) return true
  const inside = [...el.querySelectorAll("*")].some((c) => heard.has(c) || isHandled(c))
  if (inside && !isHandled(el)) return false
  return (!holdsControls(el) || textBeside(el) !== "") && (el.innerText ?? "").length <= 300
}

/** isLink reports a link that has no address but a script: it says what it is for, or has
 * data for its handler. */
export const isLink = (el: PageElement) => el.localName === "a" && !el.hasAttribute("href")

/** labelsField reports a label of a field, or what stands in one: a click on it is one on
 * the field. */
export const labelsField = (el: PageElement) => {
  const label = el.closest("label")
  return label !== null && (label.control !== null || label.querySelector(CONTROL) !== null)
}
