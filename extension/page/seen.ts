/**
 * What a person sees between texts: markup puts words beside each other without a space
 * where a style keeps them apart.
 */

import { contentsOf, isRendered } from "./boxes"
import { isElement, isText, type PageElement } from "./element"
import { styleOf } from "./describe"

/** INLINE are the tags that do not interrupt a line of text for the server. */
const INLINE = new Set([
  "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "ins", "kbd", "label", "mark", "q", "s",
  "samp", "slot", "small", "span", "strong", "sub", "sup", "svg", "time", "tt", "u", "var", "wbr",
])

/** unknown are tags that the browser does not know, or does. */
const unknown = new Map<string, boolean>()
const isUnknown = (el: PageElement) => {
  const known = unknown.get(el.localName)
  if (known !== undefined) return known
  const is = el instanceof HTMLUnknownElement
  unknown.set(el.localName, is)
  return is
}

export const isInlineTag = (el: PageElement) => INLINE.has(el.localName) || el.localName.includes("-") || isUnknown(el)

const linesOf = (text: Text) => {
  const range = text.ownerDocument.createRange() // one that is used again costs more
  range.selectNodeContents(text)
  return [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0)
}

/** ownBox reports whether a box begins or ends between a node and an element around it,
 * as wanted by the test of its display. */
const ownBox = (node: Text, around: Element | null, test: (display: string) => boolean) => {
  for (let el = node.parentElement; el && el !== around; el = el.parentElement) if (test(styleOf(el).display)) return true
  return false
}

const isBlock = (display: string) => !display.startsWith("inline") && display !== "contents" && !display.startsWith("ruby")
const isAtomic = (display: string) => display.startsWith("inline-")

/** between is what a person sees between two texts that follow each other: a space where
 * there is room for one or another item of a row begins, a line break where boxes stand
 * below each other, else nothing. */
export const between = (before: Text, after: Text) => {
  const [last, first] = [linesOf(before).at(-1), linesOf(after)[0]]
  if (!last || !first) return ""
  let around = before.parentElement
  while (around && !around.contains(after)) around = around.parentElement
  const parted = (test: (display: string) => boolean) => ownBox(before, around, test) || ownBox(after, around, test)
  const height = Math.min(last.height, first.height)
  if (Math.min(last.bottom, first.bottom) - Math.max(last.top, first.top) > 0.3 * height) {
    const room = Math.max(first.left - last.right, last.left - first.right)
    return room > Math.max(1.5, 0.1 * height) || parted(isBlock) ? " " : ""
  }
  if (parted(isBlock)) return "\n"
  return parted(isAtomic) ? " " : ""
}

/** seenText is the text of an element with the spaces a person sees. skip leaves out
 * parts of it. */
export const seenText = (el: PageElement, skip: (part: PageElement) => boolean = () => false, max = 400) => {
  let out = ""
  let last: Text | null = null
  const read = (node: Node) => {
    if (out.length > max) return
    if (isText(node)) {
      if (node.data === "") return
      if (last && !/^\s/.test(node.data) && !/\s$/.test(out)) out += between(last, node)
      out += node.data
      last = node
      return
    }
    if (!isElement(node) || node.matches("script,style,noscript,template") || skip(node)) return
    if (!isRendered(node, { checkVisibilityCSS: true })) return
    if (!isInlineTag(node)) out += " "
    for (const child of contentsOf(node)) read(child)
    if (!isInlineTag(node)) out += " "
  }
  for (const child of contentsOf(el)) read(child)
  return out
}

/** spaced is innerText, which applies styles such as capitals, with the spaces of
 * seenText where both have the same letters. */
export const spaced = (el: PageElement) => {
  const inner = el.innerText ?? ""
  const letters = [...inner.replace(/\s+/g, "")]
  const seen = seenText(el)
  if (letters.length === 0) return seen
  if (letters.length > 300 || letters.join("").toLowerCase() !== seen.replace(/\s+/g, "").toLowerCase()) return inner
  let out = ""
  let n = 0
  for (const c of seen) out += /\s/.test(c) ? " " : letters[n++]
  return out
}
