/**
 * The page as the agent gets it: the tree of what can be acted on, and the
 * document as a person perceives it.
 */

import { pageBox, rectOf } from "./boxes"
import { type PageElement, isFrame } from "./element"
import { INTERACTIVE, clean, keepHands, isInteractive, isRow, looksClickable, nameOf, noteHand, regionName, roleOf, stateOf, styleOf, valueOf } from "./describe"
import { type RawFrame, framesHere, isUnreached, tokenOf } from "./frames"
import { remember } from "./ghost"
import { keepHandled } from "./clickable"
import { html } from "./html"
import { noteCover } from "./layer"
import { MAY_HOLD_SECRETS, isSecret, removeSecrets, takesText } from "./secret"
import {
  ID, type Point, clickableLabel, documentOf, frameNumber, identify, ids, isCovered, isOutOfView, isPageLike, lastFrameNumber, lastNumber, numberFrom, numberOfRoot, offsetOf,
  resolve, visible,
} from "./walk"
import { type Scan, scanPage, selectAll } from "./scan"
import { type Steps, atOnce, inSlices } from "./slices"
import { hashIfUnchanged, hashOf, keepLook, lookNow } from "./unchanged"
import { changes, messageKind, watchRoots } from "./witness"
import { shadowOf } from "./shadow"

/** What is said of one element. Boxes are in CSS pixels of the tab's viewport. */
export interface RawNode {
  id: string
  frame: number
  role: string
  name: string
  value: string
  state: string[]
  /** Left, top, width and height. */
  box: [number, number, number, number]
  /** Its name is its own text without that of the controls in it. */
  ownName: boolean
  occluded: boolean
  scroll: { depth: string, h: boolean } | null
}

/** scrolled is how far something is scrolled and whether more follows. */
const scrolled = (el: PageElement | null) => (el === null ? { depth: "0%", h: false } : {
  depth: `${Math.round((100 * el.scrollTop) / Math.max(1, el.scrollHeight - el.clientHeight))}%`,
  h: el.scrollTop + el.clientHeight < el.scrollHeight - 1,
})

/** isScrollable reports a box with more in it than it shows. */
export const isScrollable = (el: PageElement, overflow = styleOf(el).overflowY) => ["auto", "scroll"].includes(overflow) &&
  el !== document.scrollingElement && el !== document.body && el.clientHeight > 50 && el.scrollHeight > el.clientHeight + 50

/** Naming gives an element its id. */
type Naming = (el: PageElement, frame: number) => string
const knownID: Naming = (el) => ids.get(el) ?? ""

const nodeOf = (el: PageElement, frame: number, shown: PageElement, scrollable: boolean, offset: Point, name: Naming): RawNode => {
  const o = offsetOf(shown)
  const r = rectOf(shown)
  const [left, top] = [r.left + o.x, r.top + o.y]
  const box = [left + offset.x, top + offset.y, r.width, r.height].map(Math.round) as RawNode["box"]
  const onScreen = left < innerWidth && top < innerHeight && left + r.width > 0 && top + r.height > 0
  const away = !scrollable && isOutOfView(shown, onScreen ? undefined : isPageLike) // where the page goes on, its place says it
  return {
    id: name(el, frame), frame, role: roleOf(el), name: scrollable ? regionName(el) : nameOf(el), value: valueOf(el),
    state: away ? [...stateOf(el), "out-of-view"] : stateOf(el),
    box, ownName: isRow(el), occluded: !scrollable && !away && isCovered(shown), scroll: scrollable ? scrolled(el) : null,
  }
}

/** A thing that can be acted on, or a box that scrolls. */
export interface Listed {
  el: PageElement
  frame: number
  /** What a person clicks for it: itself or its label. */
  shown: PageElement
  /** It only scrolls. */
  scrolls: boolean
  /** It is more than a viewport away from what is on screen. */
  far: boolean
}

/** REDRAWN are fields that a page may draw by their label, which is elsewhere than they. */
const REDRAWN = "input[type=checkbox],input[type=radio],input[type=file]"

const isFar = (el: PageElement) => {
  const r = rectOf(el)
  const top = r.top + offsetOf(el).y
  return top > 2 * innerHeight || top + r.height < -innerHeight
}

