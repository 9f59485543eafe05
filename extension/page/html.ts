/**
 * The document as HTML: shadow trees and frames in place, fields with the
 * values they have now, secrets without.
 */

import { isElement, isText, type PageElement, textIn } from "./element"
import { hasTextValue, styleOf } from "./describe"
import { covering } from "./layer"
import { isFilledSecret, isSecret, removeSecrets, secretFields } from "./secret"
import { between, isInlineTag } from "./seen"
import { documentOf } from "./walk"

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

const childrenOf = (el: PageElement): Iterable<Node> => {
  if (el.shadowRoot) return el.shadowRoot.childNodes
  const assigned = el.localName === "slot" ? (el as HTMLSlotElement).assignedNodes() : []
  if (assigned.length) return assigned
  return el.childNodes
}

/** html writes until the limit (UTF-16 units) and then only closes what is open. */
export const html = (full: boolean, limit: number) => {
  let out = "<!doctype html>"
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
    if (!isElement(node)) return
    const name = node.localName
    if (DROPPED.has(name) || (!full && HEAVY.has(name))) return
    const hidden = !KEPT_UNRENDERED.has(name) && !node.checkVisibility({ contentVisibilityAuto: false }) && name !== "slot"
    if (hidden && !full && styleOf(node).display !== "contents") return
    const inner = name === "iframe" ? documentOf(node) : null
    const tag = name === "iframe" ? "div" : name
    if (!isInlineTag(node)) last = null
    out += openTag(node, tag, full, hidden && styleOf(node).display === "none")
    if (VOID.has(name)) return
    if (!secretFields.has(node)) { // else what was typed into it stays there
      if (name === "textarea") out += escapeText(textIn(node))
      else if (inner?.body) write(inner.body)
      else for (const child of childrenOf(node)) write(child)
    }
    if (!isInlineTag(node)) last = null
    out += `</${tag}>`
  }
  write(document.documentElement)
  return out.toWellFormed()
}
