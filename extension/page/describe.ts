/**
 * What elements are: role, name, value and state, for where Chromium's
 * accessibility tree has nothing better.
 */

import { isText, type PageElement, textIn } from "./element"
import { isLink, labelsField, takesClicks } from "./clickable"
import { drawnIn } from "./drawn"
import { isFilledSecret, isSecret, removeSecrets } from "./secret"
import { seenText, spaced } from "./seen"
import { onHover, visible } from "./walk"

export const INTERACTIVE = [
  "a[href]", "area[href]", "button", "input:not([type=hidden])", "textarea", "select", "summary",
  "audio[controls]", "video[controls]", "[onclick]", "[tabindex]:not([tabindex^='-'])",
  "[contenteditable='']", "[contenteditable=true]", "[contenteditable=plaintext-only]",
  ...["button", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "option", "checkbox", "radio",
    "switch", "slider", "spinbutton", "textbox", "searchbox", "combobox", "treeitem"].map((r) => `[role=${r}]`),
].join(",")

/** clean makes one well-formed line of a text in Unicode's composed form, at most max
 * characters long. */
export const clean = (text: string | null | undefined, max = 100) =>
  removeSecrets((text ?? "").slice(0, 4 * max + 1000)).toWellFormed().normalize().replace(/[\s\p{Zs}]+/gu, " ").trim().slice(0, max).toWellFormed()

export const styleOf = (el: Element) => getComputedStyle(el)

/** CONTROL is what is interactive by itself. What only takes the focus, such as a list
 * that is scrolled by keys, may hold what is clicked. */
export const CONTROL = INTERACTIVE.split(",").filter((s) => !s.startsWith("[tabindex]") && !s.startsWith("[onclick]")).join(",")

let hands: Map<Element, boolean> | null = null // kept for one pass over the page

/** keepHands begins such a pass, or ends it: later the styles may be others. */
export const keepHands = (keep: boolean) => { hands = keep ? new Map() : null }

/** noteHand takes what a pass has read already. */
export const noteHand = (el: Element, cursor: string) => hands?.set(el, cursor === "pointer")

const hasHand = (el: PageElement): boolean => {
  const known = hands?.get(el)
  if (known !== undefined) return known
  const has = styleOf(el).cursor === "pointer"
  hands?.set(el, has)
  return has
}

/** handRules are the selectors by which the style sheets of a document or shadow tree
 * give elements a hand cursor, except those for everything in something. */
const handRules = (root: Document | ShadowRoot) => {
  const known = handRulesOf.get(root)
  if (known && performance.now() - known.at < 1000) return known.selectors
  const selectors: string[] = []
  const read = (rules: Iterable<CSSRule & Partial<CSSStyleRule>>) => {
    for (const rule of rules) {
      if (rule.style?.cursor === "pointer" && !/(^|[\s>+~,])\*/.test(rule.selectorText ?? "*")) selectors.push(rule.selectorText ?? "")
      else if (rule.cssRules && !rule.selectorText) read(rule.cssRules)
    }
  }
  for (const sheet of [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])]) {
    try {
      read(sheet.cssRules)
    } catch {
      // a sheet of another origin
    }
  }
  handRulesOf.set(root, { at: performance.now(), selectors })
  return selectors
}
const handRulesOf = new WeakMap<Node, { at: number, selectors: string[] }>()

const ownHand = (el: PageElement) => el.style?.cursor === "pointer" || handRules(el.getRootNode() as Document | ShadowRoot).some((selector) => el.matches(selector))

export const areaOf = (el: PageElement) => {
  const r = el.getBoundingClientRect()
  return r.width * r.height
}

/** looksClickable finds what only the pointer reveals: the outermost element with a
 * hand cursor that is not in a control, and in it smaller ones that are given a hand
 * cursor of their own. A card or row that holds controls is clickable if it shows
 * something besides them; else it is only the box around them. */
