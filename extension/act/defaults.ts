/**
 * What a browser does of itself after a key that the page did not prevent, and does not do
 * after a made one: text is typed and deleted, forms are submitted, buttons pressed, the
 * focus moves, values step, dialogs close, boxes scroll. Not here: the clipboard's paste,
 * and the browser's own shortcuts.
 */

import { parentOf } from "../page/walk"
import { focusNext, takeFocus } from "./focus"
import type { Key } from "./keys"
import { tell } from "./tell"

type Input = HTMLInputElement

const isInput = (el: Element, ...types: string[]) => el.localName === "input" && types.includes((el as Input).type)

/** isText says whether typed characters go into an element. */
export const isText = (el: Element): boolean => {
  if ((el as HTMLElement).isContentEditable) return true
  if (el.localName === "textarea") return !(el as HTMLTextAreaElement).readOnly && !(el as HTMLTextAreaElement).disabled
  if (el.localName !== "input" || (el as Input).readOnly || (el as Input).disabled) return false
  return ["text", "search", "email", "url", "tel", "password", "number"].includes((el as Input).type)
}

// Fields with typed text that have not been told of a change.
const unsaid = new WeakSet<Element>()

/** edit changes the text of the focused field, as the browser does: the page is asked
 * before and told after. name is a command of execCommand, kind the input's type. */
const edit = (el: Element, name: string, kind: string, data: string | null = null): boolean => {
  const selection = (el as HTMLElement).isContentEditable ? el.ownerDocument.getSelection() : null
  const targetRanges = selection?.rangeCount ? [new StaticRange(selection.getRangeAt(0))] : []
  if (!ask(el, kind, data, targetRanges)) return true
  unsaid.add(el)
  return command(el, name, data ?? undefined)
}

const ask = (el: Element, inputType: string, data: string | null, targetRanges: StaticRange[] = []) =>
  el.dispatchEvent(new InputEvent("beforeinput", { bubbles: true, cancelable: true, composed: true, inputType, data, targetRanges } as InputEventInit))

const command = (el: Element, name: string, value?: string) => el.ownerDocument.execCommand(name, false, value)

/** insert types a text over the selection of the focused field. */
export const insert = (el: Element, text: string) => edit(el, "insertText", "insertText", text)

/** newLine breaks the line, or begins a paragraph. */
export const newLine = (el: Element, paragraph: boolean) => {
  const kind = paragraph ? "insertParagraph" : "insertLineBreak"
  return edit(el, kind, kind)
}

/** clear deletes what is selected. */
export const clear = (el: Element) => edit(el, "delete", "deleteContentBackward")

/** afterPress is what a key that types does. */
export const afterPress = (el: HTMLElement, key: Key) => {
  if (key.key === "Enter") return enter(el, key)
  if (isText(el)) return void insert(el, key.text)
  if (key.key === " ") space(el, key)
}

const enter = (el: HTMLElement, key: Key) => {
  if (el.isContentEditable) return void newLine(el, !key.shiftKey)
  if (el.localName === "textarea") return void (isText(el) && newLine(el, false))
  if (el.localName === "summary" || el.localName === "button" || isInput(el, "button", "submit", "reset", "image", "file", "color")) return el.click()
  if (el.localName !== "input") return
  if (isText(el) && !ask(el, "insertLineBreak", null)) return
  if (unsaid.delete(el)) tell(el, "change")
  submit((el as Input).form)
}

// isLink: a link is followed by the press of Enter, before it types.
const isLink = (el: HTMLElement) => el.matches("a[href],area[href]") && !el.isContentEditable

/** submit is implicit submission: by the form's submit button, or without one if the form
 * has but one field of text. */
const submit = (form: HTMLFormElement | null) => {
  if (!form) return
  const controls = [...form.elements] as Input[]
  const button = controls.find((c) => c.matches("button[type=submit],button:not([type]),input[type=submit],input[type=image]"))
    ?? [...form.querySelectorAll<Input>("input[type=image]")][0]
  if (button) {
    if (!button.disabled) button.click()
    return
  }
  const texts = controls.filter((c) => c.localName === "input" && !["checkbox", "radio", "hidden", "button", "reset", "file", "range", "color"].includes(c.type))
  if (texts.length < 2) form.requestSubmit()
}

