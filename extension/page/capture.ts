/**
 * The page as the agent gets it: the tree of what can be acted on, and the
 * document as a person perceives it.
 */

import { type PageElement, isFrame } from "./element"
import { INTERACTIVE, clean, isInteractive, isRow, nameOf, regionName, roleOf, stateOf, styleOf, valueOf } from "./describe"
import { framesHere, isUnreached, tokenOf } from "./frames"
import { remember } from "./ghost"
import { html } from "./html"
import { noteCover } from "./layer"
import { isSecret, removeSecrets, takesText } from "./secret"
import {
  ID, type Point, clickableLabel, documentOf, frameNumber, identify, ids, isCovered, isOutOfView, isPageLike, lastFrameNumber, lastNumber, numberFrom, numberOfRoot, offsetOf,
  resolve, visible, walk,
} from "./walk"
import { messageKind, observeEverything } from "./witness"
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
const scrolled = (el: PageElement) => ({
  depth: `${Math.round((100 * el.scrollTop) / Math.max(1, el.scrollHeight - el.clientHeight))}%`,
  h: el.scrollTop + el.clientHeight < el.scrollHeight - 1,
})

export const isScrollable = (el: PageElement) => el.scrollHeight > el.clientHeight + 50 && el.clientHeight > 50 &&
  el !== document.scrollingElement && el !== document.body && ["auto", "scroll"].includes(styleOf(el).overflowY)

const nodeOf = (el: PageElement, frame: number, shown: PageElement, scrollable: boolean, offset: Point): RawNode => {
  const o = offsetOf(shown)
  const r = shown.getBoundingClientRect()
  const [left, top] = [r.left + o.x, r.top + o.y]
  const box = [left + offset.x, top + offset.y, r.width, r.height].map(Math.round) as RawNode["box"]
  const onScreen = left < innerWidth && top < innerHeight && left + r.width > 0 && top + r.height > 0
  const away = !scrollable && isOutOfView(shown, onScreen ? undefined : isPageLike) // where the page goes on, its place says it
  return {
    id: identify(el, frame), frame, role: roleOf(el), name: scrollable ? regionName(el) : nameOf(el), value: valueOf(el),
    state: away ? [...stateOf(el), "out-of-view"] : stateOf(el),
    box, ownName: isRow(el), occluded: !scrollable && !away && isCovered(shown), scroll: scrollable ? scrolled(el) : null,
  }
}

/** tree lists what can be acted on, from one viewport above to one below what
 * is on screen: coordinates outside the viewport tell the rest apart. offset is where this
 * root is drawn. */
export const tree = (offset: Point) => {
  const nodes: RawNode[] = []
  for (const [el, frame] of walk()) {
    if (el.hasAttribute(ID) && el.getAttribute(ID) !== ids.get(el)) el.removeAttribute(ID) // a clone, or the page's own
    const scrollable = isScrollable(el)
    if (!scrollable && !isInteractive(el)) continue
    const shown = clickableLabel(el)
    if (!shown) continue
    const top = shown.getBoundingClientRect().top + offsetOf(shown).y
    if (top > 2 * innerHeight || top + shown.getBoundingClientRect().height < -innerHeight) continue
    nodes.push(nodeOf(el, frame, shown, scrollable && !el.matches(INTERACTIVE), offset))
  }
  return nodes
}

const messages = () => {
  const found = { errors: [] as string[], successes: [] as string[] }
  for (const [el] of walk()) {
    if (!el.matches("[role=alert],[role=status],[role=alertdialog]") || !visible(el)) continue
    const text = clean(el.innerText, 160)
    const kind = text && messageKind(text, el.matches("[role=alert],[role=alertdialog]"))
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

/** focusNode describes the element with the focus where it is not listed: nobody sees it,
 * or it is no control. */
const focusNode = (el: PageElement, offset: Point) => {
  const frame = el.ownerDocument.defaultView?.frameElement
  const node = nodeOf(el, frame ? frameNumber(frame) : numberOfRoot(), el, false, offset)
  const name = isInteractive(el) ? clean(node.name, 60) : regionName(el)
  return { ...node, name, state: [...node.state, "hidden"], occluded: false, ownName: true }
}

/** What a client says with a capture. */
export interface CaptureOptions {
  /** The last ids of elements and frames that were given in the tab. */
  start: number
  startFrame?: number
  /** The number of the frame this root stands in; 0 is the tab's own document. */
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

/** capture reads the page and numbers what has no number yet. */
export const capture = (options: CaptureOptions) => {
  const { start, startFrame, frame = 0, offset = { x: 0, y: 0 } } = options
  numberFrom(start, startFrame, frame)
  observeEverything()
  for (const [el] of walk()) if (takesText(el)) isSecret(el) // what they hold is in no text then
  const nodes = tree(offset)
  noteCover(nodes)
  const focus = focusedElement()
  if (focus && !nodes.some((n) => n.id === ids.get(focus))) nodes.push(focusNode(focus, offset))
  remember(nodes)
  const containers = nodes.filter((n) => n.scroll).map((n) => ({ id: n.id, depth: n.scroll?.depth, hasMore: n.scroll?.h }))
  return {
    url: removeSecrets(location.href), title: clean(document.title, 300), nodes, containers, ...messages(),
    frames: framesHere(offset, options.tokens), lastID: lastNumber(), lastFrame: lastFrameNumber(),
    width: innerWidth, height: innerHeight, scroll: scrolled(document.scrollingElement ?? document.documentElement).depth,
    focused: (focus && ids.get(focus)) ?? "", html: html(options),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}

export const elementsOf = (...list: string[]) => list.map(resolve)

/** look is the tree alone, for finding an element again. */
export const look = (start: number) => {
  numberFrom(start)
  const nodes = tree({ x: 0, y: 0 })
  return { url: location.href, lastID: lastNumber(), nodes }
}
