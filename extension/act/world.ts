/**
 * What the script in the page's own world knows (page/world): requests, errors and dialogs
 * of this document and the frames that are reached from it, since the action began. A page
 * can say what it likes here: it is data about the page, and nothing is done because of it.
 */

import { type CaptureOptions } from "../page/capture"
import { page } from "../page/index"
import { scanPage } from "../page/scan"
import type { PageDialog } from "../protocol"
import { DIALOGS, HANDLERS, KEEP_DIALOGS, LEAVE, NETWORK, REPLY, type Reply, type SeenDialog, type Traffic, told } from "../page/world/names"

/** How long dialogs stay off the screen after the task was last heard of: longer than a
 * server thinks about a page. */
const KEEP = 120_000 // milliseconds
const LONGEST = 2000 // characters
const MOST_HANDLED = 500 // elements of a document

/** documents are this one and those in its frames. */
const documents = (): Document[] => scanPage().roots.filter((root): root is Document => root.nodeType === 9)

/** ask gives what a document's own world answers; undefined where nobody does. */
const ask = (doc: Document, names: { ask: string, answer: string }): unknown => {
  let got: unknown
  const take = (e: Event) => { got = told(e) }
  doc.addEventListener(names.answer, take)
  doc.dispatchEvent(new Event(names.ask))
  doc.removeEventListener(names.answer, take)
  return got
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(-100) : [])
const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : 0)
const line = (value: unknown, max: number) => String(value ?? "").slice(0, max)

const trafficOf = (doc: Document): Traffic | null => {
  const t = ask(doc, NETWORK) as Partial<Traffic> | undefined
  if (t === undefined || t === null) return null
  return {
    started: number(t.started), errors: number(t.errors), pending: list(t.pending).map(number),
    failed: list(t.failed).map((f) => {
      const { n, method, path, status } = (f ?? {}) as Partial<Traffic["failed"][number]>
      return { n: number(n), method: line(method, 20), path: line(path, 500), status: number(status) }
    }),
  }
}

const dialogsOf = (doc: Document): SeenDialog[] => list(ask(doc, DIALOGS)).map((d) => {
  const { n, kind, message, initial } = (d ?? {}) as Partial<SeenDialog>
  return { n: number(n), kind: kind === "confirm" || kind === "prompt" || kind === "beforeunload" ? kind : "alert", message: line(message, LONGEST), initial: line(initial, LONGEST) }
})

// What each document had seen when the action began. Another document had seen nothing.
let before = new WeakMap<Document, { requests: number, errors: number }>()
const reported = new WeakMap<Document, number>()
let dialogsBefore = new WeakMap<Document, number>()

const keep = () => {
  for (const doc of documents()) doc.dispatchEvent(new CustomEvent(KEEP_DIALOGS, { detail: JSON.stringify(Date.now() + KEEP) }))
}

/** arm is the page's arm; from here on requests, errors and dialogs count. A dialog that
 * nobody was told of yet still does. */
export const arm = (id: string, token?: string) => {
  before = new WeakMap()
  dialogsBefore = new WeakMap()
  for (const doc of documents()) {
    const t = trafficOf(doc)
    before.set(doc, { requests: t?.started ?? 0, errors: t?.errors ?? 0 })
    dialogsBefore.set(doc, reported.get(doc) ?? 0)
  }
  keep()
  return (page.arm as (id: string, token?: string) => unknown)(id, token)
}

/** capture is the page's, which is told first what has handlers for clicks. */
export const capture = (options: CaptureOptions) => {
  for (const doc of documents()) {
    const handled: Element[] = []
    const take = (e: Event) => { if (handled.length < MOST_HANDLED) handled.push(e.composedPath()[0] as Element) }
    doc.addEventListener(HANDLERS.answer, take, true)
    doc.dispatchEvent(new Event(HANDLERS.ask))
    doc.removeEventListener(HANDLERS.answer, take, true)
    page.hear(handled)
  }
  return page.capture(options)
}

/** What became of the requests of an action. */
export interface Network { pending: number, started: number, failed: { method: string, path: string, status: number }[], errors: number }

/** network counts since the action began. It throws where the page's own world is not
 * watched. */
export const network = (): Network => {
  const sum: Network = { pending: 0, started: 0, failed: [], errors: 0 }
  let watched = false
  for (const doc of documents()) {
    const t = trafficOf(doc)
    if (!t) continue
    watched = true
    const { requests, errors } = before.get(doc) ?? { requests: 0, errors: 0 }
    sum.started += t.started - requests
    sum.errors += t.errors - errors
    sum.pending += t.pending.filter((n) => n > requests).length
    for (const { n, method, path, status } of t.failed) if (n > requests) sum.failed.push({ method, path, status })
  }
  if (!watched) throw new Error("the page's own world is not watched")
  return sum
}

/** openDialog is the dialog that the action has opened: a question before a message, the
 * last of several. Null if there is none. Asked again it gives the same. */
export const openDialog = (): PageDialog | null => {
  keep()
  let found: PageDialog | null = null
  for (const doc of documents()) {
    for (const { n, kind, message, initial } of dialogsOf(doc)) {
      reported.set(doc, Math.max(n, reported.get(doc) ?? 0))
      if (n > (dialogsBefore.get(doc) ?? 0) && (kind !== "alert" || !found || found.kind === "alert")) found = { kind, message, initial }
    }
  }
  return found
}

/** answerDialog decides what the next dialog of this kind with this message is answered
 * with, once. */
export const answerDialog = (reply: Reply): void => {
  keep()
  for (const doc of documents()) doc.dispatchEvent(new CustomEvent(REPLY, { detail: JSON.stringify(reply) }))
}

/** staysOnLeave says whether the page would ask to stay where the tab goes to an address, or
 * back where that is "". If so it is an open dialog from now on. The same document at another
 * place is not left. */
export const staysOnLeave = (address: string): boolean => {
  keep()
  if (staysHere(address)) return false
  return documents().map((doc) => ask(doc, LEAVE)).includes(true)
}

// Of the Navigation API, which not every browser has.
interface History { currentEntry: { index: number } | null, entries(): { sameDocument: boolean }[] }

const staysHere = (address: string): boolean => {
  const [path, place] = address.split("#")
  if (address !== "") return place !== undefined && path === location.href.split("#")[0]
  const { navigation } = window as { navigation?: History }
  return navigation?.entries()[(navigation.currentEntry?.index ?? 0) - 1]?.sameDocument === true
}

/** leaveDialogs gives a page its dialogs back, when a task has ended. */
export const leaveDialogs = (): void => {
  for (const doc of documents()) doc.dispatchEvent(new CustomEvent(KEEP_DIALOGS, { detail: "0" }))
}
