/**
 * Shadow trees: open ones, and closed ones as far as they can be had, which is by an
 * extension's own function or from a client that found the root by other means. A shadow
 * tree of the browser's own (in a video, a date field) is none of them.
 */

import { type PageElement, hostOf } from "./element"

const adopted = new WeakMap<Element, ShadowRoot>()

/** adopt makes a closed root known that was handed in from outside. */
export const adopt = (host: Element, root: ShadowRoot) => {
  adopted.set(host, root)
}

/** HOSTS are the elements that may have a shadow tree, besides those with a dash in their name. */
const HOSTS = new Set(["article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"])

const hosting = new Map<string, boolean>() // tag -> whether it may
const mayHost = (el: Element): boolean => {
  const name = el.localName
  const known = hosting.get(name)
  if (known !== undefined) return known
  const may = HOSTS.has(name) || name.includes("-")
  hosting.set(name, may)
  return may
}

/** opened is what an extension can see of a closed tree; elsewhere there is no such function. */
const opened = (el: PageElement) =>
  typeof chrome !== "undefined" && chrome.dom && "innerText" in el ? chrome.dom.openOrClosedShadowRoot(el as HTMLElement) : null

/** shadowOf is the shadow tree of an element, null if it has none that can be had. */
export const shadowOf = (el: PageElement): ShadowRoot | null => {
  if (!mayHost(el)) return null
  return el.shadowRoot ?? adopted.get(el) ?? opened(el)
}

/** inShadow reports an element that stands in a shadow tree. */
export const inShadow = (el: Element) => hostOf(el.getRootNode()) !== null