const EACH = 64 // elements between two looks at the clock

/** list finds what can be acted on; everywhere also where it is far away. What costs least
 * to find out comes first: most elements are none. */
export function* list(scan: Scan, everywhere: boolean): Steps<Listed[]> {
  const found: Listed[] = []
  for (const el of selectAll(scan, `[${ID}]`)) if (el.getAttribute(ID) !== ids.get(el)) el.removeAttribute(ID) // a clone, or the page's own
  const controls = new Set(selectAll(scan, INTERACTIVE))
  keepHands(true)
  keepHandled(scan)
  for (let i = 0; i < scan.elements.length; i++) {
    if (i % EACH === 0) yield
    const el = scan.elements[i]
    const control = controls.has(el)
    if (control && !everywhere && !el.matches(REDRAWN) && isFar(el)) continue
    const style = styleOf(el)
    noteHand(el, style.cursor)
    const scrollable = isScrollable(el, style.overflowY)
    if (!control && !scrollable && !looksClickable(el)) continue
    const shown = clickableLabel(el)
    if (!shown) continue
    const far = isFar(shown)
    if (!far || everywhere) found.push({ el, frame: scan.frames[i], shown, scrolls: scrollable && !control, far })
  }
  keepHands(false)
  keepHandled(null)
  return found
}

/** treeOf describes what is listed, from one viewport above to one below what is on screen:
 * coordinates outside the viewport tell the rest apart. offset is where this root is drawn. */
function* treeOf(listed: Listed[], offset: Point, name: Naming = identify): Steps<RawNode[]> {
  const nodes: RawNode[] = []
  for (const { el, frame, shown, scrolls, far } of listed) {
    yield
    if (far) name(el, frame)
    else nodes.push(nodeOf(el, frame, shown, scrolls, offset, name))
  }
  return nodes
}

/** tree is treeOf the page as it is, in one go. */
export const tree = (): RawNode[] => atOnce(treeOf(atOnce(list(scanPage(), false)), { x: 0, y: 0 }))

const ALERTS = "[role=alert],[role=alertdialog]"

const messages = (scan: Scan) => {
  const found = { errors: [] as string[], successes: [] as string[] }
  for (const el of selectAll(scan, `[role=status],${ALERTS}`)) {
    if (!visible(el)) continue
    const text = clean(el.innerText, 160)
    const kind = text && messageKind(text, el.matches(ALERTS))
    if (kind === "error") found.errors.push(text)
    if (kind === "success") found.successes.push(text)
  }
  return found
}

/** innermostFocus is the element with the focus, in whatever shadow tree or frame; the body
 * where nothing in particular has it. */
export const innermostFocus = (): PageElement | null => {
  let el: PageElement | null = document.activeElement
  for (;;) {
    const inner: PageElement | null | undefined = (el && shadowOf(el)?.activeElement) ?? (el && isFrame(el) ? documentOf(el)?.activeElement : null)
    if (!inner) return el
    el = inner
  }
}

/** focusedElement is the element with the focus, null where nothing in particular has it. */
const focusedElement = () => {
  const el = innermostFocus()
  if (el === null || ["html", "body"].includes(el.localName)) return null
  if (isUnreached(el) ? tokenOf(el) !== "" : numberOfRoot() !== 0 && !document.hasFocus()) return null // the frame's root tells, or has it not
  return el
}

/** focusedFrame says in which frame, that has a root of its own, the focus is: its token of
 * those asked for; "" where the focus is in this root. */
export const focusedFrame = (asked: string[]): string => {
  const el = innermostFocus()
  return el && isUnreached(el) ? tokenOf(el, asked) : ""
}

/** focusNode describes the element with the focus where it is not listed: nobody sees it,
 * or it is no control. */
const focusNode = (el: PageElement, offset: Point, name: Naming) => {
  const frame = el.ownerDocument.defaultView?.frameElement
  const node = nodeOf(el, frame ? frameNumber(frame) : numberOfRoot(), el, false, offset, name)
  const called = isInteractive(el) ? clean(node.name, 60) : regionName(el)
  return { ...node, name: called, state: [...node.state, "hidden"], occluded: false, ownName: true }
}

