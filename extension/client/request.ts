/**
 * The body of the next request: the page as it was captured, the task, the report on the
 * actions done last. It is encoded once; what is stored is what is sent.
 */

import type { Schemas } from "../protocol"
import type { RawNode, TabCapture } from "./frames"
import type { Shown } from "./store"
import type { OpenDialog, Run } from "./state"

type Body = Schemas["InteractBody"]
type NodeV3 = Schemas["NodeV3"]

/** Longest documents the server takes, in UTF-16 units. */
export const longest = { usual: 500_000, full: 5_000_000 }

/** What this client can do beside what every client can. */
export const capabilities = ["press", "hover", "type", "drag", "upload", "scrollDirection", "multiSelect", "chain"]

const shortRoles: Record<string, string> = { button: "btn", textbox: "inp", searchbox: "inp", checkbox: "chk", menuitem: "menu", option: "opt" }

/** An element as the request carries it. */
export function nodeV3(n: RawNode, focused: string): NodeV3 {
  return {
    i: n.id, r: shortRoles[n.role] ?? n.role,
    ...(n.name !== "" && { n: n.name }), ...(n.value !== "" && { v: n.value }), ...(n.state.length > 0 && { s: n.state.join(",") }),
    xy: [n.box[0] + n.box[2] / 2, n.box[1] + n.box[3] / 2], ...(n.frame > 0 && { f: String(n.frame) }), box: n.box,
    ...(n.scroll && { scr: n.scroll }), ...(n.occluded && { occ: true }), ...(n.id === focused && { focused: true }),
  }
}

/** What the server is told of each id, to know the element again when it is acted on. */
export function shownOf(nodes: RawNode[], focused = ""): Shown {
  return Object.fromEntries(nodes.map((n) => [n.id, {
    role: n.role, name: n.name, ...(n.state.includes("secret") && { secret: true as const }), ...(n.id === focused && { focused: true as const }),
  }]))
}

/** What a page said since the last action began. */
export interface Said { kind: string, text: string, at: number }

/** Everything a body is made of. */
export interface Parts {
  run: Run
  page: TabCapture
  said: Said[]
  now: number
  /** The fields of the extraction mode: the trees, the document, a picture. */
  fields: Partial<Body>
}

/** Makes the body. */
export function bodyOf({ run, page, said, now, fields }: Parts): Body {
  const { loop } = run
  const errors = distinct(textsOf(said, "error"), page.errors)
  const successes = distinct(textsOf(said, "success"), page.successes)
  const events = [...lines(said, now), ...loop.events.map((e) => `[0s ago] Added: '${e}'`)].slice(-mostEvents)
  return {
    url: page.url, query: loop.says, ...(run.taskId && { taskId: run.taskId }), ...(run.sessionId && { sessionId: run.sessionId }),
    pageTitle: page.title, viewport: { width: page.width, height: page.height }, scrollPosition: page.scroll,
    ...(page.containers.length > 0 && { scrollableContainers: page.containers }),
    ...(page.focused && { activeElement: page.focused }),
    ...(knownZone(page.zone) && { timezone: page.zone }),
    ...(events.length > 0 && { recentEvents: events }),
    hasErrors: errors.length > 0, hasSuccess: successes.length > 0,
    ...(errors.length > 0 && { errors_detected: errors }), ...(successes.length > 0 && { success_messages: successes }),
    clientCapabilities: capabilities, ...fields, ...loop.last,
  }
}

const mostEvents = 10

function lines(said: Said[], now: number): string[] {
  const kinds: Record<string, string> = { error: "Error", removed: "Removed" }
  return said.slice(-mostEvents).map((e) => `[${Math.max(0, Math.floor((now - e.at) / 1000))}s ago] ${kinds[e.kind] ?? "Added"}: '${e.text}'`)
}

const textsOf = (said: Said[], kind: string) => said.filter((e) => e.kind === kind).map((e) => e.text)
const distinct = (heard: string[], seen: string[]) => [...new Set([...heard, ...seen])].sort()

// knownZone: Chromium says Etc/Unknown where it could not find out, which no server knows.
function knownZone(zone: string): boolean {
  return zone !== "" && zone !== "Etc/Unknown"
}

/** Shows an open dialog of the page as elements, at the end of the page. */
export function withDialog(page: TabCapture, dialog: OpenDialog | undefined): TabCapture {
  if (!dialog) return page
  const box: RawNode["box"] = [page.width / 2, page.height / 2, 0, 0]
  const node = (id: string, role: string, name: string, value = ""): RawNode => ({ id, frame: 0, role, name, value, state: [], box, occluded: false, scroll: null })
  const nodes = [...page.nodes.map((n) => ({ ...n, occluded: true }))]
  const accepts = dialog.kind === "beforeunload" ? "Leave" : "OK"
  let inner = `<p>${escape(dialog.message)}</p>`
  if (dialog.kind === "prompt") {
    const text = dialog.text ?? dialog.initial
    nodes.push(node("dialog_text", "textbox", dialog.message, text))
    inner += `<input data-llm-id="dialog_text" value="${escape(text)}">`
  }
  nodes.push(node("dialog_accept", "button", accepts))
  inner += `<button data-llm-id="dialog_accept">${accepts}</button>`
  if (dialog.kind !== "alert") {
    nodes.push(node("dialog_dismiss", "button", "Cancel"))
    inner += '<button data-llm-id="dialog_dismiss">Cancel</button>'
  }
  const html = `<div role="alertdialog" aria-modal="true" aria-label="The page says">${inner}</div>`
  return { ...page, nodes, html: page.html.includes("</body>") ? page.html.replace(/<\/body>(?![\s\S]*<\/body>)/, () => `${html}</body>`) : page.html + html }
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!)
}