const space = (el: HTMLElement, key: Key) => {
  if (pressedBySpace(el) || el.localName === "select") return
  scrollFrom(el, (box) => (key.shiftKey ? -0.9 : 0.9) * box.clientHeight)
}

const pressedBySpace = (el: HTMLElement) => el.localName === "button" || el.localName === "summary" ||
  isInput(el, "button", "submit", "reset", "image", "checkbox", "radio", "file", "color")

/** afterUp is what the release of a key does. */
export const afterUp = (el: HTMLElement, key: Key) => {
  if (key.key === " " && pressedBySpace(el)) el.click()
}

/** afterDown is what a key does before it types, or if it types nothing. */
export const afterDown = (el: HTMLElement, key: Key) => {
  if (key.key === "Enter") return isLink(el) ? el.click() : undefined
  if (key.ctrlKey || key.metaKey) {
    if (!key.altKey && shortcut(el, key)) return
    if (key.key.length === 1) return
  }
  switch (key.key) {
    case "Tab": return key.ctrlKey || key.altKey || key.metaKey ? undefined : focusNext(key.shiftKey)
    case "Escape": return escape(el)
    case "Backspace": return erase(el, key, "backward")
    case "Delete": return erase(el, key, "forward")
  }
  const way = WAYS[key.key]
  if (way && !key.altKey) move(el, key, way)
}

const shortcut = (el: HTMLElement, key: Key): boolean => {
  switch (key.key.toLowerCase()) {
    case "a":
      if ("select" in el && isText(el)) (el as Input).select()
      else command(el, "selectAll")
      return true
    case "c": return command(el, "copy")
    case "x": return command(el, "cut")
    case "z": return command(el, key.shiftKey ? "redo" : "undo")
    case "y": return command(el, "redo")
  }
  return false
}

const erase = (el: HTMLElement, key: Key, way: "backward" | "forward") => {
  if (!isText(el)) return
  const selection = el.ownerDocument.getSelection()
  if (key.ctrlKey && selection) selection.modify("extend", way, "word")
  const size = key.ctrlKey ? "Word" : "Content"
  edit(el, way === "backward" ? "delete" : "forwardDelete", `delete${size}${way === "backward" ? "Backward" : "Forward"}`)
}

