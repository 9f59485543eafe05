/**
 * What a page shows by style alone while the mouse is over something: the rules with :hover
 * of its style sheets are repeated for the very elements that the mouse of events is over.
 * The document is not changed for it, so that no change is seen where there was none. Style
 * sheets of other origins cannot be read, and what :not(:hover) hides stays hidden.
 */

import { hostOf } from "../page/element"

type Root = Document | ShadowRoot

const PSEUDO = /:hover(?![\w-])/g
const HOST = /:host\(\s*:hover\s*\)/g

// What is repeated in each root, and the elements it is repeated for.
const shown = new Map<Root, { sheet: CSSStyleSheet, text: string }>()

/** hoverStyles shows what the style sheets show while the mouse is over these elements, and
 * no longer what they showed for others. */
export const hoverStyles = (over: Element[]) => {
  const byRoot = Map.groupBy(over.filter((el) => el.isConnected), (el) => el.getRootNode() as Root)
  for (const [root, { sheet }] of [...shown]) {
    if (byRoot.has(root)) continue
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((s) => s !== sheet)
    shown.delete(root)
  }
  for (const [root, elements] of byRoot) show(root, elements, over)
}

const show = (root: Root, elements: Element[], over: Element[]) => {
  const known = shown.get(root)
  const rules = [...root.styleSheets, ...root.adoptedStyleSheets].filter((s) => s !== known?.sheet).map(hoverRules).join("")
  const view = (root.ownerDocument ?? root as Document).defaultView as (Window & typeof globalThis) | null
  if (rules === "" || !view) return
  const host = hostOf(root)
  // Of the same weight as the one pseudo-class in its place.
  const these = `:where(${elements.map(pathOf).join(",")}):not(.\\--)`
  const text = rules.replace(HOST, host && over.includes(host) ? ":host" : ":host(.\\--)").replace(PSEUDO, these)
  if (known?.text === text && root.adoptedStyleSheets.includes(known.sheet)) return
  const sheet = known?.sheet ?? new view.CSSStyleSheet()
  sheet.replaceSync(text)
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  shown.set(root, { sheet, text })
}

// pathOf is a selector of one element, by its place.
const pathOf = (el: Element): string => {
  const parent = el.parentElement
  if (parent) return `${pathOf(parent)}>:nth-child(${1 + [...parent.children].indexOf(el)})`
  const host = el.getRootNode() as ShadowRoot
  return hostOf(host) ? `:host>:nth-child(${1 + [...host.children].indexOf(el)})` : ":root"
}

const read = new WeakMap<CSSStyleSheet, { count: number, text: string }>()

/** hoverRules gives the rules of a style sheet that have :hover, within the conditions they
 * stand in. */
const hoverRules = (sheet: CSSStyleSheet): string => {
  if (sheet.disabled) return ""
  try {
    const known = read.get(sheet)
    if (known?.count === sheet.cssRules.length) return known.text
    const rules = withHover(sheet.cssRules)
    const media = sheet.media.mediaText
    const text = media && rules ? `@media ${media} {${rules}}` : rules
    read.set(sheet, { count: sheet.cssRules.length, text })
    return text
  } catch {
    return "" // of another origin
  }
}

const withHover = (rules: CSSRuleList): string => {
  let out = ""
  for (const rule of rules) {
    if ("styleSheet" in rule) { // an import
      out += rule.styleSheet ? hoverRules(rule.styleSheet as CSSStyleSheet) : ""
      continue
    }
    const text = rule.cssText
    if (text.search(PSEUDO) < 0) continue
    if ("selectorText" in rule) out += `${text}\n`
    else if ("cssRules" in rule) out += `${text.slice(0, text.indexOf("{"))}{${withHover(rule.cssRules as CSSRuleList)}}\n`
  }
  return out
}
