/**
 * The page in the other modes of extraction: as a list of what can be acted on, as the HTML
 * of that alone, and as all of it with notes on what can be acted on. They cover the whole
 * page, also what is off screen. What secret fields hold is in none of them.
 */

import { rectOf } from "./boxes"
import { type CaptureOptions, type Listed, begin, lastOptions, list } from "./capture"
import { clean, hasTextValue, isField, nameOf, roleOf, stateOf, valueOf } from "./describe"
import { type PageElement, textIn } from "./element"
import { escapeAttribute, escapeText, html } from "./html"
import { isFilledSecret, isSecret, removeSecrets } from "./secret"
import { inShadow } from "./shadow"
import { type Steps, inSlices } from "./slices"
import { templatize } from "./templatize"
import { identify, ids, lastFrameNumber, lastNumber, offsetOf } from "./walk"
import { changes } from "./witness"

/** As for a capture; what is left out is as in the last one, and there is no limit. */
export type ModeOptions = Partial<CaptureOptions>

const optionsOf = (o: ModeOptions): CaptureOptions => ({ ...lastOptions(), full: true, limit: Infinity, ...o })

/** numbers are the last ids given to an element and a frame, also by the functions here. */
export const numbers = () => ({ lastID: lastNumber(), lastFrame: lastFrameNumber() })

/** A node of the list with full keys. What is empty is left out. */
export interface SemanticNode {
  id: string
  role: string
  name: string
  value?: string
  /** States with commas between. */
  state?: string
  type?: string
  placeholder?: string
  href?: string
  isInShadow?: true
  frameId?: number
  bounds: { x: number, y: number, width: number, height: number }
}

/** hrefOf is where a link leads, as the page writes it. */
const hrefOf = (el: PageElement) => (el.localName === "a" || el.localName === "area" ? clean(removeSecrets(el.getAttribute("href") ?? ""), 300) : "")

const semanticNode = ({ el, frame, shown }: Listed, { x, y }: { x: number, y: number }): SemanticNode => {
  const o = offsetOf(shown)
  const r = rectOf(shown)
  const bounds = { x: Math.round(r.left + o.x + x), y: Math.round(r.top + o.y + y), width: Math.round(r.width), height: Math.round(r.height) }
  const node: SemanticNode = { id: identify(el, frame), role: roleOf(el), name: nameOf(el), bounds }
  const more = {
    value: valueOf(el), state: stateOf(el).join(","), type: el.localName === "input" ? el.type : "", placeholder: clean(el.getAttribute("placeholder")),
    href: hrefOf(el), isInShadow: inShadow(el) || undefined, frameId: frame || undefined,
  }
  for (const [key, value] of Object.entries(more)) if (value) Object.assign(node, { [key]: value })
  return node
}

function* semanticSteps(options: CaptureOptions): Steps<SemanticNode[]> {
  const nodes: SemanticNode[] = []
  for (const l of yield* list(yield* begin(options), true)) {
    yield
    if (!l.scrolls) nodes.push(semanticNode(l, options.offset ?? { x: 0, y: 0 }))
  }
  return nodes
}

/** semantic lists what can be acted on. */
export const semantic = (options: ModeOptions = {}) => inSlices(() => semanticSteps(optionsOf(options)), changes)

/** KEPT are the attributes that the skeleton has, with what a person has changed since. Ids
 * are ours. */
const KEPT = ["name", "type", "href", "placeholder", "role", "aria-label", "title", "data-testid"]
const FLAGS = ["disabled", "readonly", "checked", "selected"]

const MOST_OPTIONS = 50 // of a list of choices

const attributesOf = (el: PageElement): string => {
  const out = KEPT.map((key) => [key, el.getAttribute(key)]).filter(([, value]) => value !== null && value !== "")
  if (el.localName === "input" && hasTextValue(el) && textIn(el) !== "" && !isSecret(el)) out.push(["value", textIn(el)])
  if (el.localName === "option" || (el.localName === "input" && !hasTextValue(el) && el.hasAttribute("value"))) out.push(["value", el.getAttribute("value") ?? textIn(el)])
  const on: Record<string, boolean | undefined> = { disabled: el.matches(":disabled"), readonly: el.readOnly, checked: el.checked, selected: el.selected }
  const flags = FLAGS.filter((key) => on[key])
  if (isSecret(el)) flags.push(isFilledSecret(el) ? "data-filled" : "")
  return out.map(([key, value]) => ` ${key}="${escapeAttribute(value ?? "")}"`).join("") + flags.filter(Boolean).map((key) => ` ${key}`).join("")
}

/** skeletonOf is one element. A name that its own markup does not give is written out. */
const skeletonOf = ({ el, frame }: Listed): string => {
  const tag = el.localName
  const name = nameOf(el)
  const isPlain = ["a", "button", "input", "select", "textarea", "summary", "option"].includes(tag)
  let notes = isPlain || el.hasAttribute("role") ? "" : ` role="${escapeAttribute(roleOf(el))}"`
  if (isField(el) && name && ![el.getAttribute("aria-label"), el.getAttribute("placeholder"), el.getAttribute("title")].some((text) => clean(text) === name)) {
    notes += ` aria-label="${escapeAttribute(name)}"`
  }
  const start = `<${tag} id="${identify(el, frame)}"${attributesOf(el)}${notes}`
  if (tag === "input") return `${start} />`
  if (tag === "textarea") return `${start}>${isSecret(el) ? "" : escapeText(textIn(el))}</textarea>`
  if (tag !== "select") return `${start}>${el.isContentEditable ? escapeText(valueOf(el)) : escapeText(name)}</${tag}>`
  const options = [...el.options ?? []].slice(0, MOST_OPTIONS).map((o) => `  <option${attributesOf(o)}>${escapeText(clean(o.label))}</option>\n`)
  return `${start}>\n${options.join("")}</select>`
}

function* skeletonSteps(options: CaptureOptions): Steps<string> {
  const lines: string[] = []
  let length = 0
  for (const l of yield* list(yield* begin(options), true)) {
    yield
    if (l.scrolls || l.el.localName === "option") continue
    const line = skeletonOf(l)
    length += line.length + 1
    if (length > options.limit) break
    lines.push(line)
  }
  return lines.join("\n").toWellFormed()
}

/** skeleton is the HTML of what can be acted on, an element a line. */
export const skeleton = (options: ModeOptions = {}) => inSlices(() => skeletonSteps(optionsOf(options)), changes)

/** For annotated: shrink writes repeated markup once, which the reader has to undo. */
export type AnnotatedOptions = ModeOptions & { shrink?: boolean }

function* annotatedSteps(options: CaptureOptions & { shrink?: boolean }): Steps<string> {
  const scan = yield* begin(options)
  const frameOf = new Map<Element, number>()
  for (const { el, frame, scrolls } of yield* list(scan, true)) {
    identify(el, frame)
    if (!scrolls) frameOf.set(el, frame)
  }
  const notes = (el: PageElement, hidden: boolean): string | null => {
    if (el.localName === "svg") return null
    const frame = frameOf.get(el)
    const id = ids.get(el)
    if (id === undefined || frame === undefined) return hidden ? ' data-visible="false"' : ""
    return ` data-id="${id}" data-interactive="true" data-visible="${!hidden}" data-frame-id="${frame || "main-frame"}"`
  }
  const text = yield* html({ ...options, full: true, notes })
  return options.shrink ? templatize(text) : text
}

/** annotated is all of the page, without scripts, styles and drawings. */
export const annotated = (options: AnnotatedOptions = {}) => inSlices(() => annotatedSteps({ ...optionsOf(options), shrink: options.shrink }), changes)
