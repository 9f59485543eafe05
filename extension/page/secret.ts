/**
 * Fields whose value never leaves the page, and texts that repeat it. The words are the
 * server's (words.json).
 */

import { isElement, type PageElement, textIn } from "./element"
import SECRET from "./words.json"
import { nameOf, styleOf, textBefore, textOfIDs } from "./describe"

export const secretFields = new WeakSet<Element>() // once secret, always: "show password" makes it a text field
const secretKeys = new Set<string>() // what a field is called, for one that a re-render replaced
const secretValues = new Set<string>() // what secret fields held
const SHORTEST_SECRET = 4 // shorter values are part of other words

const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** entryOf reads the notation of the list: "pin" is a word, "hasł-" begins one,
 * "-wort" ends one, "-wort-" stands anywhere, "=pass" is the whole name. */
const entryOf = (entry: string) => {
  const [, whole = "", infix = "", text = "", prefix = ""] = /^(=?)(-?)(.*?)(-?)$/u.exec(entry) ?? []
  if (NO_SPACES.test(text)) return { text, whole }
  return { text: (infix ? "" : " ") + text + (prefix ? "" : " "), whole }
}
const secretNames = SECRET.names.map(entryOf)
const notMeant = SECRET.notMeant.map(entryOf)

/** namesSecret reports whether a label or attribute is the name of a secret. A longer
 * text is an instruction. */
const namesSecret = (label: string | null | undefined): boolean => {
  if (!label || label.length > 120) return false
  const known = judged.get(label)
  if (known !== undefined) return known
  if (judged.size > 2000) judged.clear()
  const is = readsSecret(label)
  judged.set(label, is)
  return is
}
const judged = new Map<string, boolean>() // names, of which a page has few

const readsSecret = (label: string): boolean => {
  if ([...label].length > 60) return false
  const apart = label.normalize("NFC").replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase()
  let words = ` ${apart.replace(/[^\p{L}\p{N}\p{M}]+/gu, " ").trim()} `
  for (const { text } of notMeant) words = words.replaceAll(text, " ")
  return secretNames.some(({ text, whole }) => (whole ? words === text : words.includes(text)))
}

const FIXED = new Set([
  "checkbox", "radio", "button", "submit", "reset", "image", "file", "range", "search", "email", "url",
  "date", "time", "datetime-local", "month", "week", "color",
])

/** MAY_HOLD_SECRETS matches at least what takesText is true of. */
export const MAY_HOLD_SECRETS = "input,textarea,[contenteditable],[role=textbox],[role=spinbutton]"

export const takesText = (el: PageElement) => el.localName === "textarea" || (el.localName === "input" && !FIXED.has(el.type ?? "")) ||
  (el.isContentEditable && !el.parentElement?.isContentEditable) || ["textbox", "spinbutton"].includes(el.getAttribute("role") ?? "")

const autocompleteOf = (el: PageElement) => (el.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/)

const labelsOf = (el: PageElement) => [
  el.getAttribute("name"), el.id, el.getAttribute("aria-label"), textOfIDs(el, "aria-labelledby"), el.getAttribute("placeholder"),
  el.getAttribute("aria-placeholder"), el.getAttribute("data-placeholder"), el.title, el.getAttribute("data-label"),
  ...[...(el.labels ?? [])].map((l) => l.textContent), textBefore(el),
]

/** looksSecret judges a field by its present attributes. */
const looksSecret = (el: PageElement) => {
  if (el.localName === "input" && el.type === "password") return true
  if (!takesText(el)) return false
  if (!["none", ""].includes(styleOf(el).getPropertyValue("-webkit-text-security"))) return true
  const tokens = autocompleteOf(el)
  if (tokens.some((t) => SECRET.autocomplete.includes(t))) return true
  if (tokens.some((t) => SECRET.ordinary.includes(t))) return false
  return labelsOf(el).some((label) => namesSecret(label && label.trim()))
}

/** keyOf is a field's name, "" if it has none. */
const keyOf = (el: PageElement) => {
  const name = el.getAttribute("name") || el.id ? `${el.getAttribute("name")} ${el.id}` : nameOf(el)
  return name && `${el.localName} ${name}`
}

/** isSecret reports whether a field is or was secret, and remembers its value. */
export const isSecret = (el: PageElement) => {
  const key = keyOf(el)
  if (!secretFields.has(el)) {
    if (!(key && secretKeys.has(key) && takesText(el)) && !looksSecret(el)) return false
    secretFields.add(el)
    if (key) secretKeys.add(key)
  }
  const held = textIn(el).trim()
  if (held.length >= SHORTEST_SECRET) {
    secretValues.delete(held) // the newest last
    secretValues.add(held)
    if (secretValues.size > 20) secretValues.delete([...secretValues][0])
  }
  return true
}

/** isFilledSecret reports a secret field that holds something. What it is stays here. */
export const isFilledSecret = (el: PageElement) => isSecret(el) && textIn(el) !== ""

/** rememberSecret remembers a field that stops being recognisable as secret, because
 * its type changes or it is replaced. */
export const rememberSecret = (record: MutationRecord) => {
  const target = record.target as PageElement
  if (record.type === "attributes") {
    if (record.attributeName === "type" && record.oldValue?.toLowerCase() === "password") {
      secretFields.add(target)
      isSecret(target)
      const key = keyOf(target)
      if (key) secretKeys.add(key)
    }
    return
  }
  for (const n of record.removedNodes) {
    if (!isElement(n)) continue
    for (const el of [n, ...n.querySelectorAll("input[type=password i]")]) if (el.matches("input[type=password i]")) isSecret(el)
  }
}

/** removeSecrets removes the present and earlier values of secret fields from a text. */
export const removeSecrets = (text: string) => {
  for (const value of secretValues) {
    for (const form of [value, encodeURIComponent(value.toWellFormed())]) {
      if (text.includes(form)) text = text.replaceAll(form, "[secret]")
    }
  }
  return text
}
