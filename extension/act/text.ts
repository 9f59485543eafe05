/**
 * Values put into fields: texts as if typed over what is there, dates, colours and ranges
 * as they are stored, options, ticks, sliders by their keys. Afterwards the field is asked
 * what it holds. A value goes into the field and nowhere else, except where the page itself
 * leads the keys on while it is typed.
 */

import { page } from "../page/index"
import { isSecret } from "../page/secret"
import { resolve } from "../page/walk"
import { clear, insert, isText, newLine } from "./defaults"
import { type Doing, Refused, pause, quoted, turn } from "./doing"
import { focused, has, takeFocus } from "./focus"
import { keyOf } from "./keys"
import { press, strike } from "./keyboard"
import type { About, Target } from "./target"
import { tell } from "./tell"

type Field = HTMLInputElement

/** heldBy is what a field holds. */
const heldBy = (el: HTMLElement): string => {
  if ("value" in el && typeof el.value === "string") return el.value
  return el.innerText.replace(/\u00a0/g, " ").replace(/\n$/, "")
}

const refused = (about: About) => new Refused("VALUE_REFUSED", `${about.role} ${quoted(about.name)} did not take the value`)

/** holds compares a field's content with the value. A page may format the value; an empty
 * field did not take it. */
const holds = ({ el, about }: Target, value: string, doing: Doing) => {
  if (!el.isConnected) return
  const held = heldBy(el)
  if (held === "" && value !== "") throw refused(about)
  if (held !== value && !about.secret && !isSecret(el)) doing.result.actualState = held
}

/** setValue sets the value of an element. click is how a check box is clicked. */
export const setValue = async (target: Target, value: string, doing: Doing, click: () => Promise<void>) => {
  const { el, about } = target
  if (about.readonly) throw new Refused("ELEMENT_NOT_EDITABLE", `${about.role} ${quoted(about.name)} is read-only`)
  switch (about.kind) {
    case "select": return choose(target, value, doing)
    case "check": return check(about, value, click)
    case "direct": return setDirect(target, value, doing)
    case "text": return isCodeBox(el as Field, value) ? spread(target, value, doing) : replaceText(target, value, doing)
    case "keys": return pressValue(target, value, doing)
  }
  if (about.role === "slider") return slide(target, value, doing)
  throw new Refused("ELEMENT_NOT_EDITABLE", `${about.role} ${quoted(about.name)} takes no text`)
}

const focusOn = ({ el, about }: Target) => {
  if (!takeFocus(el)) throw new Refused("ELEMENT_NOT_EDITABLE", `${about.role} ${quoted(about.name)} does not take the focus`)
}

const selectAll = (el: HTMLElement) => {
  if ("select" in el && typeof el.select === "function") el.select()
  else el.ownerDocument.getSelection()?.selectAllChildren(el)
}

/** MOST_TYPED is the longest text, in characters, that is typed key by key: a page may
 * listen for keys. */
const MOST_TYPED = 100

// isTyped: a longer text, or one of several lines, is put in at once, as a paste is.
const isTyped = (el: HTMLElement, text: string) =>
  el.localName === "input" && text !== "" && [...text].length <= MOST_TYPED && !/[\r\n\t]/.test(text)

/** replaceText types over a field's content. What is put in at once has the last key's
 * events around it: some pages look at a field only then. */
const replaceText = async (target: Target, value: string, doing: Doing) => {
  const { el } = target
  doing.begin()
  focusOn(target)
  selectAll(el)
  const key = keyOf([...value].at(-1) ?? "Delete") ?? keyOf("Delete")!
  if (isTyped(el, value)) await byKeys(value)
  else await around(el, key, () => put(el, value))
  await pause(0) // a page that takes a value back does so in a moment of its own
  const took = () => !el.isConnected || heldBy(el) !== "" || value === ""
  if (!took() && !isTyped(el, value) && isText(focused())) {
    selectAll(el)
    await byKeys(value)
  }
  if (!took()) setNatively(el, value)
  tell(el, "change")
  await pause(0)
  holds(target, value, doing)
}

// around does something between the press and the release of a key that types nothing.
const around = async (el: HTMLElement, key: ReturnType<typeof keyOf> & object, act: () => void) => {
  const send = (type: string) => el.isConnected && el.dispatchEvent(new KeyboardEvent(type, {
    bubbles: true, cancelable: true, composed: true, view: el.ownerDocument.defaultView, key: key.key, code: key.code, keyCode: key.keyCode, shiftKey: key.shiftKey,
  }))
  send("keydown")
  act()
  send("keyup")
}