export const looksClickable = (el: PageElement) => {
  if (takesClicks(el)) return true
  if (["html", "body"].includes(el.localName) || !hasHand(el) || el.closest(CONTROL) || labelsField(el)) return false
  if (el.localName === "label" && drawnIn(el) === null) return false
  const parent = el.parentElement
  if (parent && hasHand(parent)) return isPartWithHand(el)
  return !holdsControls(el) || textBeside(el) !== ""
}

/** isPartWithHand reports a star or cross in something clickable. */
const isPartWithHand = (el: PageElement) => {
  if (!ownHand(el)) return false
  let whole = el
  while (whole.parentElement && hasHand(whole.parentElement)) whole = whole.parentElement
  return 2 * areaOf(el) < areaOf(whole) && ![...el.children].some((child) => ownHand(child))
}

export const holdsControls = (el: PageElement) => el.querySelector(INTERACTIVE) !== null

/** textBeside is what a card or row shows besides the controls in it, as far as it is
 * clicked with the row. */
export const textBeside = (el: PageElement) => {
  const hand = hasHand(el)
  const skip = (node: PageElement) => node.matches(`label,${INTERACTIVE}`) || !visible(node) || (hand && (!hasHand(node) || isPartWithHand(node)))
  const text = clean(seenText(el, skip))
  return text.length > MAX_ROW_NAME ? text.slice(0, MAX_ROW_NAME).replace(/\s\S*$/, "") : text
}

const MAX_ROW_NAME = 80 // what tells rows apart is at their beginning

export const isInteractive = (el: PageElement) => el.matches(INTERACTIVE) || looksClickable(el)

const INPUT_ROLES: Record<string, string | undefined> = {
  button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
  range: "slider", number: "spinbutton", search: "searchbox", file: "button", color: "button",
}
const TAG_ROLES: Record<string, string | undefined> = { a: "link", area: "link", button: "button", textarea: "textbox", summary: "button", option: "option" }

export const roleOf = (el: PageElement) => {
  const explicit = el.getAttribute("role")?.trim().split(/\s+/)[0].toLowerCase()
  if (explicit && explicit !== "none" && explicit !== "presentation") return explicit
  if (el.localName === "input") return INPUT_ROLES[el.type ?? ""] ?? "textbox"
  if (el.localName === "select") return el.multiple || (el.size ?? 0) > 1 ? "listbox" : "combobox"
  if (el.isContentEditable) return "textbox"
  if (isLink(el) && looksClickable(el)) return "link"
  const drawn = drawnIn(el)
  if (drawn) return drawn.role
  return TAG_ROLES[el.localName] ?? (el.matches(INTERACTIVE) || looksClickable(el) ? "button" : "region")
}

export const textOfIDs = (el: PageElement, attribute: string) => !el.hasAttribute(attribute) ? "" : (el.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean)
  .map((id) => (el.getRootNode() as Partial<Document>).getElementById?.(id)?.textContent ?? "").join(" ")

/** labelText is what a label says besides its fields, with the spaces a person sees. */
const labelText = (label: PageElement) => seenText(label, (node) => node.matches(CONTROL)).trim() || label.textContent

/** textBefore is the text just before a field without a label. */
export const textBefore = (el: PageElement) => {
  const before = el.previousElementSibling
  if (before && !before.matches(INTERACTIVE)) return before.textContent
  const text = el.previousSibling
  return text && isText(text) ? text.data : ""
}

/** regionName is what a part of the page is called: by its author, or by its heading. */
export const regionName = (el: PageElement) => clean(el.getAttribute("aria-label"), 60) || clean(textOfIDs(el, "aria-labelledby"), 60) ||
  clean([...el.querySelectorAll<HTMLElement>("h1,h2,h3,h4,h5,h6,[role=heading]")].find(visible)?.innerText, 60)

export const isField = (el: PageElement) => ["input", "textarea", "select"].includes(el.localName)

