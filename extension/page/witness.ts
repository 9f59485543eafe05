/**
 * What happened: a log of what the page said, and counters of what changed
 * while an action ran. Documents change by themselves (clocks, tickers), so
 * changes are told apart by whether they also happen when nobody acts.
 */

import { type PageElement, isDocument, isElement } from "./element"
import { INTERACTIVE, clean } from "./describe"
import { hearChildren } from "./frames"
import { isOwn } from "./own"
import { rememberSecret } from "./secret"
import { ID, parentOf, resolve, visible } from "./walk"
import { scanPage } from "./scan"
import { watchTouches } from "./unchanged"
import { shadowOf } from "./shadow"

const MESSAGE = "[role=alert],[role=status],[role=alertdialog],[aria-live=polite],[aria-live=assertive]," +
  "[class*=toast i],[class*=snackbar i],[class*=notification i],[class*=alert i],[class*=error i]"
const AMBIENT = "time,progress,meter,marquee,[role=timer],[role=marquee],[role=progressbar],[aria-live=off]"
const SILENT = "script,style,link,meta,template,noscript"

const WRONG = /\b(errors?|invalid|fail(ed|ure)?|required|denied|wrong|unable|cannot|can't|could not|must|missing|not (found|valid|allowed|saved))\b/i
const RIGHT = /\b(success(ful|fully)?|saved|added|created|updated|deleted|removed|archived|sent|submitted|completed?|done|thank you)\b/i

/** messageKind is error, success or info. In a language without these words an alert
 * beside an invalid field is an error. */
export const messageKind = (text: string, isAlert: boolean) => {
  if (WRONG.test(text)) return "error"
  if (RIGHT.test(text)) return "success"
  return isAlert && document.querySelector("[aria-invalid=true]") ? "error" : "info"
}

const since = { added: 0, removed: 0, mutations: 0, direct: 0 }
const ticks = new WeakMap<Element, number>() // element -> changes of its own text or attributes
const idleTicks = new WeakMap<Element, number>() // the same, while no action ran
const said = new Map<string, number>() // text -> when it was last logged
let acting = false
let lastChange = performance.now()
let logFrom = Infinity // while a page loads, only messages are news

const log = (kind: string, text: string | null | undefined) => {
  const t = clean(text, 160)
  const now = performance.now()
  if (!t || now - (said.get(kind + t) ?? -Infinity) < 1000) return
  if (said.size > 200) said.clear()
  said.set(kind + t, now)
  globalThis.stepledgerSaid?.(JSON.stringify({ kind, text: t }))
}

const bump = (map: WeakMap<Element, number>, el: Element): number => {
  const n = (map.get(el) ?? 0) + 1
  map.set(el, n)
  return n
}

const logMessage = (el: PageElement) => {
  if (visible(el)) log(messageKind(el.textContent ?? "", el.matches("[role=alert],[role=alertdialog]")), el.innerText)
}

const logAdded = (node: Node, parent: PageElement) => {
  const message = parent.closest(MESSAGE)
  if (message) return logMessage(message)
  if (isElement(node)) {
    const inner = node.matches(MESSAGE) ? [node] : [...node.querySelectorAll(MESSAGE)].slice(0, 5)
    if (inner.length) return inner.forEach(logMessage)
    if (performance.now() >= logFrom && visible(node)) log("added", node.innerText)
  } else if (performance.now() >= logFrom && visible(parent)) {
    log("added", (node as Text).data)
  }
}

const logRemoved = (node: Node) => {
  if (isElement(node) && node.matches(`${MESSAGE},${INTERACTIVE}`)) log("removed", node.textContent)
}

/** What the handlers of an event change is seen before the next task, and what
 * they leave to the next frame soon after: that was the action, and no clock. */
const EVENTS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "keydown", "keyup", "input", "change", "submit", "focusin", "pointerover"]
let handling = 0
export const handle = () => {
  take(observer.takeRecords())
  clearTimeout(handling)
  handling = setTimeout(() => (handling = 0), 30)
}

/** isNothing reports a record without a change: our own tags, an attribute or text set
 * to its old value, scripts and styles. */
const isNothing = (record: MutationRecord, nodes: Node[]) => {
  if (record.type === "attributes") {
    const name = record.attributeName ?? ""
    return name === ID || (record.target as Element).getAttribute(name) === record.oldValue
  }
  if (record.type === "characterData") return (record.target as Text).data === record.oldValue
  return nodes.every((n) => isOwn(n) || (isElement(n) ? n.matches(SILENT) : n.nodeType !== 3))
}

/** notice takes one mutation: is it news, does it count, does it keep the page
 * from being settled? */
const notice = (record: MutationRecord) => {
  rememberSecret(record)
  const el: PageElement | null = isElement(record.target) ? record.target : record.target.parentElement ?? document.documentElement
  const nodes = [...record.addedNodes, ...record.removedNodes]
  if (!el || el.closest(AMBIENT) || isNothing(record, nodes)) return
  const changed = nodes.filter((n) => isElement(n) && !n.matches(SILENT))
  if (changed.length === 0) {
    if (!acting && performance.now() >= logFrom) bump(idleTicks, el) // what is being parsed does not tick
    if (bump(ticks, el) < 4) lastChange = performance.now()
    if ((idleTicks.get(el) ?? 0) >= 2) return
  } else {
    lastChange = performance.now()
  }
  since.mutations++
  if (handling) since.direct++
  for (const n of record.addedNodes) if (changed.includes(n as PageElement)) since.added++
  for (const n of record.removedNodes) if (changed.includes(n as PageElement)) since.removed++
  if (record.type === "attributes" || record.type === "characterData") {
    const message = el.closest(MESSAGE)
    if (message) logMessage(message)
    return
  }
  for (const n of [...record.addedNodes].slice(0, 20)) logAdded(n, el)
  for (const n of [...record.removedNodes].slice(0, 20)) logRemoved(n)
}

