/**
 * In the page's own world: which requests its scripts have made, without origin, query and
 * content, and how many of their errors nobody caught. Sockets and what the browser
 * requests itself (documents, pictures) are not counted.
 */

import { NETWORK, type Traffic, answer } from "./names"

const MOST_FAILED = 50

/** watchNetwork begins to count. */
export const watchNetwork = () => {
  let started = 0
  let errors = 0
  const pending = new Set<number>()
  const failed: Traffic["failed"] = []

  const pathOf = (url: unknown) => {
    try {
      return new URL(String(url), document.baseURI).pathname
    } catch {
      return ""
    }
  }

  /** begin counts a request; what it gives is called with its status, undefined if the page
   * gave it up itself. */
  const begin = (method: string, url: unknown) => {
    const n = ++started
    pending.add(n)
    return (status?: number) => {
      if (!pending.delete(n) || status === undefined || (status > 0 && status < 400)) return
      failed.push({ n, method: method.toUpperCase(), path: pathOf(url), status })
      if (failed.length > MOST_FAILED) failed.shift()
    }
  }

  const fetched = window.fetch
  window.fetch = function fetch(this: unknown, input: RequestInfo | URL, init?: RequestInit) {
    const request = typeof input === "object" && "method" in input ? input : undefined
    const end = begin(init?.method ?? request?.method ?? "GET", request?.url ?? input)
    const response = fetched.call(window, input, init)
    response.then((r) => end(r.type === "opaque" || r.type === "opaqueredirect" ? 200 : r.status), (e) => end(e?.name === "AbortError" ? undefined : 0))
    return response
  }

  const { open, send } = XMLHttpRequest.prototype
  const opened = new WeakMap<XMLHttpRequest, [method: string, url: unknown]>()
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
    opened.set(this, [String(args[0]), args[1]])
    return (open as (...all: unknown[]) => void).apply(this, args)
  }
  XMLHttpRequest.prototype.send = function (body) {
    const end = begin(...(opened.get(this) ?? ["GET", ""]))
    let given = false
    this.addEventListener("abort", () => { given = true }, { once: true })
    this.addEventListener("loadend", () => end(given ? undefined : this.status), { once: true })
    try {
      return send.call(this, body)
    } catch (e) {
      end(0)
      throw e
    }
  }

  const { sendBeacon } = Navigator.prototype
  Navigator.prototype.sendBeacon = function (url, data) {
    begin("POST", url)(200)
    return sendBeacon.call(this, url, data)
  }

  addEventListener("error", (e) => { if (e instanceof ErrorEvent) errors++ }, true)
  addEventListener("unhandledrejection", () => { errors++ })
  answer(NETWORK, (): Traffic => ({ started, pending: [...pending].slice(-MOST_FAILED), failed, errors }))
}