/** isRow reports a clickable card or row with controls of its own. Its name is its text
 * without theirs. */
export const isRow = (el: PageElement) => !isField(el) && !el.isContentEditable && holdsControls(el) && isInteractive(el) && textBeside(el) !== ""

export const nameOf = (el: PageElement) => {
  const candidates = [
    () => el.getAttribute("aria-label"),
    () => textOfIDs(el, "aria-labelledby"),
    () => (isRow(el) ? textBeside(el) : ""),
    () => [...(el.labels ?? [])].map(labelText).join(" "),
    () => (el.localName === "input" && ["submit", "button", "reset"].includes(el.type ?? "") ? textIn(el) : ""),
    () => (isField(el) || el.isContentEditable ? "" : spaced(el)),
    () => el.getAttribute("placeholder"),
    () => el.getAttribute("title"),
    () => el.getAttribute("alt") ?? el.querySelector("img[alt],svg title")?.getAttribute("alt"),
    () => (isField(el) ? textBefore(el) : ""),
    () => el.getAttribute("data-label") ?? el.getAttribute("name"),
  ]
  for (const candidate of candidates) {
    const name = clean(candidate())
    if (name) return name
  }
  return ""
}

export const hasTextValue = (el: PageElement) => el.localName === "textarea" ||
  (el.localName === "input" && !["checkbox", "radio", "button", "submit", "reset", "image", "file"].includes(el.type ?? ""))

export const valueOf = (el: PageElement) => {
  if (isSecret(el)) return ""
  if (hasTextValue(el)) return clean(textIn(el), 500)
  if (el.localName === "select") return clean([...el.selectedOptions ?? []].map((o) => o.label).join(", "))
  if (el.isContentEditable) return clean(el.innerText, 500)
  return clean(el.getAttribute("aria-valuetext") ?? el.getAttribute("aria-valuenow"))
}

export const isDisabled = (el: PageElement) => el.matches(":disabled") || el.closest("[inert]") !== null ||
  el.getAttribute("aria-disabled") === "true"

export const checkedOf = (el: PageElement) => {
  if (el.localName === "input" && ["checkbox", "radio"].includes(el.type ?? "")) {
    return el.indeterminate ? "mixed" : String(el.checked)
  }
  return el.getAttribute("aria-checked") ?? el.getAttribute("aria-pressed") ?? drawnIn(el)?.checked ?? ""
}

const expandedOf = (el: PageElement) => {
  if (el.localName === "summary" && el.parentElement?.localName === "details") return String((el.parentElement as HTMLDetailsElement).open)
  return el.getAttribute("aria-expanded") ?? ""
}

/** outOfForm reports a text that the browser would not submit. An empty field has not
 * been filled in yet. */
const outOfForm = (el: PageElement) => hasTextValue(el) && el.value !== "" && el.willValidate && el.validity?.valid === false

/** stateOf lists the states of an element. */
export const stateOf = (el: PageElement) => {
  const yes = (name: string) => el.getAttribute(name) === "true"
  const checked = checkedOf(el)
  const expanded = expandedOf(el)
  return [
    isDisabled(el) && "disabled",
    checked === "true" ? "checked" : checked === "false" ? "unchecked" : checked === "mixed" && "mixed",
    expanded === "true" ? "expanded" : expanded === "false" && "collapsed",
    (yes("aria-selected") || (el.localName === "option" && el.selected)) && "selected",
    (el.required === true || yes("aria-required")) && "required",
    (el.readOnly === true || yes("aria-readonly")) && "readonly",
    (yes("aria-invalid") || outOfForm(el)) && "invalid",
    !["", "false"].includes(el.getAttribute("aria-haspopup") ?? "") && "haspopup",
    isSecret(el) && "secret",
    isFilledSecret(el) && "filled",
    onHover(el) && "onhover",
  ].filter((s) => typeof s === "string")
}
