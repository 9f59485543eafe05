/**
 * What an action needs to know of an element, and what is done to it where no
 * real mouse or keyboard is needed.
 */

import { bringIntoView, pageBox, rectOf } from "./boxes"
import { type PageElement } from "./element"
import { innermostFocus, isScrollable } from "./capture"
import { checkedOf, clean, hasTextValue, isDisabled, roleOf } from "./describe"
import { same } from "./ghost"
import { isSecret } from "./secret"
import { clickPoint, clickableLabel, offsetOf, onHover, resolve, topAt, within } from "./walk"

const DIRECT = new Set(["date", "time", "month", "week", "datetime-local", "color", "range"])

const KEYED = new Set(["textbox", "searchbox", "spinbutton"])

// hearsKeys: it says that it takes text, holds none, and can have the focus.
const hearsKeys = (el: PageElement) => KEYED.has(roleOf(el)) && ((el.tabIndex ?? -1) >= 0 || el.hasAttribute("tabindex"))

/** kindOf is how a value is put into an element. */
const kindOf = (el: PageElement) => {
  if (el.localName === "select") return "select"
  if (el.localName === "input" && ["checkbox", "radio"].includes(el.type ?? "")) return "check"
  if (["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(roleOf(el))) return "check"
  if (el.localName === "input" && DIRECT.has(el.type ?? "")) return "direct"
  if (hasTextValue(el)) return "text"
  if (el.isContentEditable) return "text"
  return hearsKeys(el) ? "keys" : ""
}

export const onScreen = (el: PageElement) => {
  const r = rectOf(el)
  const o = offsetOf(el)
  return r.top + o.y >= 0 && r.left + o.x >= 0 && r.bottom + o.y <= innerHeight && r.right + o.x <= innerWidth
}

/** locate scrolls an element into view and returns where to click it. same says that it is
 * still what the last capture showed. */
export const locate = (id: string) => {
  const el = resolve(id)
  if (!el) return { found: false }
  const shown = clickableLabel(el)
  const about = {
    ...same(id), visible: shown !== null, disabled: isDisabled(el), kind: kindOf(el),
    onHover: onHover(el), checked: checkedOf(el), secret: isSecret(el), readonly: el.readOnly === true || el.getAttribute("aria-readonly") === "true",
  }
  if (!shown) return about
  if (!onScreen(shown) || !clickPoint(shown)) bringIntoView(shown)
  const point = clickPoint(shown)
  if (point) return { ...about, hit: true, ...point }
  const r = rectOf(shown)
  const o = offsetOf(shown)
  const top = topAt(o.x + r.left + r.width / 2, o.y + r.top + r.height / 2)
  return { ...about, hit: false, cover: top ? `${roleOf(top)} ${JSON.stringify(clean(top.innerText ?? "", 60))}` : "" }
}

const tell = (el: PageElement, ...names: string[]) => names.forEach((n) => el.dispatchEvent(new Event(n, { bubbles: true, composed: true })))

/** focusAll focuses an element and selects all of its text, if it holds any. */
export const focusAll = (id: string) => {
  const el = resolve(id)
  if (!el) return false
  el.focus?.({ preventScroll: true })
  if (el.select) el.select()
  else if (kindOf(el) !== "keys") el.ownerDocument.getSelection()?.selectAllChildren(el)
  return hasFocus(el)
}

// hasFocus: the focus is on an element, on a part of it, or on the editable text it is in.
const hasFocus = (el: PageElement) => {
  const focus = innermostFocus()
  return within(focus, el) || (focus?.isContentEditable === true && within(el, focus))
}

/** typed ends typing: pages that listen for change get it without a blur. */
export const typed = (id: string) => {
  const el = resolve(id)
  if (!el) return { found: false, value: "" }
  tell(el, "change")
  return { found: true, value: el.value ?? el.innerText ?? "" }
}

/** setDirect sets fields whose text cannot be typed as it is stored. */
export const setDirect = (id: string, value: string) => {
  const el = resolve(id)
  if (!el) return { found: false, value: "" }
  el.focus?.({ preventScroll: true })
  el.value = value
  tell(el, "input", "change")
  return { found: true, value: el.value }
}

/** chooseSeveral selects exactly the options with these texts, or none of them. */
const chooseSeveral = (el: HTMLSelectElement, wanted: string[]) => {
  const all = [...el.options].filter((o) => !o.disabled)
  const meant = wanted.map((text) => all.find((o) => clean(o.label, 300) === clean(text, 300))).filter((o) => o !== undefined)
  if (meant.length < wanted.length) return { found: true, chosen: "", options: all.slice(0, 30).map((o) => clean(o.label)) }
  el.focus?.({ preventScroll: true })
  for (const o of el.options) o.selected = meant.includes(o)
  tell(el, "input", "change")
  return { found: true, chosen: meant.map((o) => clean(o.label)).join(", ") }
}

/** focusTakesText: the focused element takes typed text. */
export const focusTakesText = () => {
  const el = innermostFocus()
  return el !== null && (kindOf(el) === "text" || el.isContentEditable) && !el.readOnly
}

/** inView returns where an element is, without scrolling to it. */
export const inView = (id: string) => {
  const el = resolve(id)
  const point = el && clickPoint(clickableLabel(el) ?? el)
  return point ? { found: true, hit: true, ...point } : { found: !!el, hit: false }
}

/** choose selects the option with this text or value; a text that only one
 * option begins with or contains is good enough. */
export const choose = (id: string, wanted: string) => {
  const el = resolve(id) as HTMLSelectElement | null
  if (!el) return { found: false, chosen: "" }
  if (el.multiple && wanted.includes("\n")) return chooseSeveral(el, wanted.split("\n"))
  const want = clean(wanted, 300).toLowerCase()
  const options = [...el.options].filter((o) => !o.disabled && !(o.parentElement as HTMLOptGroupElement).disabled)
  const tests: ((o: HTMLOptionElement) => boolean)[] = [
    (o) => clean(o.label, 300) === clean(wanted, 300), (o) => o.value === wanted, (o) => clean(o.label, 300).toLowerCase() === want,
    (o) => o.value.toLowerCase() === want, (o) => want !== "" && clean(o.label, 300).toLowerCase().startsWith(want),
    (o) => want !== "" && clean(o.label, 300).toLowerCase().includes(want),
  ]
  const fits = tests.map((t) => options.filter(t)).find((some) => some.length > 0) ?? []
  if (fits.length === 0 || (fits.length > 1 && clean(fits[0].label) !== clean(fits[1].label))) {
    return { found: true, chosen: "", options: options.slice(0, 30).map((o) => clean(o.label)) }
  }
  el.focus?.({ preventScroll: true })
  if (el.multiple) fits[0].selected = true
  else el.value = fits[0].value
  if (!el.multiple) fits[0].selected = true // two options may share a value
  tell(el, "input", "change")
  return { found: true, chosen: clean(fits[0].label) }
}

/** scroll moves the page, or a container, up or down by most of what it shows; without a
 * direction any other element is brought into view. */
export const scroll = (id: string, direction: string) => {
  const el = id === "" ? pageBox() : resolve(id)
  if (!el) return { found: false, moved: false }
  if (id !== "" && direction === "" && !isScrollable(el)) {
    el.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" })
    return { found: true, moved: true }
  }
  const before = el.scrollTop
  el.scrollBy({ top: (direction === "up" ? -0.8 : 0.8) * el.clientHeight, behavior: "instant" })
  return { found: true, moved: el.scrollTop !== before }
}
