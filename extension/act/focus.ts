/**
 * The focus: who has it, who takes it, and who is next. A page whose window is not the
 * active one, as while its user is in the extension's panel, is told of the focus all the
 * same: the browser tells it nothing then.
 */

import { innermostFocus } from "../page/capture"
import { shadowOf } from "../page/shadow"
import { documentOf, parentOf, visible } from "../page/walk"

/** focused is the element with the focus, in whatever shadow root or frame it is; the body
 * where nothing in particular has it. */
export const focused = (): HTMLElement => (innermostFocus() ?? document.body) as HTMLElement

const isBody = (el: Element) => el.localName === "body" || el.localName === "html"

/** has says whether an element, or something in its shadow tree, has the focus. */
export const has = (el: Element): boolean => {
  for (let n: Node | null = focused(); n; n = parentOf(n)) if (n === el) return true
  return false
}

const tell = (el: EventTarget, type: string, bubbles: boolean, relatedTarget: EventTarget | null) =>
  el.dispatchEvent(new FocusEvent(type, { bubbles, composed: true, relatedTarget, view: window }))

/** moveFocus changes who has the focus as if by mouse or key, and tells the page if the
 * browser does not. */
const moveFocus = (change: () => void) => {
  const before = focused()
  let told = false
  const hear = () => { told = true }
  addEventListener("focus", hear, { capture: true })
  addEventListener("blur", hear, { capture: true })
  change()
  removeEventListener("focus", hear, { capture: true })
  removeEventListener("blur", hear, { capture: true })
  const after = focused()
  if (told || after === before || after.ownerDocument.hasFocus()) return
  const [from, to] = [isBody(before) ? null : before, isBody(after) ? null : after]
  if (from) {
    tell(from, "blur", false, to)
    tell(from, "focusout", true, to)
  }
  if (to) {
    tell(to, "focus", false, from)
    tell(to, "focusin", true, from)
  }
}

/** takeFocus gives an element the focus and says whether it took it. */
export const takeFocus = (el: HTMLElement, visibly = false): boolean => {
  moveFocus(() => el.focus({ preventScroll: true, focusVisible: visibly } as FocusOptions))
  return has(el)
}

/** loseFocus takes the focus from whoever has it. */
export const loseFocus = () => {
  const el = focused()
  if (!isBody(el)) moveFocus(() => el.blur())
}

/** takesFocus says whether an element can be focused by the mouse. */
const takesFocus = (el: HTMLElement) => {
  if (el.matches(":disabled")) return false
  if (el.tabIndex >= 0) return true
  return el.hasAttribute("tabindex") || el.isContentEditable
}

/** focusByMouse moves the focus as pressing the mouse on an element does: to the nearest
 * element around it that takes it, or nowhere. */
export const focusByMouse = (hit: Element) => {
  for (let n: Node | null = hit; n; n = parentOf(n)) {
    const el = n as HTMLElement
    if (n.nodeType !== 1 || typeof el.focus !== "function") continue
    if (shadowOf(el)?.delegatesFocus) return void takeFocus(el)
    if (!takesFocus(el)) continue
    if (!has(el) || focused() !== el) takeFocus(el)
    return
  }
  loseFocus()
}

/** tabOrder lists what Tab goes through, in its order. Of the radio buttons of a group it is
 * the chosen one, or the first. */
const tabOrder = (): HTMLElement[] => {
  const found = inScope(document)
  return found.filter((el) => {
    if (el.localName !== "input" || (el as HTMLInputElement).type !== "radio") return true
    const radio = el as HTMLInputElement
    if (radio.checked || radio.name === "") return true
    const group = found.filter((o) => isRadioOf(o, radio)) as HTMLInputElement[]
    return !group.some((o) => o.checked) && group[0] === radio
  })
}

const isRadioOf = (el: Element, of: HTMLInputElement) => el.localName === "input" && (el as HTMLInputElement).type === "radio" &&
  (el as HTMLInputElement).name === of.name && (el as HTMLInputElement).form === of.form

// Each shadow root and each frame is a scope with an order of its own, which stands where
// its host does.
const inScope = (root: Document | ShadowRoot): HTMLElement[] => {
  const own = [...root.querySelectorAll<HTMLElement>("*")].filter((el) => shadowOf(el) || el.localName === "iframe" || isTabbable(el))
  const index = (el: HTMLElement) => (el.localName !== "iframe" && !isTabbable(el) ? 0 : el.tabIndex)
  const order = [...own.filter((el) => index(el) > 0).sort((a, b) => index(a) - index(b)), ...own.filter((el) => index(el) === 0)]
  return order.flatMap((el) => {
    const shadow = shadowOf(el)
    if (shadow) return [...(isTabbable(el) && !shadow.delegatesFocus ? [el] : []), ...inScope(shadow)]
    const inner = el.localName === "iframe" ? documentOf(el as HTMLIFrameElement) : null
    return inner ? inScope(inner) : [el]
  })
}

const isTabbable = (el: HTMLElement) => el.tabIndex >= 0 && !isOutOfOrder(el) && visible(el) && !behindModal(el)
// aria-disabled keeps nobody from tabbing to it.
const isOutOfOrder = (el: HTMLElement) => el.matches(":disabled") || el.closest("[inert]") !== null

const behindModal = (el: HTMLElement) => {
  const modals = el.ownerDocument.querySelectorAll("dialog:modal")
  const top = modals[modals.length - 1]
  return top !== undefined && !top.contains(el) && el.getRootNode() === el.ownerDocument
}

/** focusNext moves the focus as Tab does, or back as Shift+Tab does. At the end it begins
 * again. */
export const focusNext = (back: boolean) => {
  const order = tabOrder()
  if (order.length === 0) return
  const at = order.indexOf(focused())
  let next: HTMLElement
  if (at >= 0) next = order[(at + (back ? order.length - 1 : 1)) % order.length]
  else next = nearest(order, focused(), back)
  takeFocus(next, true)
  const field = next as HTMLInputElement
  if (field.localName === "input" && typeof field.select === "function") field.select()
  next.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" })
}

// From an element that is not in the order, the next one in the document.
const nearest = (order: HTMLElement[], from: HTMLElement, back: boolean) => {
  if (isBody(from)) return back ? order[order.length - 1] : order[0]
  const side = back ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING
  const beside = order.filter((el) => from.compareDocumentPosition(el) & side)
  return (back ? beside[beside.length - 1] : beside[0]) ?? order[0]
}