let changed = 0 // changes of the page since it was loaded
const take = (records: MutationRecord[]) => {
  for (const r of records) if (r.attributeName !== ID && ![...r.addedNodes, ...r.removedNodes].some(isOwn)) changed++
  records.forEach(notice)
}

/** changes counts what the page has changed, without our own tags. */
export const changes = () => {
  take(observer.takeRecords())
  return changed
}

const observer = new MutationObserver(take)
const observed = new WeakSet<Node>()
const documents = new Set<Document>()
const observe = (root: Document | ShadowRoot) => {
  if (observed.has(root)) return
  observed.add(root)
  if (isDocument(root)) {
    documents.add(root)
    hearChildren(root)
    EVENTS.forEach((e) => root.addEventListener(e, handle, { capture: true, passive: true }))
  }
  watchTouches(root)
  observer.observe(root, {
    childList: true, subtree: true, attributes: true, attributeOldValue: true, characterData: true, characterDataOldValue: true,
  })
}
/** watchRoots watches what has come since: shadow trees and the documents of frames. */
export const watchRoots = (roots: (Document | ShadowRoot)[]) => roots.forEach(observe)
const observeEverything = () => watchRoots(scanPage().roots)

/** watch begins to watch this document and what is in it. */
export const watch = () => {
  observe(document)
  const loaded = () => {
    logFrom = performance.now() + 100
    observeEverything()
  }
  if (document.readyState === "complete") loaded() // the client came late
  else addEventListener("load", loaded)
}

/** choices are what an open menu or list offers. */
const CHOICE = "[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=option],[role=treeitem],[role=menu] a,[role=listbox] li"
/** choices are the items of an open menu or list. */
const choices = () => {
  const texts: string[] = []
  for (const el of scanPage().elements) if (el.matches(CHOICE) && visible(el)) texts.push(clean(el.innerText))
  return [...new Set(texts)].filter(Boolean).slice(0, 50)
}

/** appearanceOf is an element's markup with its ancestors' attributes, without those
 * that only show mouse and focus. Null if there is no element. */
const appearanceOf = (el: PageElement | null) => {
  if (!el) return null
  let face = el.outerHTML + (shadowOf(el)?.innerHTML ?? "")
  for (let n = parentOf(el); n; n = parentOf(n)) if (isElement(n)) face += "\n" + (n.cloneNode(false) as Element).outerHTML
  return face.replaceAll(OWN, "").replaceAll(POINTED, "").replaceAll(' class=""', "")
}
const OWN = new RegExp(` ${ID}="[^"]*"`, "g")
const POINTED = / ?[\w-]*(focus|hover|ripple|touch)[\w-]*/gi

/** target is what the action is done to, and how it looked before. */
let target: PageElement | null = null
let face: string | null = null

const armed = new Set<string>() // tokens of actions, the newest last
const MOST_ARMED = 100

/** arm begins to count; document is a name for this document, to tell another one apart, and
 * id the element the action is for ("" where there is none). token names the action: again
 * says that this document was armed with it before. */
export const documentName = crypto.getRandomValues(new Uint32Array(4)).join("-")
export const arm = (id: string, token = "") => {
  observeEverything()
  take(observer.takeRecords())
  Object.assign(since, { added: 0, removed: 0, mutations: 0, direct: 0 })
  acting = true
  target = resolve(id)
  face = appearanceOf(target)
  const again = armed.has(token)
  if (token) armed.add(token)
  if (armed.size > MOST_ARMED) armed.delete([...armed][0])
  return { document: documentName, token, again, choices: choices() }
}

export const disarm = () => {
  take(observer.takeRecords())
  acting = false
  const inPage = (el: PageElement) => el.isConnected && el.ownerDocument.defaultView !== null
  const touched = target && inPage(target) ? appearanceOf(target) !== face : null
  const replaced = target !== null && target.ownerDocument.defaultView === null // the frame it was in shows another document
  return { document: documentName, choices: choices(), touched, ...since, direct: replaced ? null : since.direct }
}

/** scheduledIn is how many timers the action has left in a document, as the script
 * in the page's own world counts them (page/world/timers.ts). */
const scheduledIn = (doc: Document) => {
  let n = 0
  const take = (e: Event) => (n = Number((e as CustomEvent).detail) || 0)
  doc.addEventListener("stepledger:scheduled", take)
  doc.dispatchEvent(new Event("stepledger:scheduled?"))
  doc.removeEventListener("stepledger:scheduled", take)
  return n
}

/** quiet says since how many milliseconds nothing has changed, and what is still to
 * come. */
export const quiet = () => {
  take(observer.takeRecords())
  let scheduled = 0
  for (const doc of documents) {
    if (doc.defaultView) scheduled += scheduledIn(doc)
    else documents.delete(doc) // a frame that shows another, or is gone
  }
  return { ms: performance.now() - lastChange, ready: document.readyState === "complete", scheduled }
}