const escape = (el: HTMLElement) => {
  for (let doc: Document | undefined | null = el.ownerDocument; doc; doc = doc.defaultView?.frameElement?.ownerDocument) {
    const popovers = doc.querySelectorAll<HTMLElement>("[popover]:not([popover=manual]):popover-open")
    if (popovers.length > 0) return popovers[popovers.length - 1].hidePopover()
    const dialogs = doc.querySelectorAll<HTMLDialogElement>("dialog:modal")
    const dialog = dialogs[dialogs.length - 1]
    if (dialog) {
      if (dialog.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close()
      return
    }
  }
}

interface Way { x: number, y: number, direction: string, granularity: string, share: number }
const WAYS: Record<string, Way> = {
  ArrowLeft: { x: -1, y: 0, direction: "left", granularity: "character", share: 0 },
  ArrowRight: { x: 1, y: 0, direction: "right", granularity: "character", share: 0 },
  ArrowUp: { x: 0, y: -1, direction: "backward", granularity: "line", share: 0 },
  ArrowDown: { x: 0, y: 1, direction: "forward", granularity: "line", share: 0 },
  Home: { x: 0, y: -1, direction: "backward", granularity: "lineboundary", share: 1 },
  End: { x: 0, y: 1, direction: "forward", granularity: "lineboundary", share: 1 },
  PageUp: { x: 0, y: -1, direction: "backward", granularity: "line", share: 0.9 },
  PageDown: { x: 0, y: 1, direction: "forward", granularity: "line", share: 0.9 },
}
const LINE = 40 // CSS pixels that an arrow scrolls

const move = (el: HTMLElement, key: Key, way: Way) => {
  if (isInput(el, "number") && way.x === 0 && way.share === 0) return step(el as Input, -way.y)
  if (isInput(el, "range")) return slide(el as Input, key)
  if (isInput(el, "radio") && way.share === 0) return nextRadio(el as Input, way.x + way.y)
  if (el.localName === "select") return nextOption(el as HTMLSelectElement, key, way)
  if (isText(el) || (el as Input).readOnly) return moveCursor(el, key, way)
  scrollFrom(el, (box) => way.y * (way.share === 1 ? box.scrollHeight : way.share * box.clientHeight || LINE), way.x * LINE)
}

const moveCursor = (el: HTMLElement, key: Key, way: Way) => {
  let granularity = way.granularity
  if (key.ctrlKey) granularity = granularity === "lineboundary" ? "documentboundary" : granularity === "character" ? "word" : "paragraph"
  el.ownerDocument.getSelection()?.modify(key.shiftKey ? "extend" : "move", way.direction, granularity)
}

const step = (el: Input, by: number) => {
  if (el.readOnly || el.disabled) return
  const before = el.value
  const stepped = el.cloneNode() as Input
  stepped.value = before
  if (by > 0) stepped.stepUp()
  else stepped.stepDown()
  if (!ask(el, "insertText", stepped.value)) return
  el.value = stepped.value
  if (el.value !== before) tell(el, "input", "change")
}

const slide = (el: Input, key: Key) => {
  if (el.disabled) return
  const before = el.value
  const [min, max] = [el.min === "" ? 0 : Number(el.min), el.max === "" ? 100 : Number(el.max)]
  const rtl = getComputedStyle(el).direction === "rtl"
  const forward = key.key === "ArrowUp" || key.key === (rtl ? "ArrowLeft" : "ArrowRight")
  if (key.key === "Home") el.value = String(min)
  else if (key.key === "End") el.value = String(max)
  else if (key.key.startsWith("Page")) el.value = String(Number(el.value) + (key.key === "PageUp" ? 1 : -1) * (max - min) / 10)
  else if (forward) el.stepUp()
  else el.stepDown()
  if (el.value !== before) tell(el, "input", "change")
}

const nextRadio = (el: Input, by: number) => {
  const root = el.form ?? el.getRootNode() as Document
  const all = [...root.querySelectorAll<Input>("input[type=radio]")].filter((r) => r.name === el.name && r.form === el.form && !r.disabled)
  const next = all[(all.indexOf(el) + by + all.length) % all.length]
  if (!next || next === el || el.name === "") return
  takeFocus(next, true)
  next.click()
}

const nextOption = (el: HTMLSelectElement, key: Key, way: Way) => {
  if (el.disabled || el.multiple) return
  const options = [...el.options].filter((o) => !o.disabled && !(o.parentElement as HTMLOptGroupElement).disabled)
  const now = options.indexOf(el.options[el.selectedIndex])
  const far = way.share === 1 ? options.length : way.share > 0 ? 3 : 1
  const next = options[Math.max(0, Math.min(options.length - 1, now + far * Math.sign(way.x + way.y)))]
  if (!next || next.selected) return
  next.selected = true
  tell(el, "input", "change")
}

/** scrollFrom scrolls the nearest box around an element that can be scrolled further. */
const scrollFrom = (el: Element, y: (box: Element) => number, x = 0) => {
  for (let n: Node | null = el; n; n = parentOf(n)) {
    if (n.nodeType !== 1) continue
    const box = n as Element
    const page = box === (box.ownerDocument.scrollingElement ?? box.ownerDocument.documentElement)
    const style = getComputedStyle(box)
    const takes = (overflow: string) => page || overflow === "auto" || overflow === "scroll"
    const before = [box.scrollLeft, box.scrollTop]
    box.scrollBy({ left: takes(style.overflowX) ? x : 0, top: takes(style.overflowY) ? y(box) : 0, behavior: "instant" })
    if (box.scrollLeft !== before[0] || box.scrollTop !== before[1]) return
  }
}
