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
import { documentOf, numberOfRoot } from "./walk"
import { shadowOf } from "./shadow"

const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
const DROPPED = new Set(["script", "style", "noscript", "template", "link", "meta", "base"])
const HEAVY = new Set(["svg", "canvas", "video", "audio", "picture", "object", "embed"])
const KEPT_UNRENDERED = new Set(["html", "head", "title", "option", "optgroup", "datalist", "source", "area"])

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escapeText = (s: string) => removeSecrets(s).replace(/[&<>]/g, (c) => ESCAPES[c])
const escapeAttribute = (s: string) => removeSecrets(s).replace(/[&"]/g, (c) => ESCAPES[c])

/** liveAttributes are an element's attributes, with what a person has changed since. */
const liveAttributes = (el: PageElement) => {
  const all = new Map([...el.attributes].map((a) => [a.name, a.value]))
  const flag = (name: string, on: boolean | undefined) => (on ? all.set(name, "") : all.delete(name))
  if (el.localName === "input") {
    if (isSecret(el)) {
      all.delete("value")
      all.delete("data-filled")
      if (isFilledSecret(el)) all.set("data-filled", "")
    }
    else if (hasTextValue(el)) all.set("value", textIn(el))
    if (["checkbox", "radio"].includes(el.type ?? "")) flag("checked", el.checked)
  }
  if (el.localName === "option") flag("selected", el.selected)
  return all
}

const openTag = (el: PageElement, name: string, full: boolean, hidden: boolean) => {
  let out = `<${name}`
  if (el === covering) out += ' aria-modal="true"' // what it is to a person
  for (const [key, value] of liveAttributes(el)) {
    if (key === "aria-modal" && el === covering) continue
    if (!full && (key === "style" || key.startsWith("on") || (value.length > 300 && key !== "value"))) continue
    if (/^[^\s"'<>/=]+$/.test(key)) out += value === "" ? ` ${key}` : ` ${key}="${escapeAttribute(value)}"`
  }
  return `${out}${hidden && !el.hasAttribute("hidden") ? " hidden" : ""}>`
}

/** placeOf is what the client replaces by what the frame of a token gives. */
const placeOf = (token: string) => (token ? `<div data-stepledger-frame="${escapeAttribute(token)}"></div>` : "")

const childrenOf = (el: PageElement): Iterable<Node> => {
  const shadow = shadowOf(el)
  if (shadow) return shadow.childNodes
  const assigned = el.localName === "slot" ? (el as HTMLSlotElement).assignedNodes() : []
  if (assigned.length) return assigned
  return el.childNodes
}

/** What is written: everything or what a person perceives; at most limit UTF-16 units and
 * what closes what is open then; the place of each frame that has named one of the tokens. */
export interface HTMLOptions { full: boolean, limit: number, tokens?: string[] }

/** html writes the document; in a frame of another document only the body, which takes the
 * place that document left for it. */
export const html = ({ full, limit, tokens }: HTMLOptions) => {
  let out = numberOfRoot() === 0 ? "<!doctype html>" : ""
  let last: Text | null = null // the text before, if no space and no tag that ends a line came since
  const writeText = (node: Text) => {
    const text = full ? node.data : node.data.replace(/\s+/g, " ")
    if (text === "" || (text === " " && out.endsWith(" "))) return
    if (last && !/^\s/.test(text)) out += between(last, node).replace("\n", "<br>")
    out += escapeText(text).slice(0, limit - out.length)
    last = /\s$/.test(text) ? null : node
  }
  const write = (node: Node) => {
    if (out.length >= limit) return
    if (isText(node)) {
      writeText(node)
      return
    }
    if (!isElement(node) || isOwn(node)) return
    const name = node.localName
    if (DROPPED.has(name) || (!full && HEAVY.has(name))) return
    const hidden = !KEPT_UNRENDERED.has(name) && !node.checkVisibility({ contentVisibilityAuto: false }) && name !== "slot"
    if (hidden && !full && styleOf(node).display !== "contents") return
    const inner = isFrame(node) ? documentOf(node) : null
    const tag = isFrame(node) || name === "frameset" ? "div" : name
    if (!isInlineTag(node)) last = null
    out += openTag(node, tag, full, hidden && styleOf(node).display === "none")
    if (VOID.has(name)) return
    if (!secretFields.has(node)) { // else what was typed into it stays there
      if (name === "textarea") out += escapeText(textIn(node))
      else if (inner?.body) write(inner.body)
      else if (isUnreached(node)) out += placeOf(tokenOf(node, tokens))
      else for (const child of childrenOf(node)) write(child)
    }
    if (!isInlineTag(node)) last = null
    out += `</${tag}>`
  }
  write(numberOfRoot() === 0 ? document.documentElement : document.body ?? document.documentElement)
  return out.toWellFormed()
}