const put = (el: HTMLElement, value: string) => {
  if (value === "") return clear(el)
  if (!el.isContentEditable) return insert(el, value)
  for (const [i, line] of value.split(/\r?\n/).entries()) {
    if (i > 0) newLine(el, true)
    if (line !== "") insert(el, line)
  }
}

/** byKeys types each character by its key, into whatever takes text and has the focus by
 * then. Where nothing does, the rest would be the page's shortcuts, and is not typed. */
const byKeys = async (text: string) => {
  for (const c of characters(text)) {
    if (!isText(focused())) return
    await strike(keyOf(c)!, turn)
  }
}

// characters are the names of the keys that type a text.
const characters = (text: string) => [...text.replace(/\r\n?/g, "\n")].map((c) => ({ "\n": "Enter", "\t": "Tab" })[c] ?? c)

/** pressValue presses the keys of a value on what hears keys and holds no text. */
const pressValue = async (target: Target, value: string, doing: Doing) => {
  const { el, about } = target
  if (value === "") throw new Refused("VALUE_REFUSED", `${about.role} ${quoted(about.name)} hears keys, and cannot be emptied`)
  doing.begin()
  focusOn(target)
  for (const key of characters(value)) {
    if (!has(el)) return
    await strike(keyOf(key)!, turn)
  }
  if (about.role === "spinbutton") await step(target, value, doing)
}

// step corrects by arrow keys a number that says where it stands, and has not heard what it
// was given.
const step = async (target: Target, value: string, doing: Doing) => {
  const { el } = target
  await pause(30) // a framework says where it stands after it has drawn
  const now = el.getAttribute("aria-valuenow")
  if (!el.isConnected || now === null || Number(now) === Number(value)) return
  if (!Number.isNaN(Number(value))) return slide(target, value, doing)
  const shown = el.getAttribute("aria-valuetext") ?? now
  if (shown !== value) doing.result.actualState = shown
}

/** setNatively sets the value past whatever a framework has put over the property, and
 * tells of it. */
const setNatively = (el: HTMLElement, value: string) => {
  const view = el.ownerDocument.defaultView as (Window & typeof globalThis) | null
  const of = view && (el.localName === "textarea" ? view.HTMLTextAreaElement : el.localName === "input" ? view.HTMLInputElement : null)
  const set = of && Object.getOwnPropertyDescriptor(of.prototype, "value")?.set
  if (!set) return
  set.call(el, value)
  el.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertText", data: value }))
}

/** setDirect sets dates, colours and ranges, which cannot be typed as they are stored. */
const setDirect = (target: Target, value: string, doing: Doing) => {
  doing.begin()
  takeFocus(target.el)
  page.setDirect(target.id, value)
  holds(target, value, doing)
}

const choose = ({ id, el, about }: Target, wanted: string, doing: Doing) => {
  doing.begin()
  takeFocus(el)
  const chosen = page.choose(id, wanted) as { found: boolean, chosen: string, options?: string[] }
  if (!chosen.found) throw new Refused("ELEMENT_NOT_FOUND", `${about.role} ${quoted(about.name)} has just gone`)
  if (chosen.chosen === "") {
    throw new Refused("OPTION_NOT_FOUND", `${about.role} ${quoted(about.name)} has no such single option; it has: ${(chosen.options ?? []).join(", ")}`)
  }
  doing.result.actualState = chosen.chosen
}

const TICKED = ["true", "on", "yes", "checked", "1"]
const CLEARED = ["false", "off", "no", "unchecked", "0", ""]

const check = async (about: About, value: string, click: () => Promise<void>) => {
  const word = value.trim().toLowerCase()
  if (!TICKED.includes(word) && !CLEARED.includes(word)) {
    throw new Refused("VALUE_REFUSED", `${about.role} ${quoted(about.name)} takes true or false`)
  }
  const wanted = String(TICKED.includes(word))
  if ((about.checked || "false") === wanted) return
  if (about.role === "radio" && wanted === "false") throw new Refused("VALUE_REFUSED", `radio ${quoted(about.name)} is cleared by choosing another`)
  await click()
}

/** typeText types into what has the focus, at the cursor. A line break is the key Enter. */
export const typeText = async (text: string, doing: Doing) => {
  const el = focused()
  if (!isText(el)) throw new Refused("ELEMENT_NOT_EDITABLE", "nothing that takes text has the focus")
  doing.begin()
  if (isCodeBox(el as Field, text)) return void await spreadFrom(el as Field, text)
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (i > 0) await press("Enter", () => {})
    if (line === "") continue
    const into = focused()
    if (isTyped(into, line)) await byKeys(line)
    else await around(into, keyOf([...line].at(-1)!)!, () => insert(into, line))
    await pause(0)
  }
}

