/**
 * The page as the agent gets it: the tree of what can be acted on, and the
 * document as a person perceives it.
 */

import { type PageElement } from "./element"
import { INTERACTIVE, clean, isInteractive, isRow, nameOf, regionName, roleOf, stateOf, styleOf, valueOf } from "./describe"
import { html } from "./html"
import { noteCover } from "./layer"
import { isSecret, removeSecrets, takesText } from "./secret"
import { ID, clickableLabel, documentOf, frameNumber, identify, ids, isCovered, isOutOfView, isPageLike, lastNumber, numberFrom, offsetOf, resolve, visible, walk } from "./walk"
import { messageKind } from "./witness"

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

const nodeOf = (el: PageElement, frame: number, shown: PageElement, scrollable: boolean): RawNode => {
  const o = offsetOf(shown)
  const r = shown.getBoundingClientRect()
  const box = [r.left + o.x, r.top + o.y, r.width, r.height].map(Math.round) as RawNode["box"]
  const onScreen = box[0] < innerWidth && box[1] < innerHeight && box[0] + box[2] > 0 && box[1] + box[3] > 0
  const away = !scrollable && isOutOfView(shown, onScreen ? undefined : isPageLike) // where the page goes on, its place says it
  return {
    id: identify(el, frame), frame, role: roleOf(el), name: scrollable ? regionName(el) : nameOf(el), value: valueOf(el),
    state: away ? [...stateOf(el), "out-of-view"] : stateOf(el),
    box, ownName: isRow(el), occluded: !scrollable && !away && isCovered(shown), scroll: scrollable ? scrolled(el) : null,
  }
}

/** tree lists what can be acted on, from one viewport above to one below what
 * is on screen: coordinates outside the viewport tell the rest apart. */
export const tree = () => {
  const nodes: RawNode[] = []
  for (const [el, frame] of walk()) {
    if (el.hasAttribute(ID) && el.getAttribute(ID) !== ids.get(el)) el.removeAttribute(ID) // a clone, or the page's own
    const scrollable = isScrollable(el)
    if (!scrollable && !isInteractive(el)) continue
    const shown = clickableLabel(el)
    if (!shown) continue
    const top = shown.getBoundingClientRect().top + offsetOf(shown).y
    if (top > 2 * innerHeight || top + shown.getBoundingClientRect().height < -innerHeight) continue
    nodes.push(nodeOf(el, frame, shown, scrollable && !el.matches(INTERACTIVE)))
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
    const inner: PageElement | null | undefined = el?.shadowRoot?.activeElement ?? (el?.localName === "iframe" ? documentOf(el)?.activeElement : null)
    if (!inner) return el
    el = inner
  }
}

/** focusedElement is the element with the focus, null where nothing in particular has it. */
const focusedElement = () => {
  const el = innermostFocus()
  return el === null || ["html", "body"].includes(el.localName) ? null : el
}

/** focusNode describes the element with the focus where it is not listed: nobody sees it,
 * or it is no control. */
const focusNode = (el: PageElement) => {
  const frame = el.ownerDocument.defaultView?.frameElement
  const node = nodeOf(el, frame ? frameNumber(frame) : 0, el, false)
  const name = isInteractive(el) ? clean(node.name, 60) : regionName(el)
  return { ...node, name, state: [...node.state, "hidden"], occluded: false, ownName: true }
}

/** capture numbers new elements from start on. full takes the whole document
 * instead of what a person perceives. */
export const capture = (start: number, full: boolean, limit: number) => {
  numberFrom(start)
  for (const [el] of walk()) if (takesText(el)) isSecret(el) // what they hold is in no text then
  const nodes = tree()
  noteCover(nodes)
  const focus = focusedElement()
  if (focus && !nodes.some((n) => n.id === ids.get(focus))) nodes.push(focusNode(focus))
  const containers = nodes.filter((n) => n.scroll).map((n) => ({ id: n.id, depth: n.scroll?.depth, hasMore: n.scroll?.h }))
  return {
    url: removeSecrets(location.href), title: clean(document.title, 300), lastID: lastNumber(), nodes, containers, ...messages(),
    width: innerWidth, height: innerHeight, scroll: scrolled(document.scrollingElement ?? document.documentElement).depth,
    focused: (focus && ids.get(focus)) ?? "", html: html(full, limit),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}

export const elementsOf = (...list: string[]) => list.map(resolve)

/** look is the tree alone, for finding an element again. */
export const look = (start: number) => {
  numberFrom(start)
  const nodes = tree()
  return { url: location.href, lastID: lastNumber(), nodes }
}