/** What a client says with a capture. */
export interface CaptureOptions {
  /** The last ids of elements and frames that were given in the tab. */
  start: number
  startFrame?: number
  /** The number of the frame this root stands in; 0, as at first, is the tab's own document. */
  frame?: number
  /** Where this root is drawn in the tab's viewport. */
  offset?: Point
  /** The whole document instead of what a person perceives. */
  full: boolean
  /** The longest html, in UTF-16 units without the end tags after it. */
  limit: number
  /** The tokens given to frames; without them the last that each has named. */
  tokens?: string[]
}

/** noteSecrets finds the secret fields: what they hold is in no text then. */
function* noteSecrets(scan: Scan): Steps<void> {
  for (const el of selectAll(scan, MAY_HOLD_SECRETS)) {
    yield
    if (takesText(el)) isSecret(el)
  }
}

/** begin is what every way to read the page begins with. */
export function* begin({ start, startFrame, frame }: CaptureOptions): Steps<Scan> {
  numberFrom(start, startFrame, frame)
  const scan = scanPage()
  watchRoots(scan.roots)
  yield* noteSecrets(scan)
  return scan
}

/** FIELDS are what may hold something else without a change of the document. */
const FIELDS = "input,textarea,select"

/** capturing reads the page. Where it is only looked at, nothing is numbered or remembered. */
function* capturing(options: CaptureOptions, isLook = false) {
  const { offset = { x: 0, y: 0 }, full } = options
  const scan = yield* begin(options)
  const look = lookNow(selectAll(scan, FIELDS))
  const listed = yield* list(scan, full)
  const nodes = yield* treeOf(listed, offset, isLook ? knownID : identify)
  noteCover(nodes)
  const focus = focusedElement()
  if (focus && !nodes.some((n) => n.id === ids.get(focus))) nodes.push(focusNode(focus, offset, isLook ? knownID : identify))
  if (!isLook) remember(nodes)
  const containers = nodes.filter((n) => n.scroll).map((n) => ({ id: n.id, depth: n.scroll?.depth, hasMore: n.scroll?.h }))
  const raw = {
    url: removeSecrets(location.href), title: clean(document.title, 300), nodes, containers, ...messages(scan),
    frames: framesHere(scan, offset, options.tokens), lastID: lastNumber(), lastFrame: lastFrameNumber(),
    width: innerWidth, height: innerHeight, scroll: scrolled(pageBox()).depth,
    focused: (focus && ids.get(focus)) ?? "", html: yield* html(options),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const hash = hashOf(...lasting(raw))
  keepLook(look, listed.filter((l) => l.scrolls).map((l) => l.el), hash)
  return { ...raw, hash }
}

/** lasting is what is the same in two captures of the same page: tokens and counters are not. */
const lasting = ({ html: text, frames, lastID: _id, lastFrame: _frame, ...rest }: { html: string, frames: RawFrame[], lastID: number, lastFrame: number }) => {
  const places = frames.map((f) => ({ ...f, token: "" }))
  return [frames.reduce((all, f) => all.replaceAll(f.token, String(f.frame)), text), JSON.stringify([places, rest])]
}

let asked: CaptureOptions = { start: 0, full: false, limit: Infinity }

/** lastOptions are those of the last capture. */
export const lastOptions = () => asked

/** capture reads the page and numbers what has no number yet. It holds the page up for short
 * times only, and begins anew where the page has changed meanwhile. Its hash is that of
 * hash(). */
export const capture = (options: CaptureOptions) => {
  asked = options
  return inSlices(() => capturing(options), changes)
}

/** hash is the hash of what a capture with the last options would give; of an unchanged page
 * it costs no look at its elements. It is ours alone: where it is the one of the last
 * capture, a client sends the domHash of the server's last answer instead of the page. */
export const hash = async (): Promise<string> => hashIfUnchanged() || (await inSlices(() => capturing(asked, true), changes)).hash

export const elementsOf = (...list: string[]) => list.map(resolve)

/** look is the tree alone, for finding an element again. */
export const look = (start: number) => {
  numberFrom(start)
  const nodes = tree()
  return { url: location.href, lastID: lastNumber(), nodes }
}