/** isCodeBox says whether a field is one of the boxes that a code is spread over: it takes
 * less than the value, and there are more like it beside it. */
const isCodeBox = (el: Field, value: string) =>
  el.localName === "input" && el.maxLength > 0 && el.maxLength < [...value].length && boxesFrom(el).length > 1

/** isSpread says whether a value goes into several boxes from an element on. */
export const isSpread = (id: string, value: string): boolean => {
  const el = resolve(id) as Field | null
  return el !== null && isCodeBox(el, value)
}

/** boxesFrom lists the like boxes from one on, as they stand in the document. */
const boxesFrom = (el: Field): Field[] => {
  for (let around = el.parentElement, up = 0; around && up < 4; around = around.parentElement, up++) {
    const like = [...around.querySelectorAll<Field>("input")].filter((o) => o.maxLength === el.maxLength && o.type === el.type && !o.disabled && !o.readOnly)
    if (like.length > 1) return like.slice(like.indexOf(el))
  }
  return [el]
}

const spread = async (target: Target, value: string, doing: Doing) => {
  doing.begin()
  focusOn(target)
  const boxes = boxesFrom(target.el as Field)
  for (const box of boxes) if (box.value !== "") setNatively(box, "")
  const held = await spreadFrom(target.el as Field, value)
  if (held.replace(/\s/g, "").length === 0 && value !== "") throw refused(target.about)
  if (held !== value && !target.about.secret && !isSecret(target.el)) doing.result.actualState = held
}

/** spreadFrom types a code from a box on. The focus is the page's to move; where it does
 * not, the next box gets it. It gives what the boxes hold then. */
const spreadFrom = async (first: Field, value: string): Promise<string> => {
  const boxes = boxesFrom(first)
  let at = 0
  for (const c of value) {
    const into = focused() as Field
    if (boxes.includes(into)) at = boxes.indexOf(into)
    const box = boxes[at]
    if (!box) break
    if (into !== box) takeFocus(box)
    if (box.value !== "" && box.value.length >= box.maxLength) box.select()
    await strike(keyOf(c)!)
    await pause(10) // a framework moves the focus after it has drawn
    if (focused() === box && box.value.length >= box.maxLength && boxes[at + 1]) takeFocus(boxes[++at])
  }
  for (const box of boxes) if (box.isConnected) tell(box, "change")
  return boxes.map((box) => box.value).join("")
}

/** MOST_STEPS bounds the keys by which a slider is brought to its value. */
const MOST_STEPS = 400

/** slide brings a slider or a number that is drawn to a value by the arrow keys. */
const slide = async (target: Target, value: string, doing: Doing) => {
  const { el, about } = target
  const wanted = Number(value.replace(/[^\d.,-]/g, "").replace(",", "."))
  const now = () => Number(el.getAttribute("aria-valuenow"))
  const isSlider = about.role === "slider" // which goes from 0 to 100 where it says nothing else
  const min = Number(el.getAttribute("aria-valuemin") ?? (isSlider ? 0 : -Infinity))
  const max = Number(el.getAttribute("aria-valuemax") ?? (isSlider ? 100 : Infinity))
  if (value.trim() === "" || Number.isNaN(wanted) || wanted < min || wanted > max) {
    throw new Refused("VALUE_REFUSED", `${about.role} ${quoted(about.name)} takes a number from ${min} to ${max}`)
  }
  const [more, less] = isSlider ? ["ArrowRight", "ArrowLeft"] : ["ArrowUp", "ArrowDown"]
  doing.begin()
  focusOn(target)
  for (let n = 0, before = NaN; n < MOST_STEPS && now() !== wanted && now() !== before; n++) {
    before = now()
    await strike(keyOf(before < wanted ? more : less)!)
    if (now() === before) await pause(30)
    if (now() === wanted || (before < wanted) === (now() < wanted)) continue
    if (Math.abs(before - wanted) < Math.abs(now() - wanted)) await strike(keyOf(now() < wanted ? more : less)!)
    break // no step comes nearer
  }
  if (now() !== wanted) {
    if (now() === min && wanted !== min) throw refused(about)
    doing.result.actualState = el.getAttribute("aria-valuetext") ?? String(now())
  }
}
