/**
 * The document as HTML: shadow trees and frames in place, fields with the
 * values they have now, secrets without.
 */

import { type PageElement, isElement, isFrame, isText, textIn } from "./element"
import { hasTextValue, styleOf } from "./describe"
import { isUnreached, tokenOf } from "./frames"
import { covering } from "./layer"
import { isOwn } from "./own"
import { isFilledSecret, isSecret, removeSecrets, secretFields } from "./secret"
import { between, isInlineTag } from "./seen"
import { documentOf, looksOurs, numberOfRoot } from "./walk"
import { shadowOf } from "./shadow"
import type { Steps } from "./slices"

const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
const DROPPED = new Set(["script", "style", "noscript", "template", "link", "meta", "base"])
const HEAVY = new Set(["svg", "canvas", "video", "audio", "picture", "object", "embed"])
const KEPT_UNRENDERED = new Set(["html", "head", "title", "option", "optgroup", "datalist", "source", "area"])

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
export const escapeText = (s: string) => removeSecrets(s).replace(/[&<>]/g, (c) => ESCAPES[c])
export const escapeAttribute = (s: string) => removeSecrets(s).replace(/[&"]/g, (c) => ESCAPES[c])

/** liveAttributes are the attributes of a field or option, with what a person has changed
 * since. */
const liveAttributes = (el: PageElement): Iterable<[string, string]> => {
  const all = new Map(el.getAttributeNames().map((name) => [name, el.getAttribute(name) ?? ""]))
  const flag = (name: string, on: boolean | undefined) => (on ? all.set(name, "") : all.delete(name))
  if (el.localName === "option") flag("selected", el.selected)
  if (el.localName !== "input") return all
  if (isSecret(el)) {
    all.delete("value")
    all.delete("data-filled")
    if (isFilledSecret(el)) all.set("data-filled", "")
  } else if (hasTextValue(el)) {
    all.set("value", textIn(el))
  }
  if (["checkbox", "radio"].includes(el.type ?? "")) flag("checked", el.checked)
  return all
}

const writable = new Map<string, boolean>() // names of attributes that can be written
const isWritable = (key: string): boolean => {
  const known = writable.get(key)
  if (known !== undefined) return known
  if (writable.size > 1000) writable.clear()
  const is = /^[^\s"'<>/=]+$/.test(key)
  writable.set(key, is)
  return is
}

/** Traits are what the name of a tag says of how it is written. */
interface Traits { dropped: boolean, heavy: boolean, kept: boolean, isVoid: boolean, isLine: boolean, isFrame: boolean, tag: string, end: string }

const traitsOf = new Map<string, Traits>()
const traits = (el: PageElement): Traits => {
  const name = el.localName
  const known = traitsOf.get(name)
  if (known) return known
  const tag = isFrame(el) || name === "frameset" ? "div" : name
  const t = {
    dropped: DROPPED.has(name), heavy: HEAVY.has(name), kept: KEPT_UNRENDERED.has(name) || name === "slot", isVoid: VOID.has(name),
    isLine: !isInlineTag(el), isFrame: isFrame(el), tag, end: `</${tag}>`,
  }
  if (traitsOf.size > 1000) traitsOf.clear()
  traitsOf.set(name, t)
  return t
}

/** NOTES are the attributes that notes are written as, instead of what the page has there. */
const NOTES = new Set(["data-id", "data-llm-id", "data-interactive", "data-visible", "data-frame-id"])

/** attribute is one as it is written, "" where it is left out. An id that looks like one of
 * ours would come back as the id of another element. */
const attribute = (el: PageElement, key: string, value: string, full: boolean, noted: boolean): string => {
  if (noted && NOTES.has(key)) return ""
  if (!full && (key === "style" || key.startsWith("on") || (value.length > 300 && key !== "value"))) return ""
  if (key === "aria-modal" && el === covering) return ""
  if (key === "srcdoc") return "" // what it shows is written
  if ((key === "data-id" || key === "id") && looksOurs(value)) return ""
  if (!isWritable(key)) return ""
  return value === "" ? ` ${key}` : ` ${key}="${escapeAttribute(value)}"`
}

const openTag = (el: PageElement, name: string, full: boolean, hidden: boolean, notes: string | null) => {
  let out = `<${name}`
  if (el === covering) out += ' aria-modal="true"' // what it is to a person
  if (el.localName === "input" || el.localName === "option") {
    for (const [key, value] of liveAttributes(el)) out += attribute(el, key, value, full, notes !== null)
  } else if (el.hasAttributes()) {
    for (const key of el.getAttributeNames()) out += attribute(el, key, el.getAttribute(key) ?? "", full, notes !== null)
  }
  return `${out}${notes ?? ""}${hidden && !el.hasAttribute("hidden") ? " hidden" : ""}>`
}

/** placeOf is what the client replaces by what the frame of a token gives. */
const placeOf = (token: string) => (token ? `<div data-stepledger-frame="${escapeAttribute(token)}"></div>` : "")

/** A node whose children are being written, and what comes after them. */
interface Open { next: Node | null, slotted: Node[] | null, at: number, end: string, isLine: boolean }

const open = (next: Node | null, slotted: Node[] | null, end: string, isLine: boolean): Open => ({ next, slotted, at: 0, end, isLine })

/** step is the next node to be written of what is open. */
const step = (o: Open): Node | null => {
  if (o.slotted) return o.slotted[o.at++] ?? null
  const node = o.next
  if (node) o.next = node.nextSibling
  return node
}

const childrenOf = (el: PageElement, end: string, isLine: boolean): Open => {
  const shadow = shadowOf(el)
  if (shadow) return open(shadow.firstChild, null, end, isLine)
  const assigned = el.localName === "slot" ? (el as HTMLSlotElement).assignedNodes() : []
  return assigned.length ? open(null, assigned, end, isLine) : open(el.firstChild, null, end, isLine)
}

/** What is written: everything or what a person perceives; at most limit UTF-16 units and
 * what closes what is open then; the place of each frame that has named one of the tokens. */
export interface HTMLOptions {
  full: boolean
  limit: number
  tokens?: string[]
  /** What is said of an element besides, as attributes; null leaves it out with all in it. */
  notes?: (el: PageElement, hidden: boolean) => string | null
}

const EACH = 64 // nodes between two looks at the clock

/** textAt is the first or last text of a node that is one or has nothing else. */
const textAt = (node: Node, end: "firstChild" | "lastChild"): Text => {
  let found: Node | null = node
  while (found && !isText(found)) found = found === node ? node[end] : end === "firstChild" ? found.nextSibling : found.previousSibling
  return (found ?? node) as Text
}

/** writer collects the text of a document. */
const writer = ({ full, limit, tokens, notes }: HTMLOptions) => {
  const parts: string[] = []
  let length = 0
  let space = false // it ends in one
  let last: Node | null = null // the text before or what ends in it, if no space and no tag that ends a line came since
  const put = (text: string) => {
    if (text === "") return
    parts.push(text)
    length += text.length
  }
  /** writeText writes the text of a node, or of an element that has nothing else. */
  const writeText = (node: Text | PageElement, data: string) => {
    const text = full ? data : data.replace(/\s+/g, " ")
    if (text === "" || (text === " " && space)) return
    if (last && !/^\s/.test(text)) put(between(textAt(last, "lastChild"), textAt(node, "firstChild")).replace("\n", "<br>"))
    put(escapeText(text).slice(0, limit - length))
    space = text.endsWith(" ")
    last = /\s$/.test(text) ? null : node
  }
  /** writeElement gives what is to be written in it. */
  const writeElement = (el: PageElement): Open | null => {
    if (isOwn(el)) return null
    const { dropped, heavy, kept, isVoid, isLine, isFrame: isAFrame, tag, end } = traits(el)
    if (dropped || (!full && heavy)) return null
    const hidden = !kept && !el.checkVisibility()
    if (hidden && !full && styleOf(el).display !== "contents") return null
    const gone = hidden && styleOf(el).display === "none"
    const said = notes ? notes(el, hidden) : null
    if (notes && said === null) return null
    if (isLine) last = null
    put(openTag(el, tag, full, gone, said))
    space = false
    if (isVoid) return null
    if (secretFields.has(el)) return open(null, null, end, isLine) // else what was typed into it stays there
    if (tag === "textarea") {
      put(escapeText(textIn(el)))
      return open(null, null, end, isLine)
    }
    if (!isAFrame) {
      if (el.firstElementChild || shadowOf(el) || tag === "slot") return childrenOf(el, end, isLine)
      writeText(el, el.textContent ?? "") // most elements: no look at each of its nodes
      if (isLine) last = null
      put(end)
      space = false
      return null
    }
    const inner = documentOf(el)
    if (!inner && isUnreached(el)) put(placeOf(tokenOf(el, tokens)))
    return open(null, inner?.body ? [inner.body] : null, end, isLine)
  }
  const close = (o: Open) => {
    if (o.isLine) last = null
    put(o.end)
    space = false
  }
  return { put, writeText, writeElement, close, isFull: () => length >= limit, text: () => parts.join("").toWellFormed() }
}

/** html writes the document; in a frame of another document only the body, which takes the
 * place that document left for it. */
export function* html(options: HTMLOptions): Steps<string> {
  const w = writer(options)
  const isTop = numberOfRoot() === 0
  if (isTop) w.put("<!doctype html>")
  const stack = [open(null, [isTop ? document.documentElement : document.body ?? document.documentElement], "", false)]
  for (let n = 1; stack.length > 0; n++) {
    if (n % EACH === 0) yield
    const top = stack[stack.length - 1]
    const node = w.isFull() ? null : step(top)
    if (node === null) {
      w.close(top)
      stack.pop()
    } else if (isText(node)) {
      w.writeText(node, node.data)
    } else if (isElement(node)) {
      const inside = w.writeElement(node)
      if (inside) stack.push(inside)
    }
  }
  return w.text()
}
